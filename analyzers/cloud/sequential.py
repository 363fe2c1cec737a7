"""How many inputs a branch is worth, and what the looks at them cost.

A group-sequential test: every look at the counts may end in "below", so the
looks share the error that one look would be allowed (Dunnett and Gent, 1977,
in the form of Bonferroni's inequality); at each look the branches of a target
are one family (Holm).  Whatever the branches have in common, a target whose
true recalls all stand at the threshold gets a wrong failure in at most
``ERROR`` of cases.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import pairwise

from analyzers.cloud.statistics import p_below, recall_interval, rejected

ERROR = 0.05
"""The share of targets at the threshold that may be called below it."""
FEWEST_INPUTS = 3
"""With fewer inputs nothing is said of a branch."""
FEWEST_TO_SPLIT = 2 * FEWEST_INPUTS
"""With fewer a repair cannot be chosen on some and checked on others."""
_WORTH_HALVING = 20


@dataclass(frozen=True, slots=True)
class Look:
    """A look at the branches of a target.

    ``inputs``: how many each wish has had by then; ``error``: the share of
    ``ERROR`` that it spends; ``early``: only the hopeless are told then.
    """

    inputs: int
    error: float
    early: bool = False


def schedule(inputs: int) -> tuple[Look, ...]:
    """Return the looks for ``--inputs``: after so many, twice and four times as many.

    Where that is many, also after half of them.
    """
    if inputs < _WORTH_HALVING:
        return Look(inputs, 0.025), Look(2 * inputs, 0.0125), Look(4 * inputs, 0.0125)
    early = Look(inputs // 2, 0.01, early=True)
    return early, Look(inputs, 0.02), Look(2 * inputs, 0.01), Look(4 * inputs, 0.01)


@dataclass(slots=True)
class Count:
    """How many inputs of a branch were seen, and how many of them reached it.

    ``looks`` are the numbers of inputs at which it was looked at; ``below``:
    some look found that the true share lies below the threshold.
    """

    reached: int = 0
    inputs: int = 0
    looks: list[int] = field(default_factory=list[int])
    below: bool = False

    @property
    def judged(self) -> bool:
        """Whether there are inputs enough to say anything."""
        return self.inputs >= FEWEST_INPUTS

    def misses(self, threshold: float) -> bool:
        """Whether fewer than the wanted share were reached."""
        return self.reached < threshold * self.inputs

    def fails(self, threshold: float) -> bool:
        """Whether the corrected test and the 95 % interval agree that it is below."""
        return self.below and recall_interval(self.reached, self.inputs)[1] < threshold

    def wants_more(self, threshold: float, look: Look) -> bool:
        """Whether more inputs could change what is to be said."""
        if not self.judged:
            return self.inputs > 0
        if not self.misses(threshold):
            return look.early
        return not self.fails(threshold) or self.inputs < FEWEST_TO_SPLIT


@dataclass(frozen=True, slots=True)
class Family:
    """The branches that are judged in one target: how many, and by which recall."""

    size: int
    threshold: float


def weigh(counts: Sequence[Count], threshold: float, error: float) -> None:
    """Look at a family of branches: mark those that lie below the threshold."""
    family = [count for count in counts if count.judged]
    values = [
        p_below(count.reached, count.inputs, threshold) if count.misses(threshold) else 1.0
        for count in family
    ]
    for count, falls in zip(family, rejected(values, error), strict=True):
        if not count.looks or count.looks[-1] != count.inputs:
            count.looks.append(count.inputs)
        clear = falls and recall_interval(count.reached, count.inputs)[1] < threshold
        count.below = count.below or clear


def rounds(
    counts: Sequence[Count], threshold: float, looks: Sequence[Look]
) -> Iterator[tuple[int, int]]:
    """Look at the counts of a target's branches until nothing is open.

    Yields the place of each count that is to be enlarged, and how many inputs
    each of its wishes is to have then; the caller enlarges it or cannot.  What
    the looks that are never taken would cost is spent by the last.
    """
    spent = 0.0
    for at, following in pairwise([*looks, None]):
        assert at is not None
        weigh(counts, threshold, at.error)
        spent += at.error
        before = [count.inputs for count in counts]
        for place, count in enumerate(counts):
            if following is not None and count.wants_more(threshold, at):
                yield place, following.inputs
        if before == [count.inputs for count in counts]:
            weigh(counts, threshold, ERROR - spent)
            return
