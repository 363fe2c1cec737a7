from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from analyzers.cloud.recall_statistics import f1_score, precision, recall_interval

COUNTS = st.integers(1, 400).flatmap(lambda n: st.tuples(st.integers(0, n), st.just(n)))


@pytest.mark.parametrize(
    ("counts", "interval"),
    [((3, 10), (0.1078, 0.6032)), ((0, 10), (0.0, 0.2775)), ((10, 10), (0.7225, 1.0))],
)
def test_interval_is_wilsons(counts, interval):
    assert recall_interval(*counts) == pytest.approx(interval, abs=1e-4)


@given(COUNTS)
def test_interval_holds_the_share(counts):
    successes, total = counts
    low, high = recall_interval(successes, total)
    assert 0 <= low <= successes / total <= high <= 1


def test_nothing_counted_says_nothing():
    assert recall_interval(0, 0) == (0.0, 1.0)


@pytest.mark.parametrize("counts", [(2, 1), (-1, 5)])
def test_impossible_counts_are_refused(counts):
    with pytest.raises(ValueError, match="is no share"):
        recall_interval(*counts)


def test_f1_is_the_harmonic_mean():
    assert precision(3, 1) == 0.75
    assert precision(0, 0) == 0
    assert f1_score(0.75, 0.5) == pytest.approx(0.6)
    assert f1_score(0, 0) == 0
