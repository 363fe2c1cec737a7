"""Arguments and results as JSON beside arrays, so that no code travels with them."""

from __future__ import annotations

from typing import Any, List, Mapping, Tuple

_PLAIN = (bool, int, float, str, type(None))
_NARROW = ("bfloat16", "float8_e4m3fn", "float8_e5m2")


class Untold(Exception):  # noqa: N818 - a fact about a value
    """A value that is neither plain, nor an array, nor made of such."""


def told(value: Any, arrays: List[Any]) -> Any:
    """A value as JSON; its arrays and tensors are appended to ``arrays`` as NumPy's.

    Raises :class:`Untold`.
    """
    if isinstance(value, (list, tuple)):
        kind = "tuple" if isinstance(value, tuple) else "list"
        return {kind: [told(item, arrays) for item in value]}
    if isinstance(value, Mapping):
        return {"dict": [[told(key, arrays), told(item, arrays)] for key, item in value.items()]}
    if isinstance(value, _PLAIN):
        return {"plain": value}
    return _told_array(value, arrays)


def _told_array(value: Any, arrays: List[Any]) -> Any:
    dtype = str(getattr(value, "dtype", "")).rpartition(".")[2]
    array = as_array(value)
    arrays.append(array)
    place = {"array": len(arrays) - 1}
    return {**place, "dtype": dtype} if dtype in _NARROW else place


def as_array(value: Any) -> Any:
    """A tensor of any framework as an array of NumPy; narrow floating types as float32.

    Raises :class:`Untold`.
    """
    import numpy

    if hasattr(value, "detach"):
        value = value.detach().cpu()
        value = value.float() if str(value.dtype).rpartition(".")[2] in _NARROW else value
    if not hasattr(value, "dtype") or not hasattr(value, "shape"):
        raise Untold(f"a {type(value).__name__} is no array")
    try:
        array = numpy.asarray(value)
    except Exception as error:
        raise Untold(f"a {type(value).__name__} gives no array: {error}") from error
    if array.dtype.name in _NARROW:
        array = array.astype(numpy.float32)
    if array.dtype.kind not in "biufc":
        raise Untold(f"an array of {array.dtype} is not sent")
    return array


def read(tree: Mapping[str, Any], arrays: List[Any]) -> Any:
    """The value that a tree tells, with arrays of NumPy; narrow ones of their own dtype."""
    if "plain" in tree:
        return tree["plain"]
    if "array" in tree:
        return _read_array(arrays[tree["array"]], tree.get("dtype"))
    if "dict" in tree:
        return {read(key, arrays): read(item, arrays) for key, item in tree["dict"]}
    kind = "tuple" if "tuple" in tree else "list"
    items = [read(item, arrays) for item in tree[kind]]
    return tuple(items) if kind == "tuple" else items


def _read_array(array: Any, dtype: Any) -> Any:
    if dtype is None:
        return array
    import ml_dtypes

    return array.astype(getattr(ml_dtypes, dtype))


def flat(value: Any) -> Tuple[Any, ...]:
    """The arrays in a value, in order."""
    arrays: List[Any] = []
    told(value, arrays)
    return tuple(arrays)
