"""Maximum weight bipartite matching by Kuhn and Munkres, with potentials, O(n^3)."""

from __future__ import annotations

import math
from typing import List, Optional, Sequence, Tuple


def assignment(weights: Sequence[Sequence[float]]) -> List[Optional[int]]:
    """For each row its column, or ``None`` where there are more rows than columns.

    The sum of the weights chosen is the largest possible among the matchings
    that leave none of the shorter side out.  All rows are of the same length.
    """
    if not weights or not weights[0]:
        return [None] * len(weights)
    if len(weights) <= len(weights[0]):
        return list(_columns(weights))
    chosen: List[Optional[int]] = [None] * len(weights)
    for column, row in enumerate(_columns(list(zip(*weights)))):
        chosen[row] = column
    return chosen


def _columns(weights: Sequence[Sequence[float]]) -> List[int]:
    """For at most as many rows as columns."""
    found = _Matching(weights)
    for row in range(1, len(weights) + 1):
        found.add(row)
    result = [0] * len(weights)
    for column, row in enumerate(found.owner[1:]):
        if row:
            result[row - 1] = column
    return result


class _Matching:
    """Potentials and the row that owns each column; row and column 0 stand for none."""

    def __init__(self, weights: Sequence[Sequence[float]]) -> None:
        self._weights = weights
        self._of_row = [0.0] * (len(weights) + 1)
        self._of_column = [0.0] * (len(weights[0]) + 1)
        self.owner = [0] * (len(weights[0]) + 1)

    def add(self, row: int) -> None:
        """Match one more row, others may move."""
        self.owner[0] = row
        column, before = self._shortest()
        while column:
            self.owner[column] = self.owner[before[column]]
            column = before[column]

    def _shortest(self) -> Tuple[int, List[int]]:
        """Grow the tree of tight edges from column 0 until it meets a free column.

        Gives that column, and for each the one before it on the path.
        """
        count = len(self.owner)
        slack, before, seen = [math.inf] * count, [0] * count, [False] * count
        here = 0
        while self.owner[here]:
            seen[here] = True
            for column in range(1, count):
                reduced = self._reduced(self.owner[here], column)
                if not seen[column] and reduced < slack[column]:
                    slack[column], before[column] = reduced, here
            here = min((c for c in range(1, count) if not seen[c]), key=slack.__getitem__)
            self._shift(slack[here], seen, slack)
        return here, before

    def _reduced(self, row: int, column: int) -> float:
        return -self._weights[row - 1][column - 1] - self._of_row[row] - self._of_column[column]

    def _shift(self, step: float, seen: List[bool], slack: List[float]) -> None:
        for column, was_seen in enumerate(seen):
            if was_seen:
                self._of_row[self.owner[column]] += step
                self._of_column[column] -= step
            else:
                slack[column] -= step
