"""The number of inputs for a branch, and the cost of interim analyses.

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
from functools import lru_cache
from itertools import pairwise
from math import sqrt
from statistics import NormalDist

CONFIDENCE = 0.95
_QUANTILE = NormalDist().inv_cdf((1 + CONFIDENCE) / 2)


@lru_cache(maxsize=4096)
def recall_interval(successes: int, total: int) -> tuple[float, float]:
    """Return Wilson's 95 % score interval of a share, within 0 and 1.

    Nothing counted says nothing: ``(0.0, 1.0)``.  Raises ``ValueError`` for
    counts that cannot be.  Wilson (1927), Probable inference.
    """
    if not 0 <= successes <= total:
        raise ValueError(f"{successes} of {total} is no share")
    if total == 0:
        return 0.0, 1.0
    share, squared = successes / total, _QUANTILE**2
    middle = share + squared / (2 * total)
    half = _QUANTILE * sqrt(share * (1 - share) / total + squared / (4 * total**2))
    low, high = ((middle + end) / (1 + squared / total) for end in (-half, half))
    return max(0.0, min(share, low)), min(1.0, max(share, high))


@lru_cache(maxsize=4096)
def p_below(successes: int, total: int, threshold: float) -> float:
    """Return how likely so few successes are where the true share is ``threshold``.

    The p-value of the exact one-sided binomial test (Clopper and Pearson,
    1934); 1 where nothing was counted.
    """
    if total == 0:
        return 1.0
    from scipy.special import bdtr  # noqa: PLC0415 - a third of a second that only findings need

    return float(bdtr(successes, total, threshold))


def rejected(p_values: Sequence[float], alpha: float) -> list[bool]:
    """Tell which of a family of hypotheses fall, at most ``alpha`` of families wrongly.

    Holm (1979), A simple sequentially rejective multiple test procedure.
    """
    falls = [False] * len(p_values)
    order = sorted(range(len(p_values)), key=p_values.__getitem__)
    for rank, place in enumerate(order):
        if p_values[place] > alpha / (len(p_values) - rank):
            break
        falls[place] = True
    return falls


def precision(hits: int, false_hits: int) -> float:
    """Return the share of the reached that were meant; 0 when none was reached."""
    reached = hits + false_hits
    return hits / reached if reached else 0.0


def f1_score(precision: float, recall: float) -> float:
    """Return the harmonic mean of precision and recall."""
    total = precision + recall
    return 2 * precision * recall / total if total else 0.0


ERROR = 0.05
"""The share of targets at the threshold that may be called below it."""
FEWEST_INPUTS = 3
"""With fewer inputs nothing is said of a branch."""
FEWEST_TO_SPLIT = 2 * FEWEST_INPUTS
"""With fewer a repair cannot be chosen on some and checked on others."""
_WORTH_HALVING = 20


@dataclass(frozen=True, slots=True)
class InterimAnalysis:
    """A look at the branches of a target.

    ``inputs``: how many each objective has had by then; ``error``: the share of
    ``ERROR`` that it spends; ``early``: only the hopeless are told then.
    """

    inputs: int
    error: float
    early: bool = False


def schedule(inputs: int) -> tuple[InterimAnalysis, ...]:
    """Return the looks for ``--inputs``: after so many, twice and four times as many.

    Where that is many, also after half of them.
    """
    if inputs < _WORTH_HALVING:
        return (
            InterimAnalysis(inputs, 0.025),
            InterimAnalysis(2 * inputs, 0.0125),
            InterimAnalysis(4 * inputs, 0.0125),
        )
    early = InterimAnalysis(inputs // 2, 0.01, early=True)
    return (
        early,
        InterimAnalysis(inputs, 0.02),
        InterimAnalysis(2 * inputs, 0.01),
        InterimAnalysis(4 * inputs, 0.01),
    )


@dataclass(slots=True)
class ReachCount:
    """The numbers of inputs of a branch, and of those that reached it.

    ``looks`` are the numbers of inputs at which it was looked at; ``below``:
    some look found that the true share lies below the threshold.
    """

    reached: int = 0
    inputs: int = 0
    looks: list[int] = field(default_factory=list[int])
    below: bool = False

    @property
    def judged(self) -> bool:
        """Return whether there are inputs enough to say anything."""
        return self.inputs >= FEWEST_INPUTS

    def misses(self, threshold: float) -> bool:
        """Return whether fewer than the wanted share were reached."""
        return self.reached < threshold * self.inputs

    def fails(self, threshold: float) -> bool:
        """Return whether the corrected test and the 95 % interval agree that it is below."""
        return self.below and recall_interval(self.reached, self.inputs)[1] < threshold

    def wants_more(self, threshold: float, look: InterimAnalysis) -> bool:
        """Return whether more inputs could change what is to be said."""
        if not self.judged:
            return self.inputs > 0
        if not self.misses(threshold):
            return look.early
        return not self.fails(threshold) or self.inputs < FEWEST_TO_SPLIT


@dataclass(frozen=True, slots=True)
class BranchFamily:
    """The branches that are judged in one target: how many, and by which recall."""

    size: int
    threshold: float


def weigh(counts: Sequence[ReachCount], threshold: float, error: float) -> None:
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
    counts: Sequence[ReachCount], threshold: float, looks: Sequence[InterimAnalysis]
) -> Iterator[tuple[int, int]]:
    """Look at the counts of a target's branches until nothing is open.

    Yields the place of each count that is to be enlarged, and how many inputs
    each of its objectives is to have then; the caller enlarges it or cannot.  What
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
