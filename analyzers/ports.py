"""The two interfaces between analyzers and the rest of the world."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Protocol

from analyzers.vocabulary import Probe, Run, Searched, Supply, Target, Verdict, Wanted


@dataclass(frozen=True, slots=True)
class Plan:
    """How much to do: inputs per goal, the recall threshold, the seed."""

    inputs: int = 10
    recall_threshold: float = 0.75
    seed: int = 0


class Bench(Protocol):
    """The only way out of an analyzer.

    Tests give an analyzer a hand-written bench; the worker gives it the
    sandbox, the engines and the sources.
    """

    @property
    def plan(self) -> Plan:
        """How much to do."""
        ...

    def search(self, target: Target) -> Searched:
        """Look for answers that reach the target's goals."""
        ...

    def inputs(self, wanted: Wanted, count: int) -> Supply:
        """Find or make at most ``count`` inputs with the wanted reading."""
        ...

    def run(self, probes: Sequence[Probe]) -> Sequence[Run]:
        """Run the probes on head, in order; one run each."""
        ...

    def substitute(self, api: str) -> bool:
        """Whether a local engine answers in the provider's place."""
        ...

    def source(self, path: str) -> str:
        """The head text of a project file."""
        ...

    def unreachable(self, goal: str) -> None:
        """Record that no answer can reach a goal, as a proof has shown."""
        ...

    def remaining(self) -> float:
        """Seconds left for this target."""
        ...


class Analyzer(Protocol):
    """One kind of defect, and how to find it."""

    @property
    def name(self) -> str:
        """The name in reports and in ``--only``."""
        ...

    def examine(self, target: Target, bench: Bench) -> Iterator[Verdict]:
        """Yield verdicts on a target, each as soon as it stands."""
        ...
