"""The numbers that an expression may be worth, and what that says of what it looks at.

Forward and backward through the expression, as in HC4 (Benhamou et al., 1999).
"""

from __future__ import annotations

import ast
import math
from typing import Any, Callable, Dict, List, Mapping

from ...annotations.constraints import Constraint
from . import constraint_narrowing, domains
from .condition_terms import Quantity, part, quantity_of
from .domains import DimensionSizes
from .domains import RemainingSteps as Way
from .number_sets import INFINITY, EmptyDomain, NumberSet, at_least, at_most, exactly, those


class SolverState:
    """Constraints of arguments not drawn yet; ``environment`` has the values drawn."""

    __slots__ = ("changed", "constraints", "dims", "environment")

    def __init__(
        self,
        constraints: Mapping[str, Constraint],
        environment: Dict[str, Any],
        dims: DimensionSizes,
    ) -> None:
        self.constraints = dict(constraints)
        self.environment = environment
        self.dims = dims
        self.changed = False

    def copy(self) -> SolverState:
        """One to try something in."""
        dims = DimensionSizes(self.dims.bound, self.dims.narrowed)
        return SolverState(self.constraints, dict(self.environment), dims)

    def know(self, name: str, value: Any) -> None:
        """An argument has been drawn."""
        self.constraints.pop(name, None)
        self.environment[name] = value

    def narrow(self, name: str, constraint: Constraint) -> None:
        """Let an argument be of this constraint."""
        if constraint != self.constraints[name]:
            self.constraints[name] = constraint
            self.changed = True

    def free(self, node: ast.AST) -> bool:
        """Return whether an expression's value depends on what is still to be drawn."""
        return any(
            isinstance(each, ast.Name) and each.id in self.constraints for each in ast.walk(node)
        )

    def worth(self, node: ast.expr) -> Any:
        """The value of an expression that depends on nothing to be drawn; raises what it raises."""
        if isinstance(node, ast.Constant):
            return node.value
        return eval(part(node).code, self.environment)

    def known(self, node: ast.expr) -> Any:
        """The same; raises :class:`EmptyDomain` where that cannot be evaluated."""
        try:
            return self.worth(node)
        except Exception as error:
            raise EmptyDomain from error

    def take(self, other: SolverState) -> None:
        """Be as another state of the same arguments."""
        self.constraints = other.constraints
        self.environment = other.environment
        self.dims = other.dims


_MOST_DIVIDED = 10_000_000
_ALL = NumberSet()


def ordered(op: ast.cmpop, against: NumberSet) -> NumberSet:
    """The numbers that may stand before ``op`` and some number of an interval."""
    open_ = isinstance(op, (ast.Lt, ast.Gt))
    if isinstance(op, (ast.Lt, ast.LtE)):
        return at_most(against.high, open_ or against.open_high)
    return at_least(against.low, open_ or against.open_low)


# ------------------------------------------------------------------- extents


def extent(state: SolverState, node: ast.expr) -> NumberSet:
    """The numbers that an expression may be worth."""
    if not state.free(node):
        value = state.known(node)
        value = value.item() if getattr(value, "ndim", None) == 0 else value
        plain = isinstance(value, (int, float)) and not math.isnan(value)
        return exactly(value) if plain else NumberSet()
    seen = quantity_of(node, frozenset(state.constraints))
    if seen is not None:
        return domains.extent(state.constraints[seen.argument], Way(seen.steps, state.dims))
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub):
        return extent(state, node.operand).negated()
    if isinstance(node, ast.BinOp):
        return _combined(node.op, extent(state, node.left), extent(state, node.right))
    return _called_extent(state, node)


def _combined(op: ast.operator, left: NumberSet, right: NumberSet) -> NumberSet:
    if isinstance(op, ast.Add):
        return left.plus(right)
    if isinstance(op, ast.Sub):
        return left.minus(right)
    if isinstance(op, ast.Mult):
        return left.times(right)
    if isinstance(op, (ast.Div, ast.FloorDiv)) and right.exact:
        found = left.divided(right.exact)
        return NumberSet(_floor(found.low), found.high) if isinstance(op, ast.FloorDiv) else found
    if isinstance(op, ast.Mod) and right.low > 0:
        return NumberSet(0, right.high, open_high=right.high < INFINITY)
    return NumberSet()


def _floor(value: Any) -> Any:
    return math.floor(value) if math.isfinite(value) else value


def _called_extent(state: SolverState, node: ast.expr) -> NumberSet:
    name = _called(node)
    if name not in ("min", "max", "abs"):
        return NumberSet()
    found = [extent(state, each) for each in node.args]  # type: ignore[attr-defined]
    if name == "abs":
        low, high = found[0].low, found[0].high
        return NumberSet(max(0, low, -high), max(abs(low), abs(high)))
    choose = min if name == "min" else max
    return NumberSet(choose(each.low for each in found), choose(each.high for each in found))


def _called(node: ast.expr) -> str:
    plain = isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and not node.keywords
    if not plain or not node.args or any(isinstance(arg, ast.Starred) for arg in node.args):  # type: ignore[attr-defined]
        return ""
    return node.func.id  # type: ignore[attr-defined, no-any-return]


# ----------------------------------------------------------------- narrowing


def narrow(state: SolverState, node: ast.expr, wanted: NumberSet) -> None:
    """Let an expression be worth one of these numbers, by what it looks at; raises Empty."""
    if wanted == _ALL or not state.free(node):
        return
    seen = quantity_of(node, frozenset(state.constraints))
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


def narrow_look(state: SolverState, seen: Quantity, wanted: NumberSet) -> None:
    """Let what is looked at be one of these numbers; raises :class:`EmptyDomain`."""
    constraint = state.constraints[seen.argument]
    way = Way(seen.steps, state.dims)
    state.narrow(seen.argument, constraint_narrowing.limited(constraint, way, wanted))


def _sum(state: SolverState, node: ast.BinOp, wanted: NumberSet) -> None:
    for one, other in ((node.left, node.right), (node.right, node.left)):
        narrow(state, one, wanted.minus(extent(state, other)))


def _difference(state: SolverState, node: ast.BinOp, wanted: NumberSet) -> None:
    narrow(state, node.left, wanted.plus(extent(state, node.right)))
    narrow(state, node.right, extent(state, node.left).minus(wanted))


def _times(state: SolverState, node: ast.BinOp, wanted: NumberSet) -> None:
    for one, other in ((node.left, node.right), (node.right, node.left)):
        factor = extent(state, other)
        if factor.exact:
            narrow(state, one, wanted.divided(factor.exact))
        elif factor.low > 0 and wanted.high < INFINITY:
            narrow(state, one, NumberSet(high=max(wanted.high / factor.low, 0)))


def _divided(state: SolverState, node: ast.BinOp, wanted: NumberSet) -> None:
    divisor = extent(state, node.right).exact
    if divisor:
        narrow(state, node.left, wanted.scaled(divisor))


def _floored(state: SolverState, node: ast.BinOp, wanted: NumberSet) -> None:
    divisor = extent(state, node.right).exact
    if divisor and divisor > 0:
        whole = wanted.whole()
        high = (whole.high + 1) * divisor
        narrow(state, node.left, NumberSet(whole.low * divisor, high, open_high=high < INFINITY))


def _remainder(state: SolverState, node: ast.BinOp, wanted: NumberSet) -> None:
    rest = wanted.exact
    dividend, divisor = extent(state, node.left), extent(state, node.right)
    if not isinstance(rest, int) or isinstance(node.left, ast.Constant):
        return
    if isinstance(divisor.exact, int) and divisor.exact > 0:
        if not 0 <= rest < divisor.exact:
            raise EmptyDomain
        narrow(state, node.left, NumberSet(step=divisor.exact, offset=rest))
    elif isinstance(dividend.exact, int) and 0 < dividend.exact - rest < _MOST_DIVIDED:
        divisors = [n for n in _divisors(dividend.exact - rest) if n > rest]
        narrow(state, node.right, those(divisors))
    elif dividend.low > 0 and divisor.low > 0 and rest == 0:
        narrow(state, node.right, at_most(dividend.high))
        narrow(state, node.left, at_least(divisor.low))


def _divisors(number: int) -> List[int]:
    small = [n for n in range(1, math.isqrt(number) + 1) if number % n == 0]
    return sorted({*small, *(number // n for n in small)})


_INVERSES: Dict[type, Callable[[SolverState, Any, NumberSet], None]] = {
    ast.Add: _sum,
    ast.Sub: _difference,
    ast.Mult: _times,
    ast.Div: _divided,
    ast.FloorDiv: _floored,
    ast.Mod: _remainder,
}


def _narrow_called(state: SolverState, node: ast.expr, wanted: NumberSet) -> None:
    name = _called(node)
    args: List[ast.expr] = node.args if name else []  # type: ignore[attr-defined]
    if name == "abs" and wanted.high < INFINITY:
        high = NumberSet(-wanted.high, wanted.high, wanted.open_high, wanted.open_high)
        narrow(state, args[0], high)
    for arg in args if name == "max" else []:
        narrow(state, arg, at_most(wanted.high, wanted.open_high))
    for arg in args if name == "min" else []:
        narrow(state, arg, at_least(wanted.low, wanted.open_low))
