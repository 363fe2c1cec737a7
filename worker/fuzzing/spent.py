"""What a campaign has spent, counted by the host, and the bench that counts."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace

from analyzers.vocabulary import (
    Assembled,
    Assembling,
    Coverage,
    Executed,
    Executing,
    Tally,
    Target,
)
from worker.laboratory.before import Before
from worker.laboratory.bench import SandboxBench
from worker.laboratory.laboratory import Laboratory

_REACHED = frozenset({"forward", "backward", "step"})
"""Stages of an assembled file in which its model was called."""


@dataclass(slots=True)
class Spent:
    """How many files were assembled and mutants made, and the library's APIs they reached.

    ``changed`` is told after each batch.
    """

    changed: Callable[[Spent], object] = lambda _: None
    files: int = 0
    mutants: int = 0
    executions: int = 0
    apis: set[str] = field(default_factory=set[str])

    def __str__(self) -> str:
        """``1,200 files assembled, 310 mutants in 940 executions, 57 library APIs reached``."""
        return (
            f"{self.files:,} files assembled, {self.mutants:,} mutants in"
            f" {self.executions:,} executions, {len(self.apis):,} library APIs reached"
        )

    def assembled(self, states: Sequence[Assembled]) -> frozenset[str]:
        """Count what became of a batch of files; the APIs that it reached."""
        ran = [each for each in states if each.state != "not-run"]
        self.files += len(ran)
        return self._noted(
            {a for each in ran if each.state == "ran" or each.stage in _REACHED for a in each.apis}
        )

    def executed(self, executed: Executed) -> frozenset[str]:
        """Count what became of running a model and its mutants; the APIs that it reached."""
        self.mutants += executed.mutants
        self.executions += executed.executions
        return self._noted(set(executed.apis))

    def _noted(self, apis: set[str]) -> frozenset[str]:
        self.apis |= apis
        self.changed(self)
        return frozenset(apis)


class CountingBench(SandboxBench):
    """A bench that counts what a campaign does at it, and gathers the APIs reached."""

    def __init__(
        self,
        laboratory: Laboratory,
        target: Target,
        deadline: float,
        before: Before | None = None,
        *,
        spent: Spent,
    ) -> None:
        super().__init__(laboratory, target, deadline, before)
        self._spent = spent
        self._apis: set[str] = set()

    def execute(self, target: Target, executing: Executing) -> Executed:
        """Run a model several ways on head, and count."""
        executed = super().execute(target, executing)
        self._apis |= self._spent.executed(executed)
        return executed

    def assemble(self, target: Target, assembling: Assembling) -> Sequence[Assembled]:
        """Run variants of the target's file on head, and count."""
        states = super().assemble(target, assembling)
        self._apis |= self._spent.assembled(states)
        return states

    def tally(self) -> Tally:
        """What was done, for the report."""
        return replace(super().tally(), apis=tuple(sorted(self._apis)))

    def coverage(self) -> Coverage:
        """Return how much ran: a campaign tests the library, and ends when its time is spent."""
        executions = self.tally().executions
        return Coverage(executions, executions, replaced=self.replaced)
