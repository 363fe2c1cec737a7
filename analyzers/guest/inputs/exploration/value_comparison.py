"""Equality and finiteness of values, of arrays and containers too."""

from __future__ import annotations

import itertools
import math
from collections.abc import Mapping, Sequence, Set
from typing import Any, Iterator, List

from ...runtime.call_outcomes import shown

DEEPEST = 12
MOST = 10_000
_SHORT = 120


def same(left: Any, right: Any, depth: int = 0) -> bool:
    """Return whether two values have equal types and contents; NaN is equal to NaN."""
    if left is right or depth > DEEPEST:
        return True
    if type(left) is not type(right):
        return False
    if is_array(left):
        return _same_arrays(left, right)
    if isinstance(left, float):
        return left == right or (math.isnan(left) and math.isnan(right))
    if isinstance(left, (str, bytes, int, complex, Set)):
        return bool(left == right)
    return _same_parts(left, right, depth + 1)


def _same_parts(left: Any, right: Any, depth: int) -> bool:
    if isinstance(left, Mapping):
        alike = len(left) == len(right) and all(key in right for key in left)
        return alike and all(same(left[key], right[key], depth) for key in left)
    if isinstance(left, (list, tuple)):
        return len(left) == len(right) and all(same(a, b, depth) for a, b in zip(left, right))
    own = getattr(left, "__dict__", None)
    return same(own, getattr(right, "__dict__", None), depth) if own else True


def finite(value: Any) -> bool:
    """Return whether all numbers in a value are finite."""
    return all(_is_finite(each) for each in _leaves(value))


def true(value: Any) -> bool:
    """Return whether a condition's value says yes: an array does where all of it is true."""
    return bool(value.all()) if is_array(value) and value.shape != () else bool(value)


def is_array(value: Any) -> bool:
    """Return whether a value is a tensor, or an array of NumPy or JAX."""
    return hasattr(value, "dtype") and hasattr(value, "shape") and hasattr(value, "ndim")


def described(value: Any) -> str:
    """A value in a few words, an array by what it is rather than by what is in it."""
    try:
        return _described_array(value) if is_array(value) else shown(value)[:_SHORT]
    except Exception:
        return shown(value)[:_SHORT]


def _described_array(value: Any) -> str:
    shape = tuple(value.shape)
    word = "tensor" if type(value).__module__.partition(".")[0] == "torch" else "array"
    dtype = str(value.dtype).rpartition(".")[2]
    if shape == ():
        return f"a {dtype} {word} of {shown(value.tolist())[:_SHORT]}"
    return f"a {dtype} {word} of shape {shape}{_odd(value)}"


def _odd(value: Any) -> str:
    numbers = as_numpy(value)
    if numbers is None or numbers.dtype.kind not in "fc":
        return ""
    import numpy

    with_nan, with_inf = bool(numpy.isnan(numbers).any()), bool(numpy.isinf(numbers).any())
    said = [word for word, there in (("NaN", with_nan), ("infinity", with_inf)) if there]
    return f" with {' and '.join(said)} in it" if said else ""


def as_numpy(value: Any) -> Any:
    """An array as NumPy's, wherever it lies; ``None`` where it cannot be."""
    try:
        if hasattr(value, "detach"):
            value = value.detach().cpu()
            value = value.float() if str(value.dtype) == "torch.bfloat16" else value
            return value.numpy()
        import numpy

        return numpy.asarray(value)
    except Exception:
        return None


def _same_arrays(left: Any, right: Any) -> bool:
    if tuple(left.shape) != tuple(right.shape) or str(left.dtype) != str(right.dtype):
        return False
    first, second = as_numpy(left), as_numpy(right)
    if first is None or second is None:
        return True
    equal = first == second
    if first.dtype.kind in "fc":
        import numpy

        equal = equal | (numpy.isnan(first) & numpy.isnan(second))
    return bool(equal.all()) if hasattr(equal, "all") else bool(equal)


def _is_finite(value: Any) -> bool:
    if isinstance(value, (float, complex)):
        return math.isfinite(value.real) and math.isfinite(value.imag)
    found = as_numpy(value) if is_array(value) else None
    if found is None or found.dtype.kind not in "fc":
        return True
    import numpy

    return bool(numpy.isfinite(found).all())


def _leaves(value: Any) -> Iterator[Any]:
    waiting: List[Any] = [value]
    seen = 0
    while waiting and seen < MOST:
        each = waiting.pop()
        seen += 1
        if isinstance(each, Mapping):
            waiting += list(each.values())
        elif isinstance(each, (Sequence, Set)) and not isinstance(each, (str, bytes, bytearray)):
            waiting += list(itertools.islice(each, MOST))
        else:
            yield each
