"""Results beside each other: tuples, dictionaries, arrays, numbers and the rest."""

from __future__ import annotations

from dataclasses import dataclass
from math import sqrt
from typing import Any, Optional

from .relation_types import Library


class _Missing:
    def __repr__(self) -> str:
        return "MISSING"


MISSING: Any = _Missing()
"""No result, where ``None`` is one."""

FAR = 20.0
"""How many times farther from the float64 result the wrong one is than the right one."""

_UNITS: dict[str, tuple[float, float, float]] = {
    "float64": (2.0**-52, 2.0**22, 1.7976931348623157e308),
    "float32": (2.0**-23, 2.0**7, 3.4028234663852886e38),
    "float16": (2.0**-10, 2.0**4, 65504.0),
    "bfloat16": (2.0**-7, 2.0**3, 3.3895313892515355e38),
    "float8_e4m3fn": (2.0**-3, 4.0, 448.0),
    "float8_e4m3fnuz": (2.0**-3, 4.0, 240.0),
    "float8_e5m2": (2.0**-2, 4.0, 57344.0),
    "float8_e5m2fnuz": (2.0**-2, 4.0, 57344.0),
}
_PARTS = {"complex128": "float64", "complex64": "float32", "complex32": "float16"}


@dataclass(frozen=True)
class FloatFormat:
    """A floating dtype: its eps, how many of them an operation may err by, its largest number."""

    eps: float
    slack: float
    largest: float

    @property
    def relative(self) -> float:
        """The relative error that one operation may have."""
        return self.eps * self.slack


@dataclass(frozen=True)
class Tolerance:
    """Allowances for the difference of two results.

    ``terms`` is how many elements one of the result may sum, ``magnitude`` the
    largest finite one among them.  ``coarsest`` is the coarsest floating dtype
    of the inputs, empty where there is none.  ``precise`` is the same call's
    result in float64, or :data:`MISSING`.  ``dtypes`` says whether other dtypes
    are a difference.  ``ties`` says that inputs have equal elements (or NaN):
    which of them an index names is then open.  ``infinite`` says that inputs
    have infinities: what is computed of them may come to NaN by one formula
    and not by another.
    """

    terms: int = 1
    magnitude: float = 0.0
    coarsest: str = ""
    precise: Any = MISSING
    dtypes: bool = True
    ties: bool = False
    infinite: bool = False

    def unit(self, *dtypes: str) -> FloatFormat:
        """Return the coarsest of some dtypes and of the inputs'."""
        units = [unit_of(name) for name in (*dtypes, self.coarsest) if is_inexact(name)]
        return max(units, key=lambda unit: unit.eps, default=unit_of("float64"))

    @property
    def growth(self) -> float:
        """Return how much summing makes of one error of rounding."""
        return sqrt(max(self.terms, 1))


def is_inexact(dtype: str) -> bool:
    """Return whether numbers of a dtype are rounded."""
    return _PARTS.get(dtype, dtype) in _UNITS


def unit_of(dtype: str) -> FloatFormat:
    """Return the unit of a floating or complex dtype; raises ``KeyError``."""
    return FloatFormat(*_UNITS[_PARTS.get(dtype, dtype)])


@dataclass(frozen=True)
class PlainArray:
    """An array as NumPy has it, with the dtype that it had; Python's numbers have none."""

    dtype: str
    shape: tuple[int, ...]
    elements: Any
    is_number: bool = False


def array_difference(
    result: PlainArray, expected: PlainArray, precise: Optional[PlainArray], tolerance: Tolerance
) -> Optional[str]:
    """Return the first difference of two arrays: of shape, of dtype, or of the worst element."""
    if tuple(result.shape) != tuple(expected.shape):
        return f"shape is {tuple(result.shape)}, expected {tuple(expected.shape)}"
    numbers = result.is_number or expected.is_number
    if tolerance.dtypes and not numbers and result.dtype != expected.dtype:
        return f"dtype is {result.dtype}, expected {expected.dtype}"
    wrong = _differing(result, expected, precise, tolerance)
    if wrong is None or not wrong.any():
        return None
    import numpy as np

    place = tuple(int(index) for index in np.argwhere(wrong)[0]) if wrong.shape else ()
    at = f"{list(place)} is" if place else "is"
    ours, theirs = (
        element.item() if hasattr(element, "item") else element
        for element in (result.elements[place], expected.elements[place])
    )
    return f"{at} {ours!r}, expected {theirs!r}"


def _differing(
    result: PlainArray, expected: PlainArray, precise: Optional[PlainArray], tolerance: Tolerance
) -> Any:
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
        import numpy as np

        stays = np.True_ if truth is None else np.isnan(truth)
        wrong = wrong & ~(np.isnan(theirs) | (np.isnan(ours) & stays))
    if not wrong.any() or truth is None:
        return wrong
    return wrong & _one_is_far(ours, theirs, truth, unit)


def _exactly(result: PlainArray, expected: PlainArray, precise: Optional[PlainArray]) -> Any:
    """Return where exact results differ; for rounded inputs where float64 takes a side."""
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


def _apart(ours: Any, theirs: Any, unit: FloatFormat, tolerance: Tolerance) -> Any:
    """Return where two results lie farther apart than rounding and overflow of squares explain."""
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
    """Return where two elements that are not both finite are the same, complex parts aside."""
    import numpy as np

    if ours.dtype.kind == "c" or theirs.dtype.kind == "c":
        return ~np.isfinite(ours) & ~np.isfinite(theirs)
    return (np.isnan(ours) & np.isnan(theirs)) | (ours == theirs)


def _overflown(ours: Any, theirs: Any, unit: FloatFormat) -> Any:
    """Return where one is beyond the dtype's largest number and the other near it."""
    import numpy as np

    def near(one: Any, other: Any) -> Any:
        return np.isinf(one) & (np.abs(other) > unit.largest / 16) & np.isfinite(other)

    def clipped(one: Any, other: Any) -> Any:
        beyond = np.isfinite(one) & (np.abs(one) > unit.largest)
        return beyond & (np.abs(other) >= unit.largest / 16)

    found = near(ours, theirs) | near(theirs, ours)
    return found | clipped(ours, theirs) | clipped(theirs, ours)


def _one_is_far(ours: Any, theirs: Any, truth: Any, unit: FloatFormat) -> Any:
    """Return where one is much farther from the float64 result than the other, which is not far."""
    import numpy as np

    with np.errstate(all="ignore"):
        first, second = _error(ours, truth, unit), _error(theirs, truth, unit)
        nearer, farther = np.minimum(first, second), np.maximum(first, second)
        size = np.where(np.isfinite(truth), np.abs(truth), 0.0)
        return farther >= FAR * np.maximum(nearer, unit.eps * size)


def _error(value: Any, truth: Any, unit: FloatFormat) -> Any:
    import numpy as np

    beyond = np.abs(truth) > unit.largest
    same = (np.isnan(value) & np.isnan(truth)) | (value == truth) | (np.isinf(value) & beyond)
    gap = np.abs(value - truth)
    return np.where(same, 0.0, np.where(np.isnan(gap), np.inf, gap))


_PLAIN_TYPES = (str, bytes, bool, int, float, complex, type(None))
_NUMBERS = {"bool": "bool", "int": "int64", "float": "float64"}
MOST_TEXT = 80


def difference(
    result: Any, expected: Any, library: Library, tolerance: Optional[Tolerance] = None
) -> Optional[str]:
    """Return how a result differs from the expected one, ``None`` where it does not.

    Tuples, lists and dictionaries are walked; arrays and numbers are compared
    within the tolerance; NaN equals NaN, zeros have no sign, infinities are
    exact.  Objects of other kinds are not told apart.  The text names the first
    place: ``[2] is 3.0, expected 4.0``.
    """
    known = tolerance or Tolerance()
    return _difference(result, expected, known.precise, (library, known))


def _difference(
    result: Any, expected: Any, precise: Any, by: tuple[Library, Tolerance]
) -> Optional[str]:
    library, tolerance = by
    ours, theirs = _plain(result, library), _plain(expected, library)
    if ours is not None and theirs is not None:
        return array_difference(ours, theirs, _plain(precise, library), tolerance)
    if isinstance(result, (tuple, list)) and isinstance(expected, (tuple, list)):
        return _of_items(result, expected, precise, by)
    if isinstance(result, dict) and isinstance(expected, dict):
        return _of_entries(result, expected, precise, by)
    comparable = _is_comparable(result, library) and _is_comparable(expected, library)
    if not comparable or _equal(result, expected):
        return None
    return f"is {_said(result)}, expected {_said(expected)}"


def _of_items(
    result: Any, expected: Any, precise: Any, by: tuple[Library, Tolerance]
) -> Optional[str]:
    if len(result) != len(expected):
        return f"has {len(result)} items, expected {len(expected)}"
    names = getattr(type(result), "_fields", None) or range(len(result))
    if by[1].ties and _is_chosen(result, by[0]):
        names = list(names)[:1]
    known = isinstance(precise, (tuple, list)) and len(precise) == len(result)
    for index, name in enumerate(names):
        part = precise[index] if known else MISSING
        found = _difference(result[index], expected[index], part, by)
        if found is not None:
            return f"item {name}: {found}"
    return None


def _is_chosen(result: Any, library: Library) -> bool:
    """Return whether these are elements and their indices, as ``sort`` and ``max`` give them."""
    if len(result) != 2:
        return False
    values, indices = _plain(result[0], library), _plain(result[1], library)
    if values is None or indices is None:
        return False
    return indices.dtype == "int64" and tuple(values.shape) == tuple(indices.shape)


def _of_entries(
    result: Any, expected: Any, precise: Any, by: tuple[Library, Tolerance]
) -> Optional[str]:
    if set(result) != set(expected):
        return f"has the keys {_said(list(result))}, expected {_said(list(expected))}"
    for key, value in result.items():
        part = precise.get(key, MISSING) if isinstance(precise, dict) else MISSING
        found = _difference(value, expected[key], part, by)
        if found is not None:
            return f"item {_said(key)}: {found}"
    return None


def _plain(value: Any, library: Library) -> Optional[PlainArray]:
    """Return an array or number, ``None`` for all else (and for arrays that cannot be read)."""
    import numpy as np

    if isinstance(value, (bool, int, float, complex)):
        dtype = _NUMBERS.get(type(value).__name__, "complex128")
        kind: Any = object if isinstance(value, int) and abs(value) >= 2**63 else None
        return PlainArray(dtype, (), np.asarray(value, dtype=kind), is_number=True)
    if not library.is_array(value):
        return None
    try:
        return PlainArray(*library.plain(value))
    except Exception:
        return None


def _is_comparable(value: Any, library: Library) -> bool:
    kinds = (*_PLAIN_TYPES, tuple, list, dict)
    return (
        isinstance(value, kinds)
        or library.is_array(value)
        or type(value).__name__ in ("dtype", "device", "layout", "memory_format")
    )


def _equal(result: Any, expected: Any) -> bool:
    if type(result) is not type(expected):
        return False
    try:
        return bool(result == expected)
    except Exception:
        return True


def _said(value: Any) -> str:
    text = repr(value)
    return text if len(text) <= MOST_TEXT else text[: MOST_TEXT - 1] + "…"
