"""Location of a decision, by the syntax that ``templates/reproducer/watching.py.j2`` looks for."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass

from analyzers.guest.instrumentation.decisions import NodeText
from analyzers.guest.instrumentation.goals import Decision, decisions
from analyzers.vocabulary import Goal

_FIELDS = {
    "for": ("For", "iter"),
    "except": ("ExceptHandler", "body"),
    "match": ("match_case", "body"),
}
_SCOPES = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)


@dataclass(frozen=True, slots=True)
class DecisionLocation:
    """A decision by its syntax.

    ``where`` is the node type and field that hold the ``condition``, ``guards`` the statements that
    depend on it; ``ordinal`` (from 0) counts equal ``where`` in the function.
    """

    file: str
    function: str
    where: tuple[str, str]
    condition: str
    guards: tuple[str, ...]
    ordinal: int


def decision_location(goal: Goal, source: str) -> DecisionLocation | None:
    """Return where the decision of ``goal`` stands in ``source``; ``None`` if it does not."""
    try:
        found = [d for d in decisions(source) if d.function == goal.function]
        tree = ast.parse(source.lstrip("\ufeff"))
    except (SyntaxError, ValueError):
        return None
    decision = next((d for d in found if d.ordinal == goal.decision), None)
    scope = _scope(tree, goal.function.split("."))
    if decision is None or scope is None:
        return None
    places = list(_children(scope))
    text = NodeText(source.lstrip("\ufeff"))
    here = next((p for p in places if _is_at(p, decision, text)), None)
    if here is None:
        return None
    node, field, child = here
    same = [id(p[2]) for p in places if (type(p[0]), p[1]) == (type(node), field)]
    return DecisionLocation(
        goal.path,
        goal.function,
        (type(node).__name__, field),
        _text(_guard(here)),
        tuple(_text(part) for part in _body(node)),
        same.index(id(child)),
    )


_Child = tuple[ast.AST, str, ast.AST]


def _scope(tree: ast.Module, names: list[str]) -> ast.AST | None:
    scope: ast.AST | None = tree
    for name in names:
        if scope is None or name in ("<module>", "<locals>"):
            continue
        if name == "__main__":
            scope = next(
                (n for n in tree.body if isinstance(n, ast.If) and "__main__" in _text(n.test)),
                None,
            )
        else:
            scope = next((n for n in ast.walk(scope) if getattr(n, "name", None) == name), None)
    return scope


def _children(node: ast.AST) -> Iterator[_Child]:
    """Return all below ``node`` but inner functions; of each block only the first statement."""
    for field, value in ast.iter_fields(node):
        several = isinstance(value, list)
        for index, child in enumerate(value if several else [value]):
            if not isinstance(child, ast.AST):
                continue
            if not (several and field == "body" and index):
                yield node, field, child
            if not isinstance(child, _SCOPES):
                yield from _children(child)


def _is_at(place: _Child, decision: Decision, text: NodeText) -> bool:
    node, field, child = place
    wanted = _FIELDS.get(decision.kind)
    if wanted is None:
        span = (decision.line, decision.column, decision.end_line, decision.end_column)
        return isinstance(child, ast.expr) and text.span(child) == span
    if (type(node).__name__, field) != wanted:
        return False
    start = getattr(node, "pattern", node)
    return text.span(start)[:2] == (decision.line, decision.column)


def _guard(place: _Child) -> ast.AST | None:
    node, field, child = place
    if field == "body" and isinstance(getattr(node, "body", None), list):
        return getattr(node, "type", None) or getattr(node, "pattern", None)
    return child


def _body(node: ast.AST) -> list[ast.AST]:
    inside = getattr(node, "body", None) or getattr(node, "elt", None) or []
    return list(inside) if isinstance(inside, list) else [inside]


def _text(node: ast.AST | None) -> str:
    return "" if node is None else ast.unparse(node)
