"""The same call in double precision."""

from __future__ import annotations

import math
from dataclasses import replace
from math import isfinite, log
from typing import Any, Iterator

from ..comparison.array_comparison import MISSING, Tolerance, unit_of
from ..comparison.result_comparison import difference
from ..library_calls import format_value
from ..relation_types import Disagreement
from .call_stability import is_well_conditioned_difference, is_well_posed
from .call_under_test import CallUnderTest
from .call_values import leaves, operands

NAME = "float64"
RELATED = "the same call on float64"


def judge(trial: CallUnderTest) -> Iterator[Disagreement]:
    """The value within the precision that its own inputs have."""
    if trial.is_open or not trial.is_rounded or not _has_rounded(trial):
        return
    if trial.precise is MISSING:
        return
    tolerance = replace(trial.tolerance, dtypes=False)
    text = difference(trial.value, trial.precise, trial.library, tolerance)
    if text is None or not _is_in_range(trial):
        return
    if is_well_conditioned_difference(trial, trial.precise, tolerance) and _is_well_posed(
        trial, tolerance
    ):
        yield trial.told(
            NAME, RELATED, (format_value(trial.value), format_value(trial.precise)), text
        )


def _is_well_posed(trial: CallUnderTest, tolerance: Tolerance) -> bool:
    """No condition makes NaN or infinity of a finite result."""
    return not _is_all_finite(trial.value) or is_well_posed(trial, tolerance)


def _is_all_finite(value: Any) -> bool:
    return all(map(_is_finite, leaves(value)))


def _has_rounded(trial: CallUnderTest) -> bool:
    """Whether numbers came of it, and not what there is to say of a dtype."""
    return any(trial.library.is_array(leaf) or type(leaf) is float for leaf in leaves(trial.value))


def _is_in_range(trial: CallUnderTest) -> bool:
    """Whether exponentials and powers of the inputs stay within the range of the dtype.

    Beyond, what is computed between may overflow though the result does not.
    A finite result needs no range.
    """
    if _is_all_finite(trial.value):
        return True
    numbers = [leaf for leaf in operands(trial.live) if type(leaf) in (int, float)]
    if not all(map(_is_finite, [*numbers, *operands(trial.live)])):
        return False
    sizes = [*map(_size, operands(trial.live)), *(abs(float(number)) for number in numbers)]
    largest = max([trial.tolerance.magnitude, *sizes])
    return bool(largest**2 < log(unit_of(trial.tolerance.coarsest).largest))


def _size(leaf: Any) -> float:
    """The magnitude of the largest of whole numbers, 0 for what is none."""
    name = str(getattr(leaf, "dtype", "")).rsplit(".", 1)[-1]
    if not name.startswith(("int", "uint")) or isinstance(leaf, type) or not hasattr(leaf, "max"):
        return 0.0
    return max(abs(float(leaf.min())), abs(float(leaf.max()))) if math.prod(leaf.shape) else 0.0


def _is_finite(leaf: Any) -> bool:
    if type(leaf) in (int, float):
        return isfinite(leaf)
    if not hasattr(leaf, "isfinite"):
        return True
    return bool(leaf.isfinite().all())
