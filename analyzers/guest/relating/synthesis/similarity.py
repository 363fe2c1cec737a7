"""How alike two parameters are (DeepREL, equations 10 to 13)."""

from __future__ import annotations

from functools import lru_cache
from typing import List

from ..nouns import Parameter

ALIKE = 0.5
"""From which name similarity on optional parameters may stand for each other."""

_SAME = (
    {"dim", "axis", "dims", "axes"},
    {"keepdim", "keepdims"},
    {"input", "self", "x", "a", "tensor", "inputs"},
    {"other", "x2", "y", "b"},
    {"tensors", "arrays", "xs", "seq"},
)


def bare(name: str) -> str:
    """A parameter's name without the stars of ``*args``."""
    return name.lstrip("*")


def of_parameters(source: Parameter, target: Parameter, positions: float) -> float:
    """Equation 10: name + types + position (already computed), each of 0 to 1."""
    return of_names(bare(source.name), bare(target.name)) + of_types(source, target) + positions


@lru_cache(maxsize=65536)
def of_names(first: str, second: str) -> float:
    """Equation 11, where names that mean the same by convention (``dim``, ``axis``) are equal."""
    if first == second or any(first in same and second in same for same in _SAME):
        return 1.0
    return 1.0 - _levenshtein(first, second) / max(len(first), len(second), 1)


def of_types(source: Parameter, target: Parameter) -> float:
    """Equation 12: the part of the source's types that the target takes; 0 where none is known."""
    if not source.types:
        return 0.0
    return len(source.types & target.types) / len(source.types)


def of_positions(first: int, second: int, longest: int) -> float:
    """Equation 13."""
    return 1.0 - abs(first - second) / max(longest, 1)


def _levenshtein(first: str, second: str) -> int:
    row: List[int] = list(range(len(second) + 1))
    for count, left in enumerate(first, 1):
        corner, row[0] = row[0], count
        for index, right in enumerate(second, 1):
            corner, row[index] = (
                row[index],
                min(row[index] + 1, row[index - 1] + 1, corner + (left != right)),
            )
    return row[-1]
