"""Narrowing what is to be drawn by all conditions, until nothing changes."""

from __future__ import annotations

import ast
import math
from typing import Any, Callable, Iterable, List, Optional, Tuple

from ...annotations.constraints import Constraint
from . import constraint_narrowing, domains, finite_values
from .condition_terms import ConditionPart, Quantity, Step, alternatives, quantity_of
from .domains import DimensionSizes, Undecidable
from .domains import RemainingSteps as Way
from .expression_narrowing import SolverState, extent, narrow, narrow_look, ordered
from .number_sets import EmptyDomain, NumberSet, at_least, exactly

Propagate = Callable[[SolverState, Iterable[ConditionPart]], None]
_ORDERS = (ast.Lt, ast.LtE, ast.Gt, ast.GtE)


def apply_to_elements(state: SolverState, node: ast.expr, propagate: Propagate) -> bool:
    """Narrow the elements of what a condition ranges over; whether it is such a condition."""
    if not isinstance(node, ast.Call) or node.keywords:
        return False
    ranged = _comprehension(node)
    if ranged is not None:
        _each(state, ranged, propagate)
        return True
    compared = _compared(node)
    if compared is not None:
        _every(state, compared)
    return compared is not None


def _comprehension(node: ast.Call) -> Optional[Tuple[str, str, ast.expr]]:
    """The variable, the argument and the condition of ``all(C for v in x)``."""
    if not isinstance(node.func, ast.Name) or node.func.id != "all" or len(node.args) != 1:
        return None
    inside: Any = node.args[0]
    if not isinstance(inside, (ast.GeneratorExp, ast.ListComp)) or len(inside.generators) != 1:
        return None
    over = inside.generators[0]
    plain = isinstance(over.target, ast.Name) and isinstance(over.iter, ast.Name) and not over.ifs
    return (over.target.id, over.iter.id, inside.elt) if plain else None  # type: ignore[attr-defined]


def _each(state: SolverState, ranged: Tuple[str, str, ast.expr], propagate: Propagate) -> None:
    variable, argument, condition = ranged
    constraint = state.constraints.get(argument)
    ways = alternatives(ast.unparse(condition))
    if constraint is None or len(ways) != 1 or variable in state.constraints:
        return

    def narrowed(element: Constraint) -> Constraint:
        inner = state.copy()
        inner.constraints[variable] = element
        inner.environment.pop(variable, None)
        propagate(inner, ways[0])
        return inner.constraints[variable]

    try:
        state.narrow(argument, constraint_narrowing.with_elements(constraint, narrowed))
    except Undecidable:
        return


def _compared(node: ast.Call) -> Optional[ast.Compare]:
    """The comparison of ``(x > 0).all()`` or ``torch.all(x > 0)``."""
    if not isinstance(node.func, ast.Attribute) or node.func.attr != "all":
        return None
    inside = node.args[0] if len(node.args) == 1 else node.func.value
    single = isinstance(inside, ast.Compare) and len(inside.ops) == 1
    return inside if single else None  # type: ignore[return-value]


def _every(state: SolverState, node: ast.Compare) -> None:
    left, op, right = node.left, node.ops[0], node.comparators[0]
    if not isinstance(op, _ORDERS) or state.free(right) or not isinstance(left, ast.Name):
        return
    if left.id in state.constraints:
        against = extent(state, right)
        wanted = ordered(op, against)
        narrow_look(state, Quantity(left.id, (("each", None),)), wanted)


_ROUNDS = 4
_MIRRORED = {ast.Lt: ast.Gt, ast.Gt: ast.Lt, ast.LtE: ast.GtE, ast.GtE: ast.LtE}


def propagate(state: SolverState, parts: Iterable[ConditionPart]) -> None:
    """Narrow until nothing changes; raise :class:`EmptyDomain` where nothing fits."""
    waiting = list(parts)
    for _ in range(_ROUNDS):
        state.changed = False
        before = dict(state.dims.narrowed)
        for each in waiting:
            apply(state, each)
        if not state.changed and before == state.dims.narrowed:
            return


def apply(state: SolverState, condition: ConditionPart) -> None:
    """Narrow what is to be drawn by one part; raises :class:`EmptyDomain`."""
    free = condition.names & state.constraints.keys()
    if not free:
        if not condition.holds(state.environment):
            raise EmptyDomain
        return
    if len(free) == 1:
        (name,) = free
        sorted_ = finite_values.filter_options(
            state.constraints[name], name, condition, state.environment
        )
        state.narrow(name, sorted_)
    if not apply_to_elements(state, condition.node, propagate):
        _said(state, condition.node)


def _said(state: SolverState, node: ast.expr) -> None:
    if isinstance(node, ast.Compare) and len(node.ops) == 1:
        compare(state, node.left, node.ops[0], node.comparators[0])
    elif isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not):
        _truth(state, node.operand, wanted=False)
    else:
        _truth(state, node, wanted=True)


def _truth(state: SolverState, node: ast.expr, wanted: bool) -> None:
    """``x`` or ``not x``: numbers other than 0, containers that are not empty, or the opposite."""
    seen = quantity_of(node, frozenset(state.constraints))
    if seen is None or seen.steps:
        return
    numbers = at_least(1) if wanted else exactly(0)
    kept: List[Constraint] = []
    for option in domains.options(state.constraints[seen.argument]):
        kept += _truthful(option, wanted, numbers, state.dims)
    state.narrow(seen.argument, domains.any_of(kept))


def _truthful(
    option: Constraint, wanted: bool, numbers: NumberSet, dims: DimensionSizes
) -> List[Constraint]:
    steps: Tuple[Step, ...] = ()
    if option.kind in domains.NUMERIC:
        numbers = NumberSet(without=frozenset((0,))) if wanted else exactly(0)
    elif option.kind in (*domains.SEQUENCES, "dicts", "strings"):
        steps = (("length", None),)
    else:
        return [option]
    try:
        return [constraint_narrowing.limited(option, Way(steps, dims), numbers)]
    except EmptyDomain:
        return []


def compare(state: SolverState, left: ast.expr, op: ast.cmpop, right: ast.expr) -> None:
    """Narrow both sides of a comparison by each other."""
    if isinstance(op, (ast.Lt, ast.LtE, ast.Gt, ast.GtE)):
        _order(state, left, op, right)
        _order(state, right, _MIRRORED[type(op)](), left)
    elif isinstance(op, (ast.Eq, ast.Is)):
        finite_values.equal(state, left, right)
    elif isinstance(op, ast.In):
        finite_values.member(state, left, right)
    elif isinstance(op, ast.NotEq):
        for one, other in ((left, right), (right, left)):
            if not state.free(other):
                _without(state, one, [state.known(other)])
    elif isinstance(op, ast.NotIn) and not state.free(right):
        _without(state, left, state.known(right))


def _order(state: SolverState, node: ast.expr, op: ast.cmpop, other: ast.expr) -> None:
    """``node op other``, said of ``node``."""
    narrow(state, node, ordered(op, extent(state, other)))


def _without(state: SolverState, node: ast.expr, values: Any) -> None:
    listed = values if isinstance(values, (list, tuple, set, frozenset, range)) else ()
    numbers = frozenset(value for value in listed if _is_number(value))
    if numbers:
        narrow(state, node, NumberSet(without=numbers))


def _is_number(value: Any) -> bool:
    return isinstance(value, (int, float)) and not math.isnan(value)
