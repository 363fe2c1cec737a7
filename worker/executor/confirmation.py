"""Nothing is reported that was not seen again in a fresh process, and compared with base."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace

from analyzers.criteria import UNSTABLE, all_ran, is_shown, is_written, reached
from analyzers.inference.input_validity import STATED
from analyzers.rules.code_error_rules import CODE_ERROR
from analyzers.rules.property_rules import CRASH
from analyzers.source_checks.changed_source import changed_lines
from analyzers.vocabulary import (
    Crashes,
    Criterion,
    Finding,
    Level,
    Misses,
    NotRun,
    Raised,
    Returned,
    Run,
    Skipped,
    Status,
    Target,
    Turns,
    Written,
)
from worker.executor.base_target import BaseTarget, IncomparableSignature
from worker.executor.execution_context import ExecutionContext
from worker.executor.guest_conversation import GuestFailure, TargetNotLoaded
from worker.executor.repair_verification import RepairVerifier, RunHistory
from worker.executor.session import PROBE_SECONDS
from worker.executor.warm_guest import WarmGuest, is_limited
from worker.system.tracing import traced


class Confirmer:
    """Confirms the findings of one target; its guests are closed at the end."""

    def __init__(
        self,
        laboratory: ExecutionContext,
        target: Target,
        before: BaseTarget,
        reached: Callable[[Finding], bool] = lambda _: True,
    ) -> None:
        """``reached`` tells whether the change edits or reaches where a finding is."""
        self._laboratory = laboratory
        self._target = target
        self._before = before
        self._reached = reached
        self._repairs = RepairVerifier(laboratory, target)
        self._guest = WarmGuest(laboratory, laboratory.head, target)

    def close(self) -> None:
        """End the guest."""
        self._guest.close()

    @traced("confirm")
    def confirmed(self, finding: Finding, history: RunHistory) -> Finding | Skipped:
        """Return the finding with its status and a verified, or no, suggestion."""
        if isinstance(finding.criterion, Written):
            if not is_written(
                finding.criterion, self._laboratory.head.texts.get(finding.criterion.path, "")
            ):
                return Skipped(finding.analyzer, finding.target, "it is not written there any more")
            there = self._before.source(finding.criterion.path)
            known = there is not None and is_written(finding.criterion, there[1])
            old = replace(finding, status=Status.EXISTING)
            return self._repairs.repaired(old if known else self._unseen(finding), history)
        again = self._guest.run(finding.probes)
        self._guest.give_back()
        limited = next((run.ending for run in again if is_limited(run)), None)
        if isinstance(limited, NotRun):
            place = f"{finding.rule} at {finding.path}:{finding.line}"
            reason = f"{place} could not be confirmed: {limited.reason}"
            return Skipped(finding.analyzer, finding.target, reason, our_fault=True)
        if not (all_ran(again) and is_shown(finding.criterion, again)):
            if isinstance(finding.criterion, Turns) or finding.level is Level.NOTICE:
                return Skipped(finding.analyzer, finding.target, UNSTABLE)
            return _unrepaired(replace(finding, status=Status.FLAKY), "it does not repeat")
        settled = self._with_status(finding)
        return settled if isinstance(settled, Skipped) else self._repairs.repaired(settled, history)

    @traced("confirm fixed")
    def is_fixed(self, finding: Finding) -> bool:
        """Return whether fresh processes show a finding on base and no defect on head."""
        branch = isinstance(finding.criterion, Misses)
        criterion = self._before.criterion(finding) if branch else finding.criterion
        if criterion is None:
            return False
        self._before.close()
        try:
            there = self._before.run_each(finding.probes, PROBE_SECONDS)
            here = self._guest.run(finding.probes)
            self._guest.give_back()
        except (TargetNotLoaded, GuestFailure):
            return False
        before = [run for run in there if run is not None]
        returned = all(isinstance(run.ending, Returned) for run in here)
        sound = not is_shown(finding.criterion, here) if branch else returned
        return all_ran(here) and sound and all_ran(before) and is_shown(criterion, before)

    def _with_status(self, finding: Finding) -> Finding | Skipped:
        """New, existing, or new with the doubt that base could not be run; or nothing."""
        criterion = None if finding.absent_on_base else self._before.criterion(finding)
        if criterion is None:
            return self._unseen(finding)
        try:
            runs = self._before.run(finding.probes)
        except IncomparableSignature as reason:
            return self._unseen(finding, str(reason), proven=self._is_proven(finding))
        except (TargetNotLoaded, GuestFailure) as reason:
            return self._unseen(finding, str(reason).partition("\n")[0])
        if not all_ran(runs):
            return self._unseen(finding, "the same inputs could not be run there")
        known = is_shown(criterion, runs)
        if not known and _is_refused(finding, runs):
            place = f"{finding.rule} at {finding.path}:{finding.line}"
            said = f"{place}: base fails on the same input too, so it may not be valid"
            return Skipped(finding.analyzer, finding.target, said)
        status = Status.EXISTING if known else finding.status
        return _measured(replace(finding, status=status), criterion, runs)

    def _is_proven(self, finding: Finding) -> bool:
        """Return whether an input that the author allows fails on a line that the change writes.

        An error of the code alone needs no valid input; beside an answer's shape the same call has
        gone through with a plain answer.  A line that only moves is not new.
        """
        known = finding.evidence.get(STATED) is True or "shape" in finding.evidence
        valid = finding.rule == CODE_ERROR.id or known
        if not valid or not isinstance(finding.criterion, Crashes):
            return False
        there = self._before.source(finding.path)
        texts = ("" if there is None else there[1], self._laboratory.head.texts[finding.path])
        before, after = ("\n".join(map(str.strip, text.splitlines())) for text in texts)
        return finding.line in changed_lines(before, after)[1]

    def _unseen(
        self, finding: Finding, reason: str | None = None, *, proven: bool = False
    ) -> Finding:
        if not self._reached(finding):
            why = "not run: the change neither edits this code nor reaches it by a call"
            unrun = {**finding.evidence, "base": why}
            return replace(finding, status=Status.EXISTING, evidence=unrun)
        if reason is None:
            return finding
        evidence = {**finding.evidence, "base": f"not comparable: {reason}"}
        doubtful = finding.level is Level.FAILURE and not proven
        level = Level.WARNING if doubtful else finding.level
        return replace(finding, level=level, evidence=evidence)


def _is_refused(finding: Finding, runs: Sequence[Run]) -> bool:
    """Return whether base fails too, elsewhere, on inputs that nobody said to be valid."""
    said = finding.evidence.get("annotations")
    given = isinstance(said, Mapping) and any(
        isinstance(each, Mapping) and each.get("given") for each in said.values()
    )
    inferred = finding.rule == CRASH.id and not given
    return inferred and all(isinstance(run.ending, Raised) for run in runs)


def _measured(finding: Finding, criterion: Criterion, runs: Sequence[Run]) -> Finding:
    if not isinstance(criterion, Misses):
        return finding
    number = sum(reached(criterion.goal, run) for run in runs)
    return replace(
        finding,
        message=f"{finding.message} On base, {number} of the same {len(runs)} inputs reach it.",
        evidence={**finding.evidence, "reached_on_base": number},
    )


def _unrepaired(finding: Finding, reason: str) -> Finding:
    if finding.suggestion is None:
        return finding
    bare = finding.without_candidates
    return replace(bare, evidence={**bare.evidence, "no_repair": reason})
