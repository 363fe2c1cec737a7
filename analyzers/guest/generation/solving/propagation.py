"""Narrowing what is to be drawn by all conditions, until nothing changes."""

from __future__ import annotations

import ast
import math
from typing import Any, Iterable, List, Tuple

from ...annotations.nouns import Constraint
from . import domains, elements, limiting, members, sorting
from .conditions import Part
from .domains import Look as Way
from .looks import Step, look
from .narrowing import extent, narrow, ordered
from .numbers import Empty, Numbers, at_least, exactly
from .shaping import Dims
from .state import State

_ROUNDS = 4
_MIRRORED = {ast.Lt: ast.Gt, ast.Gt: ast.Lt, ast.LtE: ast.GtE, ast.GtE: ast.LtE}


def propagate(state: State, parts: Iterable[Part]) -> None:
    """Narrow until nothing changes; raises :class:`Empty` where nothing can meet the parts."""
    waiting = list(parts)
    for _ in range(_ROUNDS):
        state.changed = False
        before = dict(state.dims.narrowed)
        for each in waiting:
            apply(state, each)
        if not state.changed and before == state.dims.narrowed:
            return


def apply(state: State, condition: Part) -> None:
    """Narrow what is to be drawn by one part; raises :class:`Empty`."""
    free = condition.names & state.constraints.keys()
    if not free:
        if not condition.holds(state.environment):
            raise Empty
        return
    if len(free) == 1:
        (name,) = free
        sorted_ = sorting.sorted_out(state.constraints[name], name, condition, state.environment)
        state.narrow(name, sorted_)
    if not elements.apply(state, condition.node, propagate):
        _said(state, condition.node)


def _said(state: State, node: ast.expr) -> None:
    if isinstance(node, ast.Compare) and len(node.ops) == 1:
        compare(state, node.left, node.ops[0], node.comparators[0])
    elif isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not):
        _truth(state, node.operand, wanted=False)
    else:
        _truth(state, node, wanted=True)


def _truth(state: State, node: ast.expr, wanted: bool) -> None:
    """``x`` or ``not x``: numbers other than 0, containers that are not empty, or the opposite."""
    seen = look(node, frozenset(state.constraints))
    if seen is None or seen.steps:
        return
    numbers = at_least(1) if wanted else exactly(0)
    kept: List[Constraint] = []
    for option in domains.options(state.constraints[seen.argument]):
        kept += _truthful(option, wanted, numbers, state.dims)
    state.narrow(seen.argument, domains.any_of(kept))


def _truthful(option: Constraint, wanted: bool, numbers: Numbers, dims: Dims) -> List[Constraint]:
    steps: Tuple[Step, ...] = ()
    if option.kind in domains.NUMERIC:
        numbers = Numbers(without=frozenset((0,))) if wanted else exactly(0)
    elif option.kind in (*domains.SEQUENCES, "dicts", "strings"):
        steps = (("length", None),)
    else:
        return [option]
    try:
        return [limiting.limited(option, Way(steps, dims), numbers)]
    except Empty:
        return []


def compare(state: State, left: ast.expr, op: ast.cmpop, right: ast.expr) -> None:
    """Narrow both sides of a comparison by each other."""
    if isinstance(op, (ast.Lt, ast.LtE, ast.Gt, ast.GtE)):
        _order(state, left, op, right)
        _order(state, right, _MIRRORED[type(op)](), left)
    elif isinstance(op, (ast.Eq, ast.Is)):
        members.equal(state, left, right)
    elif isinstance(op, ast.In):
        members.member(state, left, right)
    elif isinstance(op, ast.NotEq):
        for one, other in ((left, right), (right, left)):
            if not state.free(other):
                _without(state, one, [state.known(other)])
    elif isinstance(op, ast.NotIn) and not state.free(right):
        _without(state, left, state.known(right))


def _order(state: State, node: ast.expr, op: ast.cmpop, other: ast.expr) -> None:
    """``node op other``, said of ``node``."""
    narrow(state, node, ordered(op, extent(state, other)))


def _without(state: State, node: ast.expr, values: Any) -> None:
    listed = values if isinstance(values, (list, tuple, set, frozenset, range)) else ()
    numbers = frozenset(value for value in listed if _is_number(value))
    if numbers:
        narrow(state, node, Numbers(without=numbers))


def _is_number(value: Any) -> bool:
    return isinstance(value, (int, float)) and not math.isnan(value)
