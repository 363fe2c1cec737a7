"""The examination of one target, told as events, so that several can go on side by side."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, replace
from itertools import chain
from typing import TypeAlias

from analyzers.pipeline import studies, study
from analyzers.ports import Analyzer, Executor
from analyzers.vocabulary import (
    Broken,
    Coverage,
    FileChange,
    Finding,
    Reason,
    Skipped,
    Status,
    Target,
    TargetCounters,
    Verdict,
)
from worker.check.base_comparison import BaseExplorer, FindingReach
from worker.executor.base_target import BaseTarget
from worker.executor.confirmation import Confirmer
from worker.executor.execution_context import ExecutionContext
from worker.executor.guest_conversation import BudgetSpent, GuestFailure, TargetNotLoaded
from worker.executor.repair_verification import RunHistory
from worker.executor.sandbox_executor import SandboxExecutor

CONFIRMING_SECONDS = 10.0
"""What confirming, base and repairs may take beyond a target's share."""
MOST_ADDRESSES = 20

ExecutorFactory = Callable[[ExecutionContext, Target, float, BaseTarget], SandboxExecutor]
Look: TypeAlias = Callable[[Sequence[Analyzer], Target, Executor], Iterator[Verdict]]


@dataclass(frozen=True, slots=True)
class SettledVerdict:
    """A verdict as it may be reported; ``of`` is the finding that it settles.

    Without a verdict there is nothing to report: ``of`` was known or was not confirmed.
    """

    verdict: Verdict | None
    of: Finding | None = None


@dataclass(frozen=True, slots=True)
class SettledCoverage:
    """The coverage when the analyzers are done; ``undecided`` are limits of ours that were met."""

    coverage: Coverage
    undecided: Mapping[str, str]


@dataclass(frozen=True, slots=True)
class ExaminedTarget:
    """The counters and circumstances of a target's runs, however its examination ended."""

    counters: TargetCounters
    coverage: Coverage
    notes: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class CompletedTarget:
    """The end of a complete examination; ``is_limited`` where limits decided something."""

    is_limited: bool
    allotted: float
    seconds: float


ExaminationEvent: TypeAlias = SettledVerdict | SettledCoverage | ExaminedTarget | CompletedTarget


def _notes(target: Target, bench: SandboxExecutor) -> Iterator[str]:
    """Yield what a report says of the circumstances of a target's runs."""
    if bench.standins:
        names = ", ".join(bench.standins)
        yield f"{target.path}: stand-ins replaced what is not installed: {names}"
    yield from (f"{target.path}: {note}" for note in bench.notes)
    if bench.outside:
        asked = ", ".join(list(bench.outside)[:MOST_ADDRESSES])
        yield f"{target.id}: asked addresses that are no described ML API: {asked}"


@dataclass(frozen=True, slots=True)
class TargetExamination:
    """Examines targets; knows of one nothing while it examines another.

    ``bench`` makes their benches.
    """

    laboratory: ExecutionContext
    changes: Sequence[FileChange]
    reached: FindingReach
    bench: ExecutorFactory
    analyzers: Sequence[Analyzer]

    def study(self, targets: Sequence[Target], until: tuple[float, float]) -> list[Target]:
        """Run what is run once for all targets, at the bench of the first that base has.

        Return the targets in the order in which to examine them.
        """
        deadline, last = until
        laboratory = self.laboratory.ending(last)
        changed = [each for each in targets if each.reason is Reason.CHANGED]
        if not changed or not studies(self.analyzers):
            return list(targets)
        files = tuple(sorted({path for each in changed for path in (each.path, *each.files)}))
        made = [(each, BaseTarget(laboratory, each, self.changes)) for each in changed]
        own = (pair for pair in made if pair[1].has_target(inherited=False))
        known = (pair for pair in made if pair[1].has_target())
        target, before = next(chain(own, known), made[0])
        bench = self.bench(laboratory, replace(target, files=files), deadline, before)
        with ExitStack() as stack:
            stack.callback(bench.close)
            stack.callback(before.release)
            bench.begin()
            before.begin()
            return study(targets, bench)

    def examine(
        self,
        target: Target,
        look: Look,
        until: tuple[float, float],
        tell: Callable[[ExaminationEvent], None],
        is_known: Callable[[Finding], bool] = lambda _: False,
    ) -> None:
        """Tell how a target fares; ``until``: its own deadline, and the last second of all.

        A finding that ``is_known`` is neither confirmed nor repaired again.
        """
        began = time.monotonic()
        deadline, last = until
        laboratory = self.laboratory.ending(min(deadline + CONFIRMING_SECONDS, last))
        before = BaseTarget(laboratory, target, self.changes)
        bench = self.bench(laboratory, target, deadline, before)
        confirmer = Confirmer(laboratory, target, before, self.reached.finding)
        with ExitStack() as stack:
            stack.callback(lambda: tell(_examined(target, bench)))
            stack.callback(bench.close)
            stack.callback(confirmer.close)
            stack.callback(before.release)
            if began < deadline:
                bench.expect()
                before.expect()
            for verdict in look(self.analyzers, target, bench):
                finding = verdict if isinstance(verdict, Finding) else None
                if finding is not None and is_known(finding):
                    tell(SettledVerdict(None, finding))
                    continue
                tell(SettledVerdict(_settled(verdict, target, confirmer, bench), finding))
            tell(SettledCoverage(bench.coverage(), bench.undecided))
            if self.reached.target(target):
                for finding in BaseExplorer(target, bench, before).fixed(confirmer.is_fixed):
                    tell(SettledVerdict(finding))
            limited = bench.is_limited
        tell(CompletedTarget(limited, deadline - began, time.monotonic() - began))


def _examined(target: Target, bench: SandboxExecutor) -> ExaminedTarget:
    return ExaminedTarget(bench.tally(), bench.coverage(), tuple(_notes(target, bench)))


def _settled(
    verdict: Verdict, target: Target, confirmer: Confirmer, bench: SandboxExecutor
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
    bench.give_back()
    return _confirmed(verdict, target, confirmer, bench.history)


def _confirmed(
    verdict: Finding, target: Target, confirmer: Confirmer, history: RunHistory
) -> Finding | Skipped | Broken:
    place = f"{verdict.rule} at {verdict.path}:{verdict.line}"
    try:
        return confirmer.confirmed(verdict, history)
    except BudgetSpent as spent:
        reason = f"{place} could not be confirmed: {spent}"
        return Skipped(verdict.analyzer, target.id, reason)
    except (GuestFailure, TargetNotLoaded) as error:
        return Broken(verdict.analyzer, target.id, f"could not confirm {verdict.rule}: {error}")
