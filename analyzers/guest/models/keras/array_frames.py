"""Arguments and results as JSON beside arrays, so that no code travels with them."""

from __future__ import annotations

import io
import json
import struct
import time
from importlib import import_module
from typing import Any, Dict, List, Mapping, Sequence, Tuple

from ...runtime.child_processes import read_exactly

Frame = Tuple[Dict[str, Any], List[Any]]
MOST_BYTES = 1 << 31
_HEAD = struct.Struct(">QQ")


def pack_frame(message: Dict[str, Any], arrays: Sequence[Any]) -> bytes:
    """Return a frame as bytes: two lengths, JSON, an ``npz`` of the arrays by number."""
    import numpy

    body = json.dumps(message).encode()
    stored = io.BytesIO()
    named: Dict[str, Any] = {str(number): array for number, array in enumerate(arrays)}
    numpy.savez(stored, **named)
    data = stored.getvalue() if arrays else b""
    return _HEAD.pack(len(body), len(data)) + body + data


def read_frame(descriptor: int, seconds: float = -1.0) -> Frame:
    """Return the next frame; raises ``EOFError``, ``TimeoutError`` or ``ValueError``."""
    until = time.monotonic() + seconds
    waits = None if seconds < 0 else lambda: time.monotonic() < until
    body_size, data_size = _HEAD.unpack(read_exactly(descriptor, _HEAD.size, waits))
    if body_size + data_size > MOST_BYTES:
        raise ValueError("a frame without end")
    message = json.loads(read_exactly(descriptor, body_size, waits))
    data = read_exactly(descriptor, data_size, waits)
    if not data:
        return message, []
    import numpy

    with numpy.load(io.BytesIO(data), allow_pickle=False) as stored:
        return message, [stored[str(number)] for number in range(len(stored.files))]


_PLAIN = (bool, int, float, str, type(None))
_NARROW = ("bfloat16", "float8_e4m3fn", "float8_e5m2")


class NotSerializable(Exception):  # noqa: N818 - a fact about a value
    """A value that is neither plain, nor an array, nor made of such."""


def serialize(value: Any, arrays: List[Any]) -> Any:
    """Return a value as JSON, its arrays put in ``arrays``; raises :class:`NotSerializable`."""
    if isinstance(value, (list, tuple)):
        kind = "tuple" if isinstance(value, tuple) else "list"
        return {kind: [serialize(item, arrays) for item in value]}
    if isinstance(value, Mapping):
        return {
            "dict": [
                [serialize(key, arrays), serialize(item, arrays)] for key, item in value.items()
            ]
        }
    if isinstance(value, _PLAIN):
        return {"plain": value}
    dtype = str(getattr(value, "dtype", "")).rpartition(".")[2]
    array = as_array(value)
    arrays.append(array)
    place = {"array": len(arrays) - 1}
    return {**place, "dtype": dtype} if dtype in _NARROW else place


def as_array(value: Any) -> Any:
    """Return a tensor as an array, floats of at least 32 bits; raises :class:`NotSerializable`."""
    import numpy

    if hasattr(value, "detach"):
        value = value.detach().cpu()
        value = value.float() if str(value.dtype).rpartition(".")[2] in _NARROW else value
    if not hasattr(value, "dtype") or not hasattr(value, "shape"):
        raise NotSerializable(f"a {type(value).__name__} is no array")
    try:
        array = numpy.asarray(value)
    except Exception as error:
        raise NotSerializable(f"a {type(value).__name__} gives no array: {error}") from error
    if array.dtype.name in _NARROW:
        array = array.astype(numpy.float32)
    if array.dtype.kind not in "biufc":
        raise NotSerializable(f"an array of {array.dtype} is not sent")
    return array


def deserialize(tree: Mapping[str, Any], arrays: List[Any]) -> Any:
    """Return the value that a tree tells, with arrays of NumPy; narrow ones of their own dtype."""
    if "plain" in tree:
        return tree["plain"]
    if "array" in tree:
        array, dtype = arrays[tree["array"]], tree.get("dtype")
        return array if dtype is None else array.astype(getattr(import_module("ml_dtypes"), dtype))
    if "dict" in tree:
        return {deserialize(key, arrays): deserialize(item, arrays) for key, item in tree["dict"]}
    kind = "tuple" if "tuple" in tree else "list"
    items = [deserialize(item, arrays) for item in tree[kind]]
    return tuple(items) if kind == "tuple" else items


def arrays_in(value: Any) -> Tuple[Any, ...]:
    """Return the arrays in a value, in order."""
    arrays: List[Any] = []
    serialize(value, arrays)
    return tuple(arrays)
