"""Functions of torch that NumPy has too: data to be read and judged by people.

Those of the names that both have whose documentation says the same of real
numbers.  Left out are those that differ on purpose: ``sign`` and ``heaviside``
of NaN, ``angle`` of -0.0, ``lcm`` that overflows, shifts by more than there are
bits, rounding to decimals, the order of equal elements, and what is no function
of its arguments alone.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Dict, Mapping, Optional


@dataclass(frozen=True)
class Namesake:
    """A function of NumPy.

    The first ``operands`` parameters are given in their order; ``options`` are
    further ones, with what NumPy calls them; ``defaults`` are NumPy's keywords
    whose default is another one there.
    """

    function: str
    operands: int = 1
    options: Mapping[str, str] = field(default_factory=dict)
    defaults: Mapping[str, int] = field(default_factory=dict)


_OF_ONE = (
    "abs acos acosh asin asinh atan atanh bitwise_not ceil cos cosh deg2rad exp exp2 expm1 "
    "fliplr flipud floor isfinite isinf isnan isneginf isposinf log log10 log1p log2 logical_not "
    "negative rad2deg reciprocal signbit sin sinc sinh sqrt square tan tanh trace trunc"
)
_OF_TWO = (
    "add atan2 bitwise_and bitwise_or bitwise_xor copysign dot float_power fmax fmin fmod gcd "
    "greater greater_equal hypot inner kron less less_equal logaddexp logaddexp2 logical_and "
    "logical_or logical_xor matmul maximum minimum multiply not_equal outer remainder subtract "
    "true_divide vdot"
)
_REDUCING = "all any amax amin mean nansum nanmean prod sum"
_ALONG = "cumprod cumsum"
_OTHER_NAMES: Dict[str, str] = {
    "absolute": "abs",
    "arccos": "acos",
    "arccosh": "acosh",
    "arcsin": "asin",
    "arcsinh": "asinh",
    "arctan": "atan",
    "arctan2": "atan2",
    "arctanh": "atanh",
    "bmm": "matmul",
    "div": "true_divide",
    "divide": "true_divide",
    "ge": "greater_equal",
    "gt": "greater",
    "le": "less_equal",
    "lt": "less",
    "mm": "matmul",
    "mul": "multiply",
    "mv": "matmul",
    "ne": "not_equal",
    "neg": "negative",
    "sub": "subtract",
}
_AXIS = {"dim": "axis", "keepdim": "keepdims"}
_OTHERS: Dict[str, Namesake] = {
    "clamp": Namesake("clip", 3),
    "clip": Namesake("clip", 3),
    "diagonal": Namesake(
        "diagonal", options={"offset": "offset", "dim1": "axis1", "dim2": "axis2"}
    ),
    "diff": Namesake("diff", options={"n": "n", "dim": "axis"}),
    "eq": Namesake("equal", 2),
    "flip": Namesake("flip", options={"dims": "axis"}),
    "pow": Namesake("power", 2),
    "roll": Namesake("roll", options={"shifts": "shift", "dims": "axis"}),
    "rot90": Namesake("rot90", options={"k": "k", "dims": "axes"}),
    "std": Namesake("std", options=_AXIS, defaults={"ddof": 1}),
    "swapaxes": Namesake("swapaxes", options={"axis0": "axis1", "axis1": "axis2"}),
    "transpose": Namesake("swapaxes", options={"dim0": "axis1", "dim1": "axis2"}),
    "tril": Namesake("tril", options={"diagonal": "k"}),
    "triu": Namesake("triu", options={"diagonal": "k"}),
    "var": Namesake("var", options=_AXIS, defaults={"ddof": 1}),
    "where": Namesake("where", 3),
}


def _all() -> Dict[str, Namesake]:
    found = {name: Namesake(name) for name in _OF_ONE.split()}
    found.update((name, Namesake(name, 2)) for name in _OF_TWO.split())
    found.update((name, Namesake(name, options=_AXIS)) for name in _REDUCING.split())
    found.update((name, Namesake(name, options={"dim": "axis"})) for name in _ALONG.split())
    found.update((name, found[other]) for name, other in _OTHER_NAMES.items())
    return {**found, **_OTHERS}


NAMESAKES: Dict[str, Namesake] = _all()
"""By the last name of torch's function or method."""

_PLACES = ("torch.", "torch.Tensor.", "torch.special.")
_ORDERED = ("torch.Tensor.where",)
"""Their parameters have another order than the function's of that name."""


def namesake_of(api: str) -> Optional[Namesake]:
    """What NumPy has of a function or method of torch's."""
    place, _, name = api.rpartition(".")
    return NAMESAKES.get(name) if f"{place}." in _PLACES and api not in _ORDERED else None
