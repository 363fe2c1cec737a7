"""Conditions on every element: ``all(size > 0 for size in sizes)``, ``(x >= 0).all()``."""

from __future__ import annotations

import ast
from typing import Any, Callable, Iterable, Optional, Tuple

from ...annotations.nouns import Constraint
from . import limiting
from .conditions import Part, alternatives
from .looks import Look
from .narrowing import extent, narrow_look, ordered
from .shaping import Unclear
from .state import State

Propagate = Callable[[State, Iterable[Part]], None]
_ORDERS = (ast.Lt, ast.LtE, ast.Gt, ast.GtE)


def apply(state: State, node: ast.expr, propagate: Propagate) -> bool:
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


def _each(state: State, ranged: Tuple[str, str, ast.expr], propagate: Propagate) -> None:
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
        state.narrow(argument, limiting.with_elements(constraint, narrowed))
    except Unclear:
        return


def _compared(node: ast.Call) -> Optional[ast.Compare]:
    """The comparison of ``(x > 0).all()`` or ``torch.all(x > 0)``."""
    if not isinstance(node.func, ast.Attribute) or node.func.attr != "all":
        return None
    inside = node.args[0] if len(node.args) == 1 else node.func.value
    single = isinstance(inside, ast.Compare) and len(inside.ops) == 1
    return inside if single else None  # type: ignore[return-value]


def _every(state: State, node: ast.Compare) -> None:
    left, op, right = node.left, node.ops[0], node.comparators[0]
    if not isinstance(op, _ORDERS) or state.free(right) or not isinstance(left, ast.Name):
        return
    if left.id in state.constraints:
        against = extent(state, right)
        wanted = ordered(op, against)
        narrow_look(state, Look(left.id, (("each", None),)), wanted)
