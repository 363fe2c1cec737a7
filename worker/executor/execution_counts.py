"""Counts of what the host itself saw happen for one target."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field

from analyzers.coverage import asks_libraries
from analyzers.vocabulary import (
    Coverage,
    Died,
    ExecutionResult,
    ExplorationResult,
    InputArgument,
    MainBranch,
    NotRun,
    Probe,
    Raised,
    Returned,
    Run,
    Target,
    TimedOut,
    Violated,
)

MOST_ENDINGS = 3


@dataclass(slots=True)
class ExecutionCounts:
    """The runs of one target; ``answered_hits`` are points hit with answers that nobody made up."""

    target: Target
    executions: int = 0
    completed: int = 0
    answered: int = 0
    hits: set[str] = field(default_factory=set[str])
    answered_hits: set[str] = field(default_factory=set[str])
    points: frozenset[str] = frozenset()
    unreachable: set[str] = field(default_factory=set[str])
    endings: Counter[str] = field(default_factory=Counter[str])

    def ran(self, probe: Probe, run: Run) -> None:
        """Count one run of the target."""
        self.executions += 1
        self.answered += probe.script is None or not any(
            isinstance(argument, InputArgument) for argument in probe.arguments.values()
        )
        self.hits |= run.hits
        if probe.script is None:
            self.answered_hits |= run.hits
        returned = isinstance(run.ending, Returned | Violated)
        if bool(run.exchanges) or (returned and asks_libraries(self.target)):
            self.completed += 1
        else:
            self.endings[_ending(run, self.target)] += 1

    def explored(self, explored: ExplorationResult, hits: frozenset[str]) -> None:
        """Count an exploration; its runs that passed are run again, and counted then."""
        self.executions += explored.executions
        self.answered += explored.executions
        self.hits |= hits
        self.answered_hits |= hits

    def executed(self, executed: ExecutionResult) -> None:
        """Count the executions of a model."""
        self.executions += executed.executions
        self.answered += executed.executions
        self.completed += executed.executions

    def coverage(self, branches: Sequence[MainBranch]) -> Coverage:
        """Return what the runs say of the target's main branches."""
        open_ = [each for each in branches if each.point not in self.unreachable]
        reached = [each for each in open_ if each.point in self.hits]
        return Coverage(
            completed=self.completed,
            answered=self.answered,
            endings=self._endings(),
            main=len(open_),
            decided=any(hit.startswith(f"{self.target.id}#") for hit in self.hits),
            unreached=tuple(each for each in open_ if each not in reached),
            simulated=tuple(
                each for each in reached if each.on_answer and each.point not in self.answered_hits
            ),
        )

    def _endings(self) -> tuple[str, ...]:
        total = self.endings.total()
        return tuple(
            f"{'every run' if count == total else f'{count} of {total} runs'} {ending}"
            for ending, count in self.endings.most_common(MOST_ENDINGS)
        )


def _ending(run: Run, target: Target) -> str:
    match run.ending:
        case Raised(exception=exception, path=path, line=line, refusal=refusal):
            said = "was refused by the code with" if refusal else "ended with"
            return f"{said} {exception}" + (f" at {path}:{line}" if path else "")
        case Died(signal=signal):
            return f"ended the process with signal {signal}"
        case TimedOut(seconds=seconds):
            return f"took longer than {seconds:g} s"
        case Returned() | Violated():
            return f"returned before it called {' or '.join(target.apis)}"
        case NotRun(reason=reason):
            return f"could not begin: {reason}"
