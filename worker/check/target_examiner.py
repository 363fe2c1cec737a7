"""The examination of a change's targets, one after the other, and its report."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from contextlib import ExitStack
from dataclasses import replace
from typing import Protocol

from analyzers.coverage import assess
from analyzers.detection import DetectionResult
from analyzers.pipeline import conclude, examine, explains, without_duplicates
from analyzers.ports import Analyzer
from analyzers.vocabulary import (
    Broken,
    ChangeSet,
    Conclusion,
    Cost,
    Coverage,
    Finding,
    JsonObject,
    Level,
    LibraryBug,
    Report,
    Skipped,
    Status,
    Target,
    TargetCounters,
    Verdict,
)
from worker.check.base_comparison import BaseExplorer, FindingReach
from worker.check.ignored_findings import ignored_findings
from worker.executor.base_target import BaseTarget
from worker.executor.confirmation import Confirmer
from worker.executor.execution_context import ExecutionContext
from worker.executor.guest_conversation import GuestFailure, TargetNotLoaded
from worker.executor.sandbox_executor import SandboxExecutor
from worker.settings.repository_configuration import Configuration
from worker.system.interruption import acknowledge_interrupt, raise_pending

LEAST_TARGET_SECONDS = 20.0
MOST_ADDRESSES = 20


class CheckListener(Protocol):
    """Hears of the progress of a check."""

    def detected(self, targets: Sequence[Target]) -> None:
        """The targets are known."""

    def preparing(self, what: str) -> None:
        """Something that takes time begins, in words."""

    def examining(self, target: Target) -> None:
        """A target's examination begins."""

    def found(self, verdict: Verdict) -> None:
        """A verdict stands, confirmed."""


_MOST_SEVERE = (True, True, True)


def _severity(finding: Finding) -> tuple[bool, bool, bool]:
    """Findings in the order in which they weigh: new ones, failures, fixed ones last."""
    there = finding.status is not Status.FIXED
    return finding.status is Status.NEW, there, finding.level is Level.FAILURE


_FindingKey = tuple[str, str, int]


def _finding_key(finding: Finding) -> _FindingKey:
    """Return what makes two findings one: the same fingerprint at the same line."""
    return finding.fingerprint, finding.path, finding.line


ExecutorFactory = Callable[[ExecutionContext, Target, float, BaseTarget], SandboxExecutor]


class TargetExaminer:
    """All targets of a change, as far as they were examined; ``bench`` makes their benches."""

    def __init__(
        self,
        laboratory: ExecutionContext,
        changes: ChangeSet,
        found: DetectionResult,
        listener: CheckListener,
        bench: ExecutorFactory = SandboxExecutor,
    ) -> None:
        self._laboratory = laboratory
        self._changes = changes
        self._targets = found.targets
        self._listener = listener
        self._bench = bench
        self._reached = FindingReach(laboratory, changes)
        self._tallies: dict[str, TargetCounters] = {}
        self._coverage: dict[str, Coverage] = {}
        self._findings: dict[_FindingKey, Finding] = {}
        self._skipped: list[Skipped] = [*changes.skipped, *found.skipped]
        self._broken: list[Broken] = []
        self._appendix: dict[tuple[str, ...], LibraryBug] = {}
        self._notes: dict[str, None] = {}
        self._under_way = ""
        self._interrupted = True

    def examine(
        self,
        analyzers: Sequence[Analyzer],
        deadline: float,
        keep: Callable[[], None] = lambda: None,
    ) -> None:
        """Examine target after target, until ``deadline`` or Ctrl-C.

        ``deadline`` is a time of ``time.monotonic``; what it leaves of the
        budget is shared evenly by the targets that are left.  ``keep`` is called
        before each target, with what a killed run would leave.
        """
        try:
            for position, target in enumerate(self._targets):
                keep()
                now = time.monotonic()
                share = (deadline - now) / (len(self._targets) - position)
                until = min(now + max(share, LEAST_TARGET_SECONDS), deadline)
                if now >= deadline:
                    self._hear(Skipped("assayer", target.id, "the run's time budget was spent"))
                else:
                    self._examine_one(target, analyzers, until)
                raise_pending()
            self._interrupted = False
        except KeyboardInterrupt:
            acknowledge_interrupt()

    def _examine_one(self, target: Target, analyzers: Sequence[Analyzer], deadline: float) -> None:
        self._listener.examining(target)
        self._under_way = target.id
        before = BaseTarget(self._laboratory, target, self._changes.changes)
        bench = self._bench(self._laboratory, target, deadline, before)
        confirmer = Confirmer(self._laboratory, target, before, self._reached.finding)
        with ExitStack() as stack:
            stack.callback(self._note, target, bench)
            stack.callback(bench.close)
            stack.callback(confirmer.close)
            stack.callback(before.close)
            for verdict in examine(analyzers, target, bench):
                if isinstance(verdict, Finding) and self._blocks_already(verdict):
                    continue
                settled = self._settled(verdict, target, confirmer, bench)
                if settled is not None:
                    self._hear(settled)
            self._coverage[target.id] = bench.coverage()
            self._hear_undecided(target, bench)
            if self._reached.target(target):
                for finding in BaseExplorer(target, bench, before).fixed(confirmer.is_fixed):
                    self._hear(finding)
        self._under_way = ""

    def _settled(
        self, verdict: Verdict, target: Target, confirmer: Confirmer, bench: SandboxExecutor
    ) -> Verdict | None:
        """The verdict as it may be reported: a finding only when confirmed."""
        if isinstance(verdict, Skipped):
            for met, said in bench.undecided.items():
                if met in verdict.reason:
                    reason = verdict.reason.replace(met, said)
                    return replace(verdict, reason=reason, our_fault=True)
            return verdict
        if not isinstance(verdict, Finding):
            return verdict
        if verdict.status is Status.FIXED:
            return verdict if confirmer.is_fixed(verdict) else None
        try:
            return confirmer.confirmed(verdict, bench.history)
        except (GuestFailure, TargetNotLoaded) as error:
            return Broken(verdict.analyzer, target.id, f"could not confirm {verdict.rule}: {error}")

    def _hear_undecided(self, target: Target, bench: SandboxExecutor) -> None:
        """Say what a limit of ours kept from being decided, where nothing has said it."""
        said = [skipped.reason for skipped in self._skipped if skipped.target == target.id]
        for reason in bench.undecided.values():
            if not any(reason in each for each in said):
                self._hear(Skipped("assayer", target.id, f"undecided: {reason}", our_fault=True))

    def _blocks_already(self, finding: Finding) -> bool:
        """Return whether another target has shown it as gravely as can be.

        Else it is confirmed here too: a target must not play another's down.
        """
        known = self._findings.get(_finding_key(finding))
        return known is not None and _severity(known) == _MOST_SEVERE

    def _hear(self, verdict: Verdict) -> None:
        match verdict:
            case Finding():
                known = self._findings.get(_finding_key(verdict))
                if known is not None and _severity(known) >= _severity(verdict):
                    return
                if self._is_explained(verdict):
                    return
                self._findings[_finding_key(verdict)] = verdict
            case Skipped():
                if verdict in self._skipped:
                    return
                self._skipped.append(verdict)
            case Broken():
                self._broken.append(verdict)
            case LibraryBug():
                self._appendix.setdefault(verdict.identity, verdict)
                return
        self._listener.found(verdict)

    def _is_explained(self, finding: Finding) -> bool:
        """Return whether another finding tells of its cause; what it explains itself is dropped.

        One that weighs less explains nothing away.
        """
        others = list(self._findings.values())
        for other in others:
            if explains(finding, other) and _severity(finding) >= _severity(other):
                del self._findings[_finding_key(other)]
        return any(
            explains(other, finding) and _severity(other) >= _severity(finding) for other in others
        )

    def _note(self, target: Target, bench: SandboxExecutor) -> None:
        self._tallies[target.id] = bench.tally()
        self._coverage.setdefault(target.id, bench.coverage())
        if bench.standins:
            names = ", ".join(bench.standins)
            self._notes[f"{target.path}: stand-ins replaced what is not installed: {names}"] = None
        self._notes.update(dict.fromkeys(f"{target.path}: {note}" for note in bench.notes))
        if bench.outside:
            asked = ", ".join(list(bench.outside)[:MOST_ADDRESSES])
            said = f"{target.id}: asked addresses that are no described ML API: {asked}"
            self._notes[said] = None

    def report(self, configuration: Configuration, seconds: float, *notes: str) -> Report:
        """The report on everything that was done, with ``notes`` on its circumstances."""
        findings = without_duplicates(tuple(self._findings.values()), self._laboratory.head.texts)
        ignored = ignored_findings(findings, configuration, self._laboratory.head.texts)
        return Report(
            repository=self._changes.repository,
            base=self._changes.base,
            head=self._changes.head,
            conclusion=self._conclusion(findings, configuration, ignored),
            targets=tuple((target, self._tally(target)) for target in self._targets),
            findings=findings,
            skipped=tuple(self._skipped),
            broken=(*self._broken, *self._outages()),
            cost=self._cost(seconds),
            environment=(*notes, *self._laboratory.describe(), *self._notes),
            ignored=ignored,
            partial=self._partial,
            interrupted=self._interrupted,
            appendix=tuple(self._appendix.values()),
        )

    @property
    def _partial(self) -> bool:
        """Return whether something was left unexamined."""
        short = any(each.out_of_time or each.refused for each in self._coverage.values())
        return self._interrupted or short or len(self._coverage) < len(self._targets)

    def _tally(self, target: Target) -> TargetCounters:
        """Return what was done for a target, and whether that tested it."""
        tally = self._tallies.get(target.id, TargetCounters())
        said: list[Skipped | Broken] = [*self._skipped, *self._broken]
        own = [each for each in said if each.target == target.id]
        coverage = self._coverage.get(target.id, Coverage())
        if self._interrupted and (target.id not in self._coverage or target.id == self._under_way):
            coverage = replace(coverage, interrupted=True)
        answer, reasons = assess(tally.executions, coverage, [*self._findings.values(), *own])
        return replace(tally, tested=answer, reasons=reasons)

    def _conclusion(
        self,
        findings: Sequence[Finding],
        configuration: Configuration,
        ignored: dict[str, JsonObject],
    ) -> Conclusion:
        return conclude(
            [*findings, *self._skipped, *self._broken, *self._outages()],
            tested=[self._tally(target).tested for target in self._targets],
            gate=Conclusion(configuration.gate),
            ignored=ignored,
            partial=self._partial,
        )

    def _outages(self) -> list[Broken]:
        laboratory = self._laboratory
        return [
            *(Broken("engines", "", reason) for reason in laboratory.broker.outages),
            *(Broken("sources", "", reason) for reason in laboratory.sources.outages),
        ]

    def _cost(self, seconds: float) -> Cost:
        counters = self._laboratory.broker
        return Cost(
            seconds=round(seconds, 3),
            executions=sum(tally.executions for tally in self._tallies.values()),
            api_calls=counters.calls,
            api_calls_cached=counters.cached,
            api_calls_refused=counters.refused,
            dollars=round(counters.dollars, 6),
        )
