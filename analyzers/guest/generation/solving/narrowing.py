"""The numbers that an expression may be worth, and what that says of what it looks at.

Forward and backward through the expression, as in HC4 (Benhamou et al., 1999).
"""

from __future__ import annotations

import ast
import math
from typing import Any, Callable, Dict, List

from . import domains, limiting
from .domains import Look as Way
from .looks import Look, look
from .numbers import INFINITY, Empty, Numbers, at_least, at_most, exactly, those
from .state import State

_MOST_DIVIDED = 10_000_000
_ALL = Numbers()


def ordered(op: ast.cmpop, against: Numbers) -> Numbers:
    """The numbers that may stand before ``op`` and some number of an interval."""
    open_ = isinstance(op, (ast.Lt, ast.Gt))
    if isinstance(op, (ast.Lt, ast.LtE)):
        return at_most(against.high, open_ or against.open_high)
    return at_least(against.low, open_ or against.open_low)


# ------------------------------------------------------------------- extents


def extent(state: State, node: ast.expr) -> Numbers:
    """The numbers that an expression may be worth."""
    if not state.free(node):
        return _worth(state, node)
    seen = look(node, frozenset(state.constraints))
    if seen is not None:
        return domains.extent(state.constraints[seen.argument], Way(seen.steps, state.dims))
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub):
        return extent(state, node.operand).negated()
    if isinstance(node, ast.BinOp):
        return _combined(node.op, extent(state, node.left), extent(state, node.right))
    return _called_extent(state, node)


def _worth(state: State, node: ast.expr) -> Numbers:
    value = state.known(node)
    value = value.item() if getattr(value, "ndim", None) == 0 else value
    plain = isinstance(value, (int, float)) and not math.isnan(value)
    return exactly(value) if plain else Numbers()


def _combined(op: ast.operator, left: Numbers, right: Numbers) -> Numbers:
    if isinstance(op, ast.Add):
        return left.plus(right)
    if isinstance(op, ast.Sub):
        return left.minus(right)
    if isinstance(op, ast.Mult):
        return left.times(right)
    if isinstance(op, (ast.Div, ast.FloorDiv)) and right.exact:
        found = left.divided(right.exact)
        return Numbers(_floor(found.low), found.high) if isinstance(op, ast.FloorDiv) else found
    if isinstance(op, ast.Mod) and right.low > 0:
        return Numbers(0, right.high, open_high=right.high < INFINITY)
    return Numbers()


def _floor(value: Any) -> Any:
    return math.floor(value) if math.isfinite(value) else value


def _called_extent(state: State, node: ast.expr) -> Numbers:
    name = _called(node)
    if name not in ("min", "max", "abs"):
        return Numbers()
    found = [extent(state, each) for each in node.args]  # type: ignore[attr-defined]
    if name == "abs":
        low, high = found[0].low, found[0].high
        return Numbers(max(0, low, -high), max(abs(low), abs(high)))
    choose = min if name == "min" else max
    return Numbers(choose(each.low for each in found), choose(each.high for each in found))


def _called(node: ast.expr) -> str:
    plain = isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and not node.keywords
    if not plain or not node.args or any(isinstance(arg, ast.Starred) for arg in node.args):  # type: ignore[attr-defined]
        return ""
    return node.func.id  # type: ignore[attr-defined, no-any-return]


# ----------------------------------------------------------------- narrowing


def narrow(state: State, node: ast.expr, wanted: Numbers) -> None:
    """Let an expression be worth one of these numbers, by what it looks at; raises Empty."""
    if wanted == _ALL or not state.free(node):
        return
    seen = look(node, frozenset(state.constraints))
    if seen is not None:
        narrow_look(state, seen, wanted)
    elif isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub):
        narrow(state, node.operand, wanted.negated())
    elif isinstance(node, ast.BinOp):
        inverse = _INVERSES.get(type(node.op))
        if inverse is not None:
            inverse(state, node, wanted)
    else:
        _narrow_called(state, node, wanted)


def narrow_look(state: State, seen: Look, wanted: Numbers) -> None:
    """Let what is looked at be one of these numbers; raises :class:`Empty`."""
    constraint = state.constraints[seen.argument]
    way = Way(seen.steps, state.dims)
    state.narrow(seen.argument, limiting.limited(constraint, way, wanted))


def _sum(state: State, node: ast.BinOp, wanted: Numbers) -> None:
    for one, other in ((node.left, node.right), (node.right, node.left)):
        narrow(state, one, wanted.minus(extent(state, other)))


def _difference(state: State, node: ast.BinOp, wanted: Numbers) -> None:
    narrow(state, node.left, wanted.plus(extent(state, node.right)))
    narrow(state, node.right, extent(state, node.left).minus(wanted))


def _times(state: State, node: ast.BinOp, wanted: Numbers) -> None:
    for one, other in ((node.left, node.right), (node.right, node.left)):
        factor = extent(state, other)
        if factor.exact:
            narrow(state, one, wanted.divided(factor.exact))
        elif factor.low > 0 and wanted.high < INFINITY:
            narrow(state, one, Numbers(high=max(wanted.high / factor.low, 0)))


def _divided(state: State, node: ast.BinOp, wanted: Numbers) -> None:
    divisor = extent(state, node.right).exact
    if divisor:
        narrow(state, node.left, wanted.scaled(divisor))


def _floored(state: State, node: ast.BinOp, wanted: Numbers) -> None:
    divisor = extent(state, node.right).exact
    if divisor and divisor > 0:
        whole = wanted.whole()
        high = (whole.high + 1) * divisor
        narrow(state, node.left, Numbers(whole.low * divisor, high, open_high=high < INFINITY))


def _remainder(state: State, node: ast.BinOp, wanted: Numbers) -> None:
    rest = wanted.exact
    dividend, divisor = extent(state, node.left), extent(state, node.right)
    if not isinstance(rest, int) or isinstance(node.left, ast.Constant):
        return
    if isinstance(divisor.exact, int) and divisor.exact > 0:
        if not 0 <= rest < divisor.exact:
            raise Empty
        narrow(state, node.left, Numbers(step=divisor.exact, offset=rest))
    elif isinstance(dividend.exact, int) and 0 < dividend.exact - rest < _MOST_DIVIDED:
        divisors = [n for n in _divisors(dividend.exact - rest) if n > rest]
        narrow(state, node.right, those(divisors))
    elif dividend.low > 0 and divisor.low > 0 and rest == 0:
        narrow(state, node.right, at_most(dividend.high))
        narrow(state, node.left, at_least(divisor.low))


def _divisors(number: int) -> List[int]:
    small = [n for n in range(1, math.isqrt(number) + 1) if number % n == 0]
    return sorted({*small, *(number // n for n in small)})


_INVERSES: Dict[type, Callable[[State, Any, Numbers], None]] = {
    ast.Add: _sum,
    ast.Sub: _difference,
    ast.Mult: _times,
    ast.Div: _divided,
    ast.FloorDiv: _floored,
    ast.Mod: _remainder,
}


def _narrow_called(state: State, node: ast.expr, wanted: Numbers) -> None:
    name = _called(node)
    args: List[ast.expr] = node.args if name else []  # type: ignore[attr-defined]
    if name == "abs" and wanted.high < INFINITY:
        high = Numbers(-wanted.high, wanted.high, wanted.open_high, wanted.open_high)
        narrow(state, args[0], high)
    for arg in args if name == "max" else []:
        narrow(state, arg, at_most(wanted.high, wanted.open_high))
    for arg in args if name == "min" else []:
        narrow(state, arg, at_least(wanted.low, wanted.open_low))
