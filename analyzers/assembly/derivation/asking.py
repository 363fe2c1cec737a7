"""Nodes whose kind depends on what comes of a block alone, until that is known."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from analyzers.assembly.derivation.alone import compared, heard
from analyzers.assembly.derivation.judging import kind_of
from analyzers.assembly.derivation.mutating import Child, Mutating
from analyzers.assembly.derivation.nouns import Alone
from analyzers.vocabulary import Assembled


@dataclass(frozen=True, slots=True)
class Judged:
    """A node that has been run, and what is said of it."""

    child: Child
    number: int
    outcome: Assembled
    kind: str
    alone: Alone | None = None


class Asking:
    """Collects questions, and answers them when their texts have been run."""

    def __init__(self, mutating: Mutating) -> None:
        self._mutating = mutating
        self._open: list[tuple[Child, int, Assembled]] = []

    def ask(self, child: Child, number: int, outcome: Assembled) -> None:
        """Ask what comes of the block of a node alone."""
        self._open.append((child, number, outcome))

    def texts(self) -> list[str]:
        """What has to be run for the open questions."""
        return [self._mutating.question(child) for child, _, _ in self._open]

    def answered(self, outcomes: Sequence[Assembled]) -> Iterator[Judged]:
        """The nodes that were asked about, given the states of :meth:`texts`."""
        asked, self._open = self._open, []
        for (child, number, outcome), told in zip(asked, outcomes, strict=True):
            negative = child.mutant.change.negative
            state = heard(told) if negative else compared(told)
            kind = kind_of(outcome, child.parent.node.outcome, negative=negative, alone=state)
            yield Judged(child, number, outcome, kind, state)
