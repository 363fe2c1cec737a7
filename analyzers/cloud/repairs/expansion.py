"""Label changes that let a branch see more of its inputs (Keeper, section 4.2)."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TypeVar

from analyzers.cloud.statistics import f1_score, precision


@dataclass(frozen=True, slots=True)
class Observation:
    """One input: what the API answered, and what the branch made of it."""

    labels: tuple[str, ...]
    meant: bool
    reached: bool


@dataclass(frozen=True, slots=True)
class Standing:
    """How a branch does on some inputs."""

    meant: int
    hits: int
    false_hits: int

    @property
    def recall(self) -> float:
        """The share of the meant inputs that reach the branch."""
        return self.hits / self.meant if self.meant else 0.0

    @property
    def precision(self) -> float:
        """The share of the inputs in the branch that were meant for it."""
        return precision(self.hits, self.false_hits)

    @property
    def f1(self) -> float:
        """The harmonic mean of precision and recall."""
        return f1_score(self.precision, self.recall)

    @classmethod
    def of(cls, observations: Sequence[Observation], added: Sequence[str] = ()) -> Standing:
        """Count how the branch would do with the added labels."""
        more = {label.casefold() for label in added}
        reached = [
            observation.meant
            for observation in observations
            if observation.reached or any(label.casefold() in more for label in observation.labels)
        ]
        meant = sum(observation.meant for observation in observations)
        return cls(meant, sum(reached), len(reached) - sum(reached))


_Seen = TypeVar("_Seen", bound=Observation)


def halves(observations: Sequence[_Seen]) -> tuple[list[_Seen], list[_Seen]]:
    """Split observations, the meant and the others each, by turns: to choose on, to check on."""
    chosen: list[_Seen] = []
    checked: list[_Seen] = []
    for meant in (True, False):
        alike = [each for each in observations if each.meant is meant]
        chosen += alike[::2]
        checked += alike[1::2]
    return chosen, checked


def expand_labels(
    observations: Sequence[Observation],
    original: Sequence[str],
    threshold: float,
    related: Callable[[str, str], bool],
) -> tuple[str, ...]:
    """Add related labels, best first, while they raise recall and keep F1.

    Stops when the recall reaches ``threshold``; nothing when no label is
    worth adding.  Candidates are the labels of the meant inputs that missed
    the branch, if related to one of the original ones.
    """
    known = {label.casefold() for label in original}
    missed = {
        label.casefold(): label
        for observation in observations
        if observation.meant and not observation.reached
        for label in observation.labels
    }
    candidates = [
        label
        for folded, label in missed.items()
        if folded not in known and any(related(word, label) for word in original)
    ]
    added: list[str] = []
    standing = Standing.of(observations)
    while standing.recall < threshold:
        steps = [(Standing.of(observations, [*added, label]), label) for label in candidates]
        better = [
            (step, label)
            for step, label in steps
            if step.recall > standing.recall and step.f1 >= standing.f1
        ]
        if not better:
            break
        standing, label = max(better, key=lambda pair: (pair[0].recall, pair[0].f1))
        added.append(label)
    return tuple(added)
