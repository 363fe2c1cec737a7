"""Whether an array, of whatever library, has the dtype, shape and numbers of a constraint."""

from __future__ import annotations

import sys
from typing import Any, Optional

from ..annotations.nouns import Constraint
from .comparing import as_numpy, finite
from .dimensions import Dimensions

_SAME = {
    "int": "int64",
    "long": "int64",
    "float": "float32",
    "half": "float16",
    "double": "float64",
}


def is_of(value: Any, module: str) -> bool:
    """Whether a value is an array of ``torch``, ``numpy`` or ``jax``."""
    name = {"torch": "Tensor", "numpy": "ndarray", "jax": "Array"}[module]
    kind = getattr(sys.modules.get(module), name, None)
    return isinstance(value, kind) if isinstance(kind, type) else False


def problem_of(value: Any, constraint: Constraint, known: Dimensions) -> Optional[str]:
    """Why an array does not meet a constraint; binds dimensions."""
    return (
        _dtype(value, constraint, known)
        or _shape(value, constraint, known)
        or _layout(value, constraint)
        or _numbers(value, constraint, known)
    )


def _dtype(value: Any, constraint: Constraint, known: Dimensions) -> Optional[str]:
    wanted = known.value(constraint["dtype"])
    if wanted is None:
        return None
    words = wanted if isinstance(wanted, (list, tuple)) else [wanted]
    names = [str(word).rpartition(".")[2] for word in words]
    own = str(value.dtype).rpartition(".")[2]
    if own in names or own in [_SAME.get(name) for name in names]:
        return None
    if "float" in names and own == "float64":
        return None
    return f"its dtype is {own}, not {' or '.join(names)}"


def _shape(value: Any, constraint: Constraint, known: Dimensions) -> Optional[str]:
    shape = tuple(int(size) for size in value.shape)
    problem = known.problem(shape, constraint["shape"])
    return f"its shape is {shape}: {problem}" if problem else None


def _layout(value: Any, constraint: Constraint) -> Optional[str]:
    wanted = constraint.value("requires_grad")
    if wanted is not None and bool(getattr(value, "requires_grad", False)) != wanted:
        return "it requires no gradient" if wanted else "it requires a gradient"
    if constraint.value("contiguous") and not getattr(value, "is_contiguous", lambda: True)():
        return "it is not contiguous"
    return None


def _numbers(value: Any, constraint: Constraint, known: Dimensions) -> Optional[str]:
    if constraint.value("finite") and not finite(value):
        return "it has numbers that are not finite"
    found = as_numpy(value)
    if found is None or not found.size or found.dtype.kind not in "iufb":
        return None
    return _below(found, constraint, known) or _above(found, constraint, known)


def _below(found: Any, constraint: Constraint, known: Dimensions) -> Optional[str]:
    low = _as_in(found, known.value(constraint["min"]))
    if low is None:
        return None
    least = found.min()
    fits = least > low if constraint.value("exclude_min") else least >= low
    return None if fits else f"its smallest number is {least}, the bound {low}"


def _above(found: Any, constraint: Constraint, known: Dimensions) -> Optional[str]:
    high = _as_in(found, known.value(constraint["max"]))
    if high is None:
        return None
    most = found.max()
    fits = most < high if constraint.value("exclude_max") else most <= high
    return None if fits else f"its largest number is {most}, the bound {high}"


def _as_in(found: Any, bound: Any) -> Any:
    """A bound in the precision of an array of floats: 0.1 is no float32."""
    if not isinstance(bound, (int, float)):
        return None
    return found.dtype.type(bound) if found.dtype.kind == "f" else bound
