"""Label changes that let a branch see more of its inputs (Keeper, section 4.2)."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from analyzers.cloud.editing import Edit
from analyzers.cloud.lint import ConstantCondition, lint_condition
from analyzers.cloud.relabel import rewrite
from analyzers.cloud.statistics import f1_score, precision

__all__ = [
    "ConstantCondition",
    "Edit",
    "Expansion",
    "Observation",
    "expand_labels",
    "lint_condition",
    "rewrite",
]


@dataclass(frozen=True, slots=True)
class Observation:
    """One input: what the API answered, and what the branch made of it."""

    labels: tuple[str, ...]
    meant: bool
    reached: bool


@dataclass(frozen=True, slots=True)
class Expansion:
    """Labels worth adding, in the order of their worth, and what they bring."""

    added_labels: tuple[str, ...]
    recall_after: float
    precision_after: float


def expand_labels(
    observations: Sequence[Observation],
    original: Sequence[str],
    threshold: float,
    related: Callable[[str, str], bool],
) -> Expansion | None:
    """Add related labels, best first, while they raise recall and keep F1.

    Stops when the recall reaches ``threshold``; ``None`` when no label is
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
    standing = _Standing.of(observations, added)
    while standing.recall < threshold:
        steps = [(_Standing.of(observations, [*added, label]), label) for label in candidates]
        better = [
            (step, label)
            for step, label in steps
            if step.recall > standing.recall and step.f1 >= standing.f1
        ]
        if not better:
            break
        standing, label = max(better, key=lambda pair: (pair[0].recall, pair[0].f1))
        added.append(label)
    if not added:
        return None
    return Expansion(tuple(added), standing.recall, standing.precision)


@dataclass(frozen=True, slots=True)
class _Standing:
    recall: float
    precision: float

    @property
    def f1(self) -> float:
        return f1_score(self.precision, self.recall)

    @classmethod
    def of(cls, observations: Sequence[Observation], added: Sequence[str]) -> _Standing:
        """Count how the branch would do with the added labels."""
        more = {label.casefold() for label in added}
        reached = [
            observation
            for observation in observations
            if observation.reached or any(label.casefold() in more for label in observation.labels)
        ]
        meant = sum(observation.meant for observation in observations)
        hits = sum(observation.meant for observation in reached)
        return cls(
            hits / meant if meant else 0.0,
            precision(hits, len(reached) - hits),
        )
