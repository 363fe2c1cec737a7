"""How far two results of one computation may lie apart.

The bound of an element is that of floating-point summation: the unit of the
coarsest dtype involved, times the magnitude of what was summed, times the
square root of how many were (errors of rounding are independent).
"""

from __future__ import annotations

from dataclasses import dataclass
from math import sqrt
from typing import Any, Dict, Tuple


class _Missing:
    def __repr__(self) -> str:
        return "MISSING"


MISSING: Any = _Missing()
"""No result, where ``None`` is one."""

FAR = 20.0
"""How many times farther from the float64 result the wrong one is than the right one."""

_UNITS: Dict[str, Tuple[float, float, float]] = {
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
class Unit:
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
    """What is known of how two results came about.

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

    def unit(self, *dtypes: str) -> Unit:
        """The coarsest of some dtypes and of the inputs'."""
        units = [unit_of(name) for name in (*dtypes, self.coarsest) if is_inexact(name)]
        return max(units, key=lambda unit: unit.eps, default=unit_of("float64"))

    @property
    def growth(self) -> float:
        """How much summing makes of one error of rounding."""
        return sqrt(max(self.terms, 1))


def is_inexact(dtype: str) -> bool:
    """Whether numbers of a dtype are rounded."""
    return _PARTS.get(dtype, dtype) in _UNITS


def unit_of(dtype: str) -> Unit:
    """The unit of a floating or complex dtype; raises ``KeyError``."""
    return Unit(*_UNITS[_PARTS.get(dtype, dtype)])
