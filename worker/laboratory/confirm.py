"""Nothing is reported that was not seen again.

Every finding is run once more in a fresh process, then with the same inputs
on base; a suggestion is applied to a copy and must make the finding go away
without making anything else worse.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

from analyzers.judging import UNSTEADY, decided, reached, shows, stands
from analyzers.vocabulary import (
    Criterion,
    Finding,
    Level,
    Misses,
    NotRun,
    Returned,
    Run,
    Skipped,
    Status,
    Target,
    Turns,
    Written,
)
from worker.laboratory.before import Before
from worker.laboratory.failures import GuestFailure, Unpreparable
from worker.laboratory.laboratory import Laboratory
from worker.laboratory.repairs import History, Repairs
from worker.laboratory.session import PROBE_SECONDS
from worker.laboratory.signatures import Incomparable
from worker.laboratory.warm import WarmGuest, is_limited


class Confirmer:
    """Confirms the findings of one target; its guests are closed at the end."""

    def __init__(
        self,
        laboratory: Laboratory,
        target: Target,
        before: Before,
        reached: Callable[[Finding], bool] = lambda _: True,
    ) -> None:
        """``reached`` tells whether the change edits or reaches where a finding is."""
        self._laboratory = laboratory
        self._target = target
        self._before = before
        self._reached = reached
        self._repairs = Repairs(laboratory, target)
        self._guest = WarmGuest(laboratory, laboratory.head, target)

    def close(self) -> None:
        """End the guest."""
        self._guest.close()

    def confirmed(self, finding: Finding, history: History) -> Finding | Skipped:
        """The finding with its status and a verified, or no, suggestion.

        Another outcome than on base that does not repeat is no finding.  What is
        written needs no run.
        """
        if isinstance(finding.criterion, Written):
            return self._written(finding, finding.criterion, history)
        again = self._guest.run(finding.probes)
        limited = next((run.ending for run in again if is_limited(run)), None)
        if isinstance(limited, NotRun):
            return _undecided(finding, limited.reason)
        if not (decided(again) and shows(finding.criterion, again)):
            if isinstance(finding.criterion, Turns):
                return Skipped(finding.analyzer, finding.target, UNSTEADY)
            return _unrepaired(replace(finding, status=Status.FLAKY), "it does not repeat")
        return self._repairs.repaired(self._with_status(finding), history)

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
        except (Unpreparable, GuestFailure):
            return False
        before = [run for run in there if run is not None]
        returned = all(isinstance(run.ending, Returned) for run in here)
        sound = not shows(finding.criterion, here) if branch else returned
        return decided(here) and sound and decided(before) and shows(criterion, before)

    def _written(self, finding: Finding, criterion: Written, history: History) -> Finding | Skipped:
        """The finding by what stands in its file, here and on base."""
        if not stands(criterion, self._laboratory.head.texts.get(criterion.path, "")):
            return Skipped(finding.analyzer, finding.target, "it is not written there any more")
        there = self._before.source(criterion.path)
        known = there is not None and stands(criterion, there[1])
        old = replace(finding, status=Status.EXISTING)
        return self._repairs.repaired(old if known else self._unseen(finding), history)

    def _with_status(self, finding: Finding) -> Finding:
        """New, existing, or new with the doubt that base could not be run."""
        criterion = None if finding.absent_on_base else self._before.criterion(finding)
        if criterion is None:
            return self._unseen(finding)
        try:
            runs = self._before.run(finding.probes)
        except (Incomparable, Unpreparable, GuestFailure) as reason:
            return self._unseen(finding, str(reason).partition("\n")[0])
        if not decided(runs):
            return self._unseen(finding, "the same inputs could not be run there")
        status = Status.EXISTING if shows(criterion, runs) else finding.status
        return _measured(replace(finding, status=status), criterion, runs)

    def _unseen(self, finding: Finding, reason: str | None = None) -> Finding:
        """A finding that base could not show, for a ``reason`` or since it lacks the code.

        Existing where the change does not reach it.
        """
        if not self._reached(finding):
            why = "not run: the change neither edits this code nor reaches it by a call"
            evidence = {**finding.evidence, "base": why}
            return replace(finding, status=Status.EXISTING, evidence=evidence)
        return finding if reason is None else _doubtful(finding, reason)


def _undecided(finding: Finding, reason: str) -> Skipped:
    """Return that a limit of ours kept a finding from being seen again."""
    said = f"{finding.rule} at {finding.path}:{finding.line} could not be confirmed: {reason}"
    return Skipped(finding.analyzer, finding.target, said, our_fault=True)


def _measured(finding: Finding, criterion: Criterion, runs: Sequence[Run]) -> Finding:
    """The finding of a missed branch, with how many of its inputs reach it on base."""
    if not isinstance(criterion, Misses):
        return finding
    number = sum(reached(criterion.goal, run) for run in runs)
    return replace(
        finding,
        message=f"{finding.message} On base, {number} of the same {len(runs)} inputs reach it.",
        evidence={**finding.evidence, "reached_on_base": number},
    )


def _unrepaired(finding: Finding, reason: str) -> Finding:
    """The finding without its suggestion, and why."""
    if finding.suggestion is None:
        return finding
    bare = finding.unmended
    return replace(bare, evidence={**bare.evidence, "no_repair": reason})


def _doubtful(finding: Finding, reason: str) -> Finding:
    """A finding that may not be new: it advises, it does not block."""
    level = Level.WARNING if finding.level is Level.FAILURE else finding.level
    evidence = {**finding.evidence, "base": f"not comparable: {reason}"}
    return replace(finding, level=level, evidence=evidence)
