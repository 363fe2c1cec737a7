"""Nodes whose kind depends on what comes of a block alone, until that is known."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from analyzers.assembly.derivation.alone import heard
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
        self._places: dict[tuple[int, int], str] = {}
        self._known: dict[tuple[int, int], Alone] = {}

    def knows(self, place: tuple[int, int], state: Alone) -> None:
        """Take what came of the block of a node in a slot, run alone."""
        self._known[place] = state

    def ask(self, child: Child, number: int, outcome: Assembled) -> None:
        """Ask about a node: its block alone, and its parent's in the same place."""
        self._open.append((child, number, outcome))
        place = child.place
        if not child.mutant.change.negative and place not in self._known:
            before = child.parent.blocks[child.mutant.block.slot]
            self._places[place] = self._mutating.alone(child.parent, before)

    def texts(self) -> list[str]:
        """What has to be run for the open questions."""
        own = [self._mutating.alone(each[0].parent, each[0].mutant.block) for each in self._open]
        return [*own, *self._places.values()]

    def answered(self, outcomes: Sequence[Assembled]) -> Iterator[Judged]:
        """The nodes that were asked about, given the states of :meth:`texts`."""
        told = [heard(each) for each in outcomes]
        asked, places = self._open, self._places
        self._open, self._places = [], {}
        self._known.update(zip(places, told[len(asked) :], strict=True))
        for (child, number, outcome), state in zip(asked, told, strict=False):
            kind = kind_of(
                outcome,
                child.parent.node.outcome,
                negative=child.mutant.change.negative,
                alone=state,
                before=self._known.get(child.place),
            )
            yield Judged(child, number, outcome, kind, state)
