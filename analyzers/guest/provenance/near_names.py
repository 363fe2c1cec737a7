"""Finds the one name that is spelled almost as another."""

from __future__ import annotations

from typing import Iterable

LEAST = 4
LONG = 6
LONGEST = 60


def near(wrong: str, candidates: Iterable[str]) -> str:
    """Return the one candidate that a slip of the pen makes of ``wrong``, or nothing.

    A slip is a letter too many or too few, another letter, or two letters that
    changed places; in a name of six letters or more two slips.  Names that differ
    in digits are other names.
    """
    if not LEAST <= len(wrong) <= LONGEST:
        return ""
    most = 1 if len(wrong) < LONG else 2
    found = {each for each in candidates if _is_slip(wrong, each, most)}
    return found.pop() if len(found) == 1 else ""


def _is_slip(wrong: str, meant: str, most: int) -> bool:
    if wrong == meant or abs(len(wrong) - len(meant)) > most:
        return False
    if [c for c in wrong if c.isdigit()] != [c for c in meant if c.isdigit()]:
        return False
    return distance(wrong, meant) <= most


def distance(one: str, other: str) -> int:
    """Count the least slips that make one name of another (optimal string alignment)."""
    rows = [list(range(len(other) + 1))]
    for i, a in enumerate(one, 1):
        row = [i]
        for j, b in enumerate(other, 1):
            cost = min(rows[-1][j] + 1, row[-1] + 1, rows[-1][j - 1] + (a != b))
            if i > 1 and j > 1 and a == other[j - 2] and one[i - 2] == b:
                cost = min(cost, rows[-2][j - 2] + 1)
            row.append(cost)
        rows.append(row)
    return rows[-1][-1]
