"""Arithmetic on what may be numbers, sizes or tensors; broadcasting."""

from __future__ import annotations

import math
import operator
from typing import Any

from .ledger import Ledger
from .sizes import Size, combined
from .values import UNKNOWN, Elements, Mixed, Parameter, Shape, Tensor, Unknown, sized

_NUMBERS = {
    "+": operator.add, "-": operator.sub, "*": operator.mul, "/": operator.truediv,
    "//": operator.floordiv, "%": operator.mod, "**": operator.pow,
}  # fmt: skip
_LARGEST = 10**12


def arithmetic(ledger: Ledger, symbol: str, left: Any, right: Any) -> Any:  # noqa: PLR0911 - one for each kind of value
    """``left symbol right``."""
    if isinstance(left, Tensor) or isinstance(right, Tensor):
        return elementwise(ledger, left, right)
    if isinstance(left, Parameter | Mixed) or isinstance(right, Parameter | Mixed):
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


def _open(ledger: Ledger, symbol: str, left: Any, right: Any) -> Any:
    """What it is comes out when it is used."""
    for each in (left, right):
        if isinstance(each, Parameter) and each.tensor is not None:
            return elementwise(ledger, left, right)
    plain = (int, float, Parameter, Mixed)
    if isinstance(left, plain) or isinstance(right, plain):
        return Mixed(symbol, left, right)
    return UNKNOWN


def tensor_of(ledger: Ledger, value: Any) -> Tensor | None:
    """A value as a tensor, where it can be one; a number is none."""
    if isinstance(value, Tensor):
        return value
    if isinstance(value, Parameter):
        return value.as_tensor()
    if isinstance(value, Mixed):
        found = elementwise(ledger, value.left, value.right)
        return found if isinstance(found, Tensor) else None
    return None


def elementwise(ledger: Ledger, left: Any, right: Any) -> Any:
    """An operation of tensors element by element."""
    one, other = tensor_of(ledger, left), tensor_of(ledger, right)
    if isinstance(left, Unknown) or isinstance(right, Unknown):
        ledger.doubt()
        if ledger.strict:
            return UNKNOWN
    if one is None or other is None:
        known = one or other
        return Tensor(known.shape, Elements(known.elements.dtype), known.kind) if known else UNKNOWN
    elements = Elements(one.elements.dtype or other.elements.dtype)
    return Tensor(broadcast(ledger, one.shape, other.shape), elements, one.kind)


def broadcast(ledger: Ledger, left: Shape, right: Shape) -> Shape:
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
        found[-index] = _together(ledger, mine[-index], its[-index])
    return Shape(ledger, found)


def _together(ledger: Ledger, left: Size, right: Size) -> Size:
    if left == 1:
        return right
    if right != 1:
        ledger.equal(left, right)
    return ledger.resolved(left)


def matmul(ledger: Ledger, left: Any, right: Any) -> Any:
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
    elements = Elements(one.elements.dtype or other.elements.dtype)
    return Tensor(Shape(ledger, _multiplied(ledger, mine, its)), elements, one.kind)


def _multiplied(ledger: Ledger, left: list[Size], right: list[Size]) -> list[Size]:
    rows = left[-2:-1] if len(left) > 1 else []
    columns = right[-1:] if len(right) > 1 else []
    batch = broadcast(ledger, Shape(ledger, left[:-2]), Shape(ledger, right[:-2])).dims or []
    return [*batch, *rows, *columns]
