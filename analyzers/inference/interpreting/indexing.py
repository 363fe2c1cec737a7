"""Items and slices of what may be sequences, shapes or tensors."""

from __future__ import annotations

from typing import Any

from .ledger import Condition, Ledger
from .sizes import Size, Var, minus
from .values import UNKNOWN, Chain, Elements, Extent, Mixed, Parameter, Shape, Tensor, sized


def item_of(ledger: Ledger, holder: Any, key: Any) -> Any:
    """``holder[key]``."""
    if isinstance(holder, Extent):
        return _extent(holder, key)
    if isinstance(holder, Parameter) and _tensorlike(key):
        holder = holder.as_tensor()
    if isinstance(holder, Parameter):
        return UNKNOWN
    if isinstance(holder, Tensor):
        return _part(ledger, holder, key if isinstance(key, tuple) else (key,))
    if isinstance(holder, list | tuple | str):
        return _sequence(holder, key)
    if isinstance(holder, dict) and isinstance(key, str | int):
        return holder.get(key, UNKNOWN)
    return UNKNOWN


def _tensorlike(key: Any) -> bool:
    """Whether only a tensor is indexed like this."""
    return isinstance(key, tuple) and any(isinstance(each, slice) or each is None for each in key)


def _extent(extent: Extent, key: Any) -> Any:
    shape = extent.tensor.shape
    if isinstance(key, int):
        found = shape.at(key)
        return UNKNOWN if found is None else found
    if isinstance(key, slice) and key.step is None:
        if shape.dims is not None and _plain(key):
            return tuple(shape.dims[key])
        if key.start is None and isinstance(key.stop, int) and key.stop >= 0:
            return tuple(shape.at(index) for index in range(key.stop))
        if key.stop is None and isinstance(key.start, int) and key.start < 0:
            return tuple(shape.at(index) for index in range(key.start, 0))
    return UNKNOWN


def _plain(key: slice) -> bool:
    return all(part is None or isinstance(part, int) for part in (key.start, key.stop, key.step))


def _sequence(holder: Any, key: Any) -> Any:
    if isinstance(key, int) and -len(holder) <= key < len(holder):
        return holder[key]
    if isinstance(key, slice) and _plain(key):
        found = holder[key]
        return Chain(found) if isinstance(holder, Chain) else found
    return UNKNOWN


def _part(ledger: Ledger, tensor: Tensor, keys: tuple[Any, ...]) -> Any:
    """A tensor indexed: each number takes a dimension away, each slice keeps one."""
    taken = sum(key is not None and key is not Ellipsis for key in keys)
    if tensor.shape.dims is None:
        if taken != len(keys) or any(isinstance(key, Tensor | Parameter) for key in keys):
            return UNKNOWN
        return _opened(ledger, tensor, keys)
    dims = tensor.shape.dims
    if taken > len(dims):
        ledger.doubt()
        return UNKNOWN
    if Ellipsis not in keys:
        keys = (*keys, Ellipsis)
    found: list[Size] = []
    at = 0
    for key in keys:
        if key is Ellipsis:
            rest = len(dims) - taken
            found += dims[at : at + rest]
            at += rest
        elif key is None:
            found.append(1)
        else:
            found += _kept(ledger, dims[at], key)
            at += 1
    return Tensor(Shape(ledger, found), _same(tensor), tensor.kind)


def _opened(ledger: Ledger, tensor: Tensor, keys: tuple[Any, ...]) -> Any:
    """A tensor of open rank, indexed from the front."""
    for index, key in enumerate(keys):
        size = tensor.shape.at(index)
        if isinstance(key, int) and size is not None:
            ledger.least(size, key + 1 if key >= 0 else -key)
    return UNKNOWN


def _same(tensor: Tensor) -> Elements:
    return Elements(tensor.elements.dtype, drawn=True)


def _kept(ledger: Ledger, size: Size, key: Any) -> list[Size]:
    """What an index leaves of a dimension."""
    if isinstance(key, slice):
        return [_sliced(ledger, size, key)]
    if isinstance(key, Tensor):
        dims = key.shape.dims
        return dims if dims is not None and key.elements.dtype != "bool" else [Var("n")]
    if isinstance(key, int) and not isinstance(key, bool):
        ledger.least(size, key + 1 if key >= 0 else -key)
        return []
    return [] if sized(key) is not None or isinstance(key, Parameter | Mixed) else [Var("n")]


def _sliced(ledger: Ledger, size: Size, key: slice) -> Size:  # noqa: PLR0911 - one for each kind of value
    start = 0 if key.start is None else sized(key.start)
    if start is None or key.step not in (None, 1):
        return Var("n")
    if key.stop is None:
        if isinstance(start, int) and start < 0:
            return -start
        return minus(size, start)
    stop = sized(key.stop)
    if stop is None:
        return Var("n")
    if isinstance(stop, int) and stop < 0:
        return minus(minus(size, -stop), start)
    if isinstance(size, int) and isinstance(stop, int) and isinstance(start, int) and start >= 0:
        return max(0, min(size, stop) - start)
    if stop != size:
        ledger.open.append(Condition(">=", size, stop, soft=True))
    return minus(stop, start)
