"""What can be said about a share that was counted on a few inputs."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache

CONFIDENCE = 0.95


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
    from scipy.stats import binomtest  # noqa: PLC0415 - half a second that only findings need

    share = successes / total
    interval = binomtest(successes, total).proportion_ci(CONFIDENCE, method="wilson")
    return min(share, float(interval.low)), max(share, float(interval.high))


@lru_cache(maxsize=4096)
def p_below(successes: int, total: int, threshold: float) -> float:
    """Return how likely so few successes are where the true share is ``threshold``.

    The p-value of the exact one-sided binomial test (Clopper and Pearson,
    1934); 1 where nothing was counted.
    """
    if total == 0:
        return 1.0
    from scipy.stats import binomtest  # noqa: PLC0415 - half a second that only findings need

    return float(binomtest(successes, total, threshold, alternative="less").pvalue)


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
