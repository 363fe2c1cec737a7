"""Arguments and results as JSON beside arrays, so that no code travels with them."""

from __future__ import annotations

import io
import json
import os
import select
import struct
import time
from importlib import import_module
from typing import Any, Dict, List, Mapping, Sequence, Tuple

Frame = Tuple[Dict[str, Any], List[Any]]
MOST_BYTES = 1 << 31
_HEAD = struct.Struct(">QQ")


class PipeClosed(Exception):  # noqa: N818 - a fact about the other side
    """The other side has closed its end."""


class PipeTimeout(Exception):  # noqa: N818 - a fact about the other side
    """The other side has not answered in time."""


def pack_frame(message: Dict[str, Any], arrays: Sequence[Any]) -> bytes:
    """Return a frame as bytes: two lengths, JSON, an ``npz`` of the arrays by number."""
    import numpy

    body = json.dumps(message).encode()
    stored = io.BytesIO()
    named: Dict[str, Any] = {str(number): array for number, array in enumerate(arrays)}
    numpy.savez(stored, **named)
    data = stored.getvalue() if arrays else b""
    return _HEAD.pack(len(body), len(data)) + body + data


def write_frame(descriptor: int, frame: bytes) -> None:
    """Write all of a frame; raises :class:`PipeClosed`."""
    rest = memoryview(frame)
    try:
        while rest:
            rest = rest[os.write(descriptor, rest) :]
    except BrokenPipeError as error:
        raise PipeClosed("it no longer reads") from error


def read_frame(descriptor: int, seconds: float = -1.0) -> Frame:
    """Return the next frame, within ``seconds`` (below zero: whenever it comes).

    Raises :class:`PipeClosed`, :class:`PipeTimeout`, and ``ValueError`` for what is no frame.
    """
    until = None if seconds < 0 else time.monotonic() + seconds
    body_size, data_size = _HEAD.unpack(_exactly(descriptor, _HEAD.size, until))
    if body_size + data_size > MOST_BYTES:
        raise ValueError("a frame without end")
    message = json.loads(_exactly(descriptor, body_size, until))
    data = _exactly(descriptor, data_size, until)
    if not data:
        return message, []
    import numpy

    with numpy.load(io.BytesIO(data), allow_pickle=False) as stored:
        return message, [stored[str(number)] for number in range(len(stored.files))]


def _exactly(descriptor: int, size: int, until: Any) -> bytes:
    found = bytearray()
    while len(found) < size:
        if until is not None:
            remaining = until - time.monotonic()
            if remaining <= 0 or not select.select([descriptor], [], [], remaining)[0]:
                raise PipeTimeout("it has not answered in time")
        part = os.read(descriptor, min(size - len(found), 1 << 20))
        if not part:
            raise PipeClosed("it has closed its end")
        found += part
    return bytes(found)


_PLAIN = (bool, int, float, str, type(None))
_NARROW = ("bfloat16", "float8_e4m3fn", "float8_e5m2")


class NotSerializable(Exception):  # noqa: N818 - a fact about a value
    """A value that is neither plain, nor an array, nor made of such."""


def serialize(value: Any, arrays: List[Any]) -> Any:
    """Return a value as JSON; its arrays and tensors are appended to ``arrays`` as NumPy's.

    Raises :class:`NotSerializable`.
    """
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
    """Return a tensor of any framework as an array of NumPy; narrow floating types as float32.

    Raises :class:`NotSerializable`.
    """
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
