"""The examination of a change's targets, and its report."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from math import inf

from analyzers.catalogue import asks_cloud
from analyzers.coverage import assess, conclude
from analyzers.detection import DetectionResult
from analyzers.pipeline import (
    examine,
    explains,
    settle,
    settle_and_read,
    without_duplicates,
)
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
    Reason,
    Report,
    Skipped,
    Status,
    Target,
    TargetCounters,
    Verdict,
)
from worker.check.base_comparison import FindingReach
from worker.check.check_plan import CheckListener
from worker.check.ignored_findings import ignored_findings
from worker.check.result_cache import ResultCache
from worker.check.result_codec import TargetResult
from worker.check.side_by_side import Over, SideBySide
from worker.check.target_examination import (
    CompletedTarget,
    ExaminationEvent,
    ExaminedTarget,
    ExecutorFactory,
    SettledCoverage,
    SettledVerdict,
    TargetExamination,
)
from worker.check.witness_notes import with_witness_note
from worker.executor.execution_context import ExecutionContext
from worker.executor.sandbox_executor import SandboxExecutor
from worker.settings.repository_configuration import Configuration
from worker.system.interruption import acknowledge_interrupt, raise_pending
from worker.system.tracing import phase

LEAST_TARGET_SECONDS, LEAST_CLOUD_SECONDS = 20.0, 8.0
MARGIN_SECONDS = 5.0
"""What they may take beyond the run's budget, for what was found in its last second."""
KEEPING_SHARE = 0.05
"""The part of the time that partial reports may take."""
SPENT = "the run's time budget was spent"


_MOST_SEVERE = (True, True, True)


def _severity(finding: Finding) -> tuple[bool, bool, bool]:
    """Findings in the order in which they weigh: new ones, failures, fixed ones last."""
    there = finding.status is not Status.FIXED
    return finding.status is Status.NEW, there, finding.level is Level.FAILURE


def _is_nearer(finding: Finding, known: Finding) -> bool:
    """Return whether a finding alone is of the target that it places itself in."""
    return finding.target == finding.symbol and known.target != known.symbol


def _is_better(finding: Finding, known: Finding) -> bool:
    """Return whether a finding weighs more than the same one of another target, or is nearer."""
    ours, theirs = _severity(finding), _severity(known)
    return ours > theirs or (ours == theirs and _is_nearer(finding, known))


_FindingKey = tuple[str, str, int]


def _finding_key(finding: Finding) -> _FindingKey:
    """Return what makes two findings one: the same fingerprint at the same line."""
    return finding.fingerprint, finding.path, finding.line


def _executions(tallies: Sequence[TargetCounters]) -> int:
    """Return the executions of all targets; those of the project's programs are shared."""
    own = sum(each.executions - each.driven.runs for each in tallies)
    return own + max((each.driven.runs for each in tallies), default=0)


class _PacedKeeping:
    """Keeps partial reports as often as their share of the time allows."""

    def __init__(self, keep: Callable[[], None]) -> None:
        self._keep = keep
        self._next = 0.0

    def __call__(self) -> None:
        began = time.monotonic()
        if began >= self._next:
            self._keep()
            now = time.monotonic()
            self._next = now + (now - began) / KEEPING_SHARE


def _weight(target: Target) -> float:
    """Return how much time a target has beside others: what changed itself tells most."""
    return 2.0 if target.reason is Reason.CHANGED else 1.0


class _Shares:
    """The time of each of ``targets`` until the deadline of all, ``jobs`` at a time."""

    def __init__(self, targets: Sequence[Target], deadline: float, jobs: int) -> None:
        self.targets = targets
        self.deadline = deadline
        self._jobs = jobs

    def until(self, position: int) -> float | None:
        """Return the deadline of the target at a place that begins now; ``None``: none is left."""
        now = time.monotonic()
        if now >= self.deadline:
            return None
        beside = min(position, self._jobs - 1)
        left = [_weight(each) for each in self.targets[position - beside :]]
        part = _weight(self.targets[position]) / sum(left)
        share = (self.deadline - now) * min(1.0, min(self._jobs, len(left)) * part)
        is_cloud = asks_cloud(self.targets[position])
        least = LEAST_CLOUD_SECONDS if is_cloud else LEAST_TARGET_SECONDS
        return min(now + max(share, least), self.deadline)


class _InOrder:
    """Events of targets, taken in the targets' order: those of the first at once."""

    def __init__(
        self,
        targets: Sequence[Target],
        take: Callable[[Target, ExaminationEvent], None],
        end: Callable[[Target], None],
    ) -> None:
        self._targets = targets
        self._take = take
        self._end = end
        self._first = 0
        self._over: set[int] = set()
        self._waiting: dict[int, list[ExaminationEvent]] = {}

    def add(self, position: int, event: ExaminationEvent | Over) -> None:
        """Take an event when its turn has come; raise what a target's work ended with."""
        if isinstance(event, Over):
            if event.error is not None:
                raise event.error
            self._over.add(position)
        else:
            self._waiting.setdefault(position, []).append(event)
        while self._first < len(self._targets):
            self._take_those_of(self._first)
            if self._first not in self._over:
                break
            self._end(self._targets[self._first])
            self._first += 1

    def take_all(self) -> None:
        """Take what waits, in order."""
        for position in sorted(self._waiting):
            self._take_those_of(position)
            if position in self._over:
                self._end(self._targets[position])

    def _take_those_of(self, position: int) -> None:
        waiting = self._waiting.get(position, [])
        while waiting:
            self._take(self._targets[position], waiting.pop(0))


class TargetExaminer:
    """All targets of a change, as far as they were examined.

    ``bench`` makes their benches; they are examined in ``order``, as many at a time as the
    laboratory's place says, and reported in their own: the same report whichever is over first.
    ``results`` of runs before are taken for those that nothing has changed for.
    """

    def __init__(
        self,
        laboratory: ExecutionContext,
        changes: ChangeSet,
        found: DetectionResult,
        listener: CheckListener,
        bench: ExecutorFactory = SandboxExecutor,
        order: Sequence[Target] | None = None,
        results: ResultCache | None = None,
    ) -> None:
        self._laboratory = laboratory = replace(laboratory, targets=found.targets)
        self._changes = changes
        self._targets = found.targets
        self._order = found.targets if order is None else tuple(order)
        self._results = results or ResultCache()
        self._jobs = laboratory.place.parallel
        self._keep = _PacedKeeping(lambda: None)
        self._deadline = inf
        self._listener = listener
        self._bench = bench
        self._reached = FindingReach(laboratory, changes)
        self._tallies: dict[str, TargetCounters] = {}
        self._coverage: dict[str, Coverage] = {}
        self._findings: dict[_FindingKey, Finding] = {}
        self._skipped = dict.fromkeys((*changes.skipped, *found.skipped))
        self._broken: list[Broken] = []
        self._appendix: dict[tuple[str, ...], LibraryBug] = {}
        self._notes: dict[str, None] = {}
        self._heard: dict[str, list[Verdict]] = {}
        self._told: dict[str, tuple[str, ...]] = {}
        self._shared: set[str] = set()
        self._under_way: set[str] = set()
        self._interrupted = True

    def hear(self, findings: Sequence[Finding]) -> None:
        """Take findings that stand without a run."""
        for finding in findings:
            self._hear(finding)

    def examine(
        self,
        analyzers: Sequence[Analyzer],
        deadline: float,
        keep: Callable[[], None] = lambda: None,
    ) -> None:
        """Examine the targets until ``deadline`` or Ctrl-C.

        ``deadline`` is a time of ``time.monotonic``; what it leaves of the
        budget is shared by the targets that are left, but for those whose result is
        known: what changed has more.  ``keep`` is called between targets, with what a
        killed run would leave.
        """
        self._keep = _PacedKeeping(keep)
        examination = TargetExamination(
            self._laboratory, self._changes.changes, self._reached, self._bench, analyzers
        )
        self._deadline = deadline
        try:
            unknown = self._unknown(deadline)
            with phase("study"):
                unknown = examination.study(unknown, (deadline, deadline + MARGIN_SECONDS))
            shares = _Shares(unknown, deadline, self._jobs)
            if self._jobs > 1 and len(shares.targets) > 1:
                self._examine_together(examination, shares)
            else:
                self._examine_in_turn(examination, shares)
            self._interrupted = False
        except KeyboardInterrupt:
            acknowledge_interrupt()

    def _examine_in_turn(self, examination: TargetExamination, shares: _Shares) -> None:
        for position, target in enumerate(shares.targets):
            self._begin(target)
            self._examine_one(
                examination,
                shares,
                position,
                partial(self._take, target),
                self._blocks_already,
            )
            self._end(target)
            raise_pending()

    def _examine_together(self, examination: TargetExamination, shares: _Shares) -> None:
        """Examine in threads, and take what they tell in the order of the targets."""
        together: SideBySide[Target, ExaminationEvent] = SideBySide(
            shares.targets,
            self._jobs,
            lambda position, _, tell: self._examine_one(examination, shares, position, tell),
        )
        told = _InOrder(shares.targets, self._take, self._end)
        try:
            for position, event in together.events(self._begin):
                told.add(position, event)
                raise_pending()
        except BaseException:
            self._laboratory.stop()
            for position, event in together.rest():
                if not (isinstance(event, Over) and event.error):
                    told.add(position, event)
            told.take_all()
            raise

    def _examine_one(
        self,
        examination: TargetExamination,
        shares: _Shares,
        position: int,
        tell: Callable[[ExaminationEvent], None],
        is_known: Callable[[Finding], bool] = lambda _: False,
    ) -> None:
        target = shares.targets[position]
        until = shares.until(position)
        look = examine
        last = shares.deadline + MARGIN_SECONDS
        if until is None:
            tell(SettledVerdict(Skipped("assayer", target.id, SPENT)))
            look = settle if time.monotonic() >= last else settle_and_read
        with phase("examine", target=target.id):
            examination.examine(
                target,
                look,
                (shares.deadline if until is None else until, last),
                tell,
                is_known,
            )

    def _begin(self, target: Target) -> None:
        if time.monotonic() >= self._deadline:
            return
        self._keep()
        self._listener.examining(target)
        self._under_way.add(target.id)

    def _end(self, target: Target) -> None:
        self._under_way.discard(target.id)
        if self._jobs > 1:
            self._keep()

    def _unknown(self, deadline: float) -> list[Target]:
        """Hear the results that are known; return the targets without one, in order."""
        share = (deadline - time.monotonic()) / max(1, len(self._order))
        unknown: list[Target] = []
        for target in self._order:
            known = self._results.take(target, share)
            if known is None:
                unknown.append(target)
                continue
            for verdict in known.verdicts:
                self._hear(verdict)
            self._tallies[target.id] = replace(known.counters, cached=True)
            self._coverage[target.id] = known.coverage
            self._notes.update(dict.fromkeys(known.notes))
        return unknown

    def _take(self, target: Target, event: ExaminationEvent) -> None:
        """Take what the examination of a target tells."""
        match event:
            case SettledVerdict(verdict, of):
                if of is not None and self._blocks_already(of):
                    if self._findings[_finding_key(of)].target != target.id:
                        self._shared.add(target.id)
                elif verdict is not None:
                    self._heard.setdefault(target.id, []).append(verdict)
                    self._hear(verdict)
            case SettledCoverage(coverage, undecided):
                self._coverage[target.id] = coverage
                self._hear_undecided(target, undecided)
            case ExaminedTarget(counters, coverage, notes):
                self._tallies[target.id] = counters
                self._coverage.setdefault(target.id, coverage)
                self._notes.update(dict.fromkeys(notes))
                self._told[target.id] = notes
            case CompletedTarget():
                self._keep_result(target, event)

    def _keep_result(self, target: Target, ended: CompletedTarget) -> None:
        heard = tuple(self._heard.get(target.id, ()))
        if Skipped("assayer", target.id, SPENT) in heard:
            return
        result = TargetResult(
            verdicts=heard,
            counters=self._tallies[target.id],
            coverage=self._coverage[target.id],
            notes=self._told[target.id],
            allotted=ended.allotted,
            seconds=ended.seconds,
        )
        shared = target.id in self._shared
        decided = not (shared or ended.is_limited or self._outages())
        self._results.keep(target, result, decided=decided)

    def _hear_undecided(self, target: Target, undecided: Mapping[str, str]) -> None:
        """Say what a limit of ours kept from being decided, where nothing has said it."""
        said = [skipped.reason for skipped in self._skipped if skipped.target == target.id]
        for reason in undecided.values():
            if not any(reason in each for each in said):
                self._hear(Skipped("assayer", target.id, f"undecided: {reason}", our_fault=True))

    def _blocks_already(self, finding: Finding) -> bool:
        """Return whether another target has shown it as gravely as can be.

        Else it is confirmed here too: a target must not play another's down.
        """
        known = self._findings.get(_finding_key(finding))
        if known is None or _severity(known) != _MOST_SEVERE:
            return False
        return not _is_nearer(finding, known)

    def _hear(self, verdict: Verdict) -> None:
        match verdict:
            case Finding():
                known = self._findings.get(_finding_key(verdict))
                if known is not None and not _is_better(verdict, known):
                    return
                if self._is_explained(verdict):
                    return
                self._findings[_finding_key(verdict)] = verdict
            case Skipped():
                if verdict in self._skipped:
                    return
                self._skipped[verdict] = None
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

    def report(self, configuration: Configuration, seconds: float, *notes: str) -> Report:
        """The report on everything that was done, with ``notes`` on its circumstances."""
        findings = without_duplicates(tuple(self._findings.values()), self._laboratory.head.texts)
        counted = self._counted()
        findings = tuple(with_witness_note(each, counted, self._skipped) for each in findings)
        ignored = ignored_findings(findings, configuration, self._laboratory.head.texts)
        return Report(
            repository=self._changes.repository,
            base=self._changes.base,
            head=self._changes.head,
            conclusion=self._conclusion(findings, configuration, ignored, counted),
            targets=tuple((target, counted[target.id]) for target in self._targets),
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

    def _counted(self) -> dict[str, TargetCounters]:
        """Return the counters of each target, by its id."""
        said: dict[str, list[Skipped | Broken]] = {}
        both: list[Skipped | Broken] = [*self._skipped, *self._broken]
        for each in both:
            said.setdefault(each.target, []).append(each)
        return {target.id: self._tally(target, said.get(target.id, ())) for target in self._targets}

    def _tally(self, target: Target, own: Sequence[Skipped | Broken]) -> TargetCounters:
        """Return what was done for a target, and whether that tested it."""
        tally = self._tallies.get(target.id, TargetCounters())
        coverage = self._coverage.get(target.id, Coverage())
        if self._interrupted and (target.id not in self._coverage or target.id in self._under_way):
            coverage = replace(coverage, interrupted=True)
        answer, reasons = assess(tally.executions, coverage, [*self._findings.values(), *own])
        return replace(tally, tested=answer, reasons=reasons)

    def _conclusion(
        self,
        findings: Sequence[Finding],
        configuration: Configuration,
        ignored: dict[str, JsonObject],
        counted: Mapping[str, TargetCounters],
    ) -> Conclusion:
        return conclude(
            [*findings, *self._skipped, *self._broken, *self._outages()],
            tested=[each.tested for each in counted.values()],
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
            executions=_executions([e for e in self._tallies.values() if not e.cached]),
            api_calls=counters.calls,
            api_calls_cached=counters.cached,
            api_calls_refused=counters.refused,
            dollars=round(counters.dollars, 6),
        )
