"""Tensors in a file of PyTorch before 1.6, read without running what is in it."""

from __future__ import annotations

import io
import pickletools
from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

_ITEMS: Mapping[str, np.dtype[Any]] = {
    "torch FloatStorage": np.dtype("<f4"),
    "torch LongStorage": np.dtype("<i8"),
}
_VALUES: Mapping[str, object] = {"NONE": None, "NEWTRUE": True, "NEWFALSE": False}
_ARGUMENTS = frozenset({"LONG1", "BININT", "BININT1", "BININT2", "BINUNICODE", "GLOBAL"})
_SKIPPED = frozenset({"PROTO", "BINPERSID", "STOP"})
_MARK = object()


def read_weights(content: bytes) -> dict[str, NDArray[Any]]:
    """Return the tensors of a state dictionary by name.

    Raises ``ValueError``, ``KeyError`` or ``IndexError`` for a file of another layout.
    """
    stream = io.BytesIO(content)
    # a magic number, a protocol, the machine, the state, the order of the storages
    *_, state, order = (_parse(stream) for _ in range(5))
    entries: dict[str, Any] = dict(zip(state[2::2], state[3::2], strict=True))
    kinds: dict[str, np.dtype[Any]] = {
        storage[2]: _ITEMS[storage[1]] for _, (storage, *_) in entries.values()
    }
    storages = {key: _storage(stream, kinds[key]) for key in order}
    return {
        name: _tensor(storages[storage[2]], *layout[:3])
        for name, (_, (storage, *layout)) in entries.items()
    }


def _storage(stream: io.BytesIO, kind: np.dtype[Any]) -> NDArray[Any]:
    count = int.from_bytes(stream.read(8), "little")
    return np.frombuffer(stream.read(count * kind.itemsize), kind, count)


def _tensor(
    storage: NDArray[Any], start: int, shape: tuple[int, ...], steps: tuple[int, ...]
) -> NDArray[Any]:
    size = storage.itemsize
    last = start + sum((length - 1) * step for length, step in zip(shape, steps, strict=True))
    if not 0 <= last < len(storage):
        raise ValueError("a tensor ends outside its storage")
    bytes_ = tuple(step * size for step in steps)
    return np.lib.stride_tricks.as_strided(storage[start:], shape, bytes_, writeable=False)


def _parse(stream: io.BytesIO) -> Any:
    """Return what a pickle holds: calls and dictionaries as lists, nothing called or imported."""
    stack: list[Any] = []
    memo: dict[Any, Any] = {}
    for code, argument, _ in pickletools.genops(stream):
        if code.name in _ARGUMENTS:
            stack.append(argument)
        elif code.name in _VALUES:
            stack.append(_VALUES[code.name])
        elif code.name.endswith("BINPUT"):
            memo[argument] = stack[-1]
        elif code.name.endswith("BINGET"):
            stack.append(memo[argument])
        elif code.name not in _SKIPPED:
            _apply(code.name, stack)
    return stack[-1]


def _apply(name: str, stack: list[Any]) -> None:
    """Carry out an instruction that makes a value of those on the stack."""
    if name == "MARK":
        stack.append(_MARK)
    elif name.startswith("EMPTY_"):
        stack.append(() if name == "EMPTY_TUPLE" else [])
    elif name in {"TUPLE", "SETITEMS", "APPENDS"}:
        start = next(at for at in reversed(range(len(stack))) if stack[at] is _MARK)
        items = stack[start + 1 :]
        del stack[start:]
        stack.append(tuple(items)) if name == "TUPLE" else stack[-1].extend(items)
    elif name in {"TUPLE1", "TUPLE2", "TUPLE3"}:
        items = stack[-int(name[-1]) :]
        stack[-len(items) :] = [tuple(items)]
    elif name == "REDUCE":
        stack[-2:] = [stack[-2:]]
    elif name in {"SETITEM", "BUILD"}:
        del stack[-1 if name == "BUILD" else -2 :]
    else:
        raise ValueError(f"an instruction that no such file has: {name}")
