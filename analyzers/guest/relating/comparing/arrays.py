"""Two arrays beside each other, and beside the float64 result of the same call."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Optional, Tuple

from .tolerances import FAR, Tolerance, Unit, is_inexact


@dataclass(frozen=True)
class Plain:
    """An array as NumPy has it, with the dtype that it had; Python's numbers have none."""

    dtype: str
    shape: Tuple[int, ...]
    elements: Any
    is_number: bool = False


def array_difference(
    result: Plain, expected: Plain, precise: Optional[Plain], tolerance: Tolerance
) -> Optional[str]:
    """The first difference of two arrays: of shape, of dtype, or of the worst element."""
    if tuple(result.shape) != tuple(expected.shape):
        return f"shape is {tuple(result.shape)}, expected {tuple(expected.shape)}"
    numbers = result.is_number or expected.is_number
    if tolerance.dtypes and not numbers and result.dtype != expected.dtype:
        return f"dtype is {result.dtype}, expected {expected.dtype}"
    wrong = _wrong(result, expected, precise, tolerance)
    if wrong is None or not wrong.any():
        return None
    return _told(result.elements, expected.elements, wrong)


def _wrong(result: Plain, expected: Plain, precise: Optional[Plain], tolerance: Tolerance) -> Any:
    """Where they differ, as a boolean array."""
    if not (is_inexact(result.dtype) or is_inexact(expected.dtype)):
        return _exactly(result, expected, precise)
    if object in (result.elements.dtype, expected.elements.dtype):
        return None
    unit = tolerance.unit(result.dtype, expected.dtype)
    ours, theirs = _widened(result.elements), _widened(expected.elements)
    wrong = _apart(ours, theirs, unit, tolerance)
    truth = None
    if precise is not None and precise.shape == result.shape:
        truth = _widened(precise.elements)
    if tolerance.infinite:
        wrong = wrong & ~_indeterminate(ours, theirs, truth)
    if not wrong.any() or truth is None:
        return wrong
    return wrong & _one_is_far(ours, theirs, truth, unit)


def _indeterminate(ours: Any, theirs: Any, truth: Optional[Any]) -> Any:
    """Where NaN may come of the formula: in the other result, or in ours and float64's."""
    import numpy as np

    stays = np.True_ if truth is None else np.isnan(truth)
    return np.isnan(theirs) | (np.isnan(ours) & stays)


def _exactly(result: Plain, expected: Plain, precise: Optional[Plain]) -> Any:
    """Where exact results differ; those of rounded inputs only where float64 takes a side."""
    import numpy as np

    wrong = np.asarray(result.elements != expected.elements)
    if not wrong.any() or precise is None or precise.shape != result.shape:
        return wrong
    truth = precise.elements
    return wrong & ((result.elements == truth) | (expected.elements == truth))


def _widened(elements: Any) -> Any:
    import numpy as np

    if elements.dtype.kind == "c":
        return elements.astype(np.complex128)
    return elements.astype(np.float64)


def _apart(ours: Any, theirs: Any, unit: Unit, tolerance: Tolerance) -> Any:
    """Where two results lie farther apart than rounding explains.

    Where the square of an input overflows, so may what is computed between:
    nothing is compared.
    """
    import numpy as np

    with np.errstate(all="ignore"):
        gap = np.abs(ours - theirs)
        both = np.isfinite(ours) & np.isfinite(theirs)
        sizes = np.where(both, np.maximum(np.abs(ours), np.abs(theirs)), 0.0)
        summed = max(float(sizes.max(initial=0.0)), tolerance.magnitude, 1.0)
        allowed = unit.relative * sizes + 8 * unit.eps * tolerance.growth * summed
        wrong = np.where(both, gap > allowed, ~_same_beyond(ours, theirs))
    if tolerance.magnitude > unit.largest**0.5:
        return np.zeros_like(wrong)
    return wrong & ~_overflown(ours, theirs, unit)


def _same_beyond(ours: Any, theirs: Any) -> Any:
    """Where two elements that are not both finite are the same one.

    Complex ones are where neither is finite: their parts are not determined.
    """
    import numpy as np

    if ours.dtype.kind == "c" or theirs.dtype.kind == "c":
        return ~np.isfinite(ours) & ~np.isfinite(theirs)
    return (np.isnan(ours) & np.isnan(theirs)) | (ours == theirs)


def _overflown(ours: Any, theirs: Any, unit: Unit) -> Any:
    """Where one is beyond the dtype's largest number and the other near it."""
    import numpy as np

    def near(one: Any, other: Any) -> Any:
        return np.isinf(one) & (np.abs(other) > unit.largest / 16) & np.isfinite(other)

    def clipped(one: Any, other: Any) -> Any:
        beyond = np.isfinite(one) & (np.abs(one) > unit.largest)
        return beyond & (np.abs(other) >= unit.largest / 16)

    found = near(ours, theirs) | near(theirs, ours)
    return found | clipped(ours, theirs) | clipped(theirs, ours)


def _one_is_far(ours: Any, theirs: Any, truth: Any, unit: Unit) -> Any:
    """Where one is much farther from the float64 result than the other, which is not far."""
    import numpy as np

    with np.errstate(all="ignore"):
        first, second = _error(ours, truth, unit), _error(theirs, truth, unit)
        nearer, farther = np.minimum(first, second), np.maximum(first, second)
        size = np.where(np.isfinite(truth), np.abs(truth), 0.0)
        return farther >= FAR * np.maximum(nearer, unit.eps * size)


def _error(value: Any, truth: Any, unit: Unit) -> Any:
    import numpy as np

    beyond = np.abs(truth) > unit.largest
    same = (np.isnan(value) & np.isnan(truth)) | (value == truth) | (np.isinf(value) & beyond)
    gap = np.abs(value - truth)
    return np.where(same, 0.0, np.where(np.isnan(gap), np.inf, gap))


def _told(ours: Any, theirs: Any, wrong: Any) -> str:
    """The first wrong element, in words."""
    import numpy as np

    place = tuple(int(index) for index in np.argwhere(wrong)[0]) if wrong.shape else ()
    at = f"{list(place)} is" if place else "is"
    return f"{at} {_number(ours[place])}, expected {_number(theirs[place])}"


def _number(element: Any) -> str:
    value = element.item() if hasattr(element, "item") else element
    return repr(value)
