"""Arithmetic on what may be numbers, sizes or tensors; broadcasting."""

from __future__ import annotations

import math
import operator
from typing import Any

from .abstract_values import (
    UNKNOWN,
    LayerChain,
    MixedArithmetic,
    ShapeAttribute,
    Tensor,
    TensorElements,
    TensorShape,
    Unknown,
    UntypedParameter,
    sized,
)
from .sizes import Size, SizeCondition, SizeConstraints, SizeVariable, combined, minus

_NUMBERS = {
    "+": operator.add, "-": operator.sub, "*": operator.mul, "/": operator.truediv,
    "//": operator.floordiv, "%": operator.mod, "**": operator.pow,
}  # fmt: skip
_LARGEST = 10**12


def arithmetic(ledger: SizeConstraints, symbol: str, left: Any, right: Any) -> Any:  # noqa: PLR0911 - one for each kind of value
    """``left symbol right``."""
    if isinstance(left, Tensor) or isinstance(right, Tensor):
        return elementwise(ledger, left, right)
    if isinstance(left, UntypedParameter | MixedArithmetic) or isinstance(
        right, UntypedParameter | MixedArithmetic
    ):
        return _open(ledger, symbol, left, right)
    if isinstance(left, int | float) and isinstance(right, int | float):
        return _numbers(symbol, left, right)
    if isinstance(left, list | tuple) or isinstance(right, list | tuple):
        return _sequences(symbol, left, right)
    if isinstance(left, str) and isinstance(right, str) and symbol == "+":
        return left + right
    sizes = sized(left), sized(right)
    if sizes[0] is None or sizes[1] is None or symbol not in ("+", "-", "*", "//", "%"):
        return UNKNOWN
    return combined(symbol, sizes[0], sizes[1])


def _numbers(symbol: str, left: float, right: float) -> Any:
    try:
        if symbol == "**" and abs(right) > 64:
            return UNKNOWN
        found = _NUMBERS[symbol](left, right)
    except (ArithmeticError, ValueError):
        return UNKNOWN
    small = isinstance(found, int | float) and math.isfinite(found) and abs(found) < _LARGEST
    return found if small else UNKNOWN


def _sequences(symbol: str, left: Any, right: Any) -> Any:
    if symbol == "+" and type(left) is type(right):
        return left + right
    items, count = (left, right) if isinstance(left, list | tuple) else (right, left)
    if symbol == "*" and isinstance(count, int) and 0 <= count * len(items) <= 1000:
        return items * count
    return UNKNOWN


def _open(ledger: SizeConstraints, symbol: str, left: Any, right: Any) -> Any:
    for each in (left, right):
        if isinstance(each, UntypedParameter) and each.tensor is not None:
            return elementwise(ledger, left, right)
    plain = (int, float, UntypedParameter, MixedArithmetic)
    if isinstance(left, plain) or isinstance(right, plain):
        return MixedArithmetic(symbol, left, right)
    return UNKNOWN


def tensor_of(ledger: SizeConstraints, value: Any) -> Tensor | None:
    """A value as a tensor, where it can be one; a number is none."""
    if isinstance(value, Tensor):
        return value
    if isinstance(value, UntypedParameter):
        return value.as_tensor()
    if isinstance(value, MixedArithmetic):
        found = elementwise(ledger, value.left, value.right)
        return found if isinstance(found, Tensor) else None
    return None


def elementwise(ledger: SizeConstraints, left: Any, right: Any) -> Any:
    """An operation of tensors element by element."""
    one, other = tensor_of(ledger, left), tensor_of(ledger, right)
    if isinstance(left, Unknown) or isinstance(right, Unknown):
        ledger.doubt()
        if ledger.strict:
            return UNKNOWN
    if one is None or other is None:
        known = one or other
        return (
            Tensor(known.shape, TensorElements(known.elements.dtype), known.kind)
            if known
            else UNKNOWN
        )
    elements = TensorElements(one.elements.dtype or other.elements.dtype)
    return Tensor(broadcast(ledger, one.shape, other.shape), elements, one.kind)


def broadcast(ledger: SizeConstraints, left: TensorShape, right: TensorShape) -> TensorShape:
    """The shape of both together; where one is open it is like the other."""
    mine, its = left.dims, right.dims
    if mine is None or its is None:
        left.likened = right.likened = mine is None and its is None
        left.merge(right)
        return left
    if len(mine) < len(its):
        mine, its = its, mine
    found = list(mine)
    for index in range(1, len(its) + 1):
        if 1 not in (mine[-index], its[-index]):
            ledger.equal(mine[-index], its[-index])
        found[-index] = its[-index] if mine[-index] == 1 else ledger.resolved(mine[-index])
    return TensorShape(ledger, found)


def matmul(ledger: SizeConstraints, left: Any, right: Any) -> Any:
    """``left @ right``."""
    one, other = tensor_of(ledger, left), tensor_of(ledger, right)
    if one is None or other is None:
        return UNKNOWN
    for first, second in ((one.shape, other.shape), (other.shape, one.shape)):
        if first.dims is None:
            first.close(len(second.dims) if second.dims else 2)
    mine, its = one.shape.dims or [], other.shape.dims or []
    if not mine or not its:
        return UNKNOWN
    ledger.equal(mine[-1], its[-2] if len(its) > 1 else its[0])
    elements = TensorElements(one.elements.dtype or other.elements.dtype)
    rows = mine[-2:-1] if len(mine) > 1 else []
    columns = its[-1:] if len(its) > 1 else []
    batch = (
        broadcast(ledger, TensorShape(ledger, mine[:-2]), TensorShape(ledger, its[:-2])).dims or []
    )
    return Tensor(TensorShape(ledger, [*batch, *rows, *columns]), elements, one.kind)


def item_of(ledger: SizeConstraints, holder: Any, key: Any) -> Any:
    """``holder[key]``."""
    if isinstance(holder, ShapeAttribute):
        return _extent(holder, key)
    keys = key if isinstance(key, tuple) else ()
    of_tensors = any(isinstance(each, slice) or each is None for each in keys)
    if isinstance(holder, UntypedParameter) and of_tensors:
        holder = holder.as_tensor()
    if isinstance(holder, UntypedParameter):
        return UNKNOWN
    if isinstance(holder, Tensor):
        return _part(ledger, holder, key if isinstance(key, tuple) else (key,))
    if isinstance(holder, list | tuple | str):
        return _sequence(holder, key)
    if isinstance(holder, dict) and isinstance(key, str | int):
        return holder.get(key, UNKNOWN)
    return UNKNOWN


def _extent(extent: ShapeAttribute, key: Any) -> Any:
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
        return LayerChain(found) if isinstance(holder, LayerChain) else found
    return UNKNOWN


def _part(ledger: SizeConstraints, tensor: Tensor, keys: tuple[Any, ...]) -> Any:
    """A tensor indexed: each number takes a dimension away, each slice keeps one."""
    taken = sum(key is not None and key is not Ellipsis for key in keys)
    if tensor.shape.dims is None:
        if taken != len(keys) or any(isinstance(key, Tensor | UntypedParameter) for key in keys):
            return UNKNOWN
        for index, key in enumerate(keys):
            size = tensor.shape.at(index)
            if isinstance(key, int) and size is not None:
                ledger.least(size, key + 1 if key >= 0 else -key)
        return UNKNOWN
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
    return Tensor(
        TensorShape(ledger, found), TensorElements(tensor.elements.dtype, drawn=True), tensor.kind
    )


def _kept(ledger: SizeConstraints, size: Size, key: Any) -> list[Size]:
    if isinstance(key, slice):
        return [_sliced(ledger, size, key)]
    if isinstance(key, Tensor):
        dims = key.shape.dims
        return dims if dims is not None and key.elements.dtype != "bool" else [SizeVariable("n")]
    if isinstance(key, int) and not isinstance(key, bool):
        ledger.least(size, key + 1 if key >= 0 else -key)
        return []
    return (
        []
        if sized(key) is not None or isinstance(key, UntypedParameter | MixedArithmetic)
        else [SizeVariable("n")]
    )


def _sliced(ledger: SizeConstraints, size: Size, key: slice) -> Size:  # noqa: PLR0911 - one for each kind of value
    start = 0 if key.start is None else sized(key.start)
    if start is None or key.step not in (None, 1):
        return SizeVariable("n")
    if key.stop is None:
        if isinstance(start, int) and start < 0:
            return -start
        return minus(size, start)
    stop = sized(key.stop)
    if stop is None:
        return SizeVariable("n")
    if isinstance(stop, int) and stop < 0:
        return minus(minus(size, -stop), start)
    if isinstance(size, int) and isinstance(stop, int) and isinstance(start, int) and start >= 0:
        return max(0, min(size, stop) - start)
    if stop != size:
        ledger.open.append(SizeCondition(">=", size, stop, soft=True))
    return minus(stop, start)
