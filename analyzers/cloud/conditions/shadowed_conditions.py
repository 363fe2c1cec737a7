"""Conditions that are false wherever they are asked, since an earlier one was not true.

Earlier are the conditions of the same ``if``/``elif`` chain, and those of
``if`` statements right before it whose bodies always leave.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence

from analyzers.cloud.conditions.static_facts import Fact, StaticNames, contradict, facts
from analyzers.cloud.source_edits import SourceText

_LEAVES = (ast.Return, ast.Raise, ast.Continue, ast.Break)
_PURE = frozenset({"len", "any", "all", "lower", "upper", "casefold", "strip", "title", "print"})


def shadowing(text: SourceText, condition: ast.expr, names: StaticNames) -> str | None:
    """Return the conditions, quoted, that are true wherever ``condition`` would be.

    Each alternative of the condition must be shadowed.
    """
    earlier = [each for test in _asked_before(text, condition) for each in _operands(test, ast.Or)]
    shown: list[str] = []
    for alternative in _operands(condition, ast.Or):
        found = next((e for e in earlier if _implies(alternative, e, names)), None)
        if found is None:
            return None
        shown.append(f"`{text.segment(found)}`")
    return " or ".join(dict.fromkeys(shown))


def has_effects(node: ast.expr) -> bool:
    """Return whether asking a condition binds names or waits."""
    kinds = (ast.NamedExpr, ast.Await, ast.Yield, ast.YieldFrom)
    return any(isinstance(inner, kinds) for inner in ast.walk(node))


def _implies(condition: ast.expr, earlier: ast.expr, names: StaticNames) -> bool:
    """Return whether ``condition`` cannot be true where ``earlier`` is false."""
    parts = _operands(condition, ast.And)
    if _is_pure(earlier) and any(ast.dump(part) == ast.dump(earlier) for part in parts):
        return True
    refused = facts(earlier, names)
    if refused is None or len(refused) != 1:
        return False
    own: list[Fact] = [fact for part in parts for fact in facts(part, names) or ()]
    return bool(own) and contradict([*own, refused[0].negated()])


def _operands(node: ast.expr, operator: type[ast.boolop]) -> Sequence[ast.expr]:
    if isinstance(node, ast.BoolOp) and isinstance(node.op, operator):
        return node.values
    return [node]


def _is_pure(node: ast.expr) -> bool:
    """Return whether an expression means the same when it is asked again at once."""
    return not has_effects(node) and all(
        _called(inner) in _PURE for inner in ast.walk(node) if isinstance(inner, ast.Call)
    )


def _called(call: ast.Call) -> str:
    match call.func:
        case ast.Name(id=name) | ast.Attribute(attr=name):
            return name
        case _:
            return ""


def _asked_before(text: SourceText, condition: ast.expr) -> Iterator[ast.expr]:
    statement = text.parents.get(condition)
    while isinstance(statement, ast.If):
        outer = text.parents.get(statement)
        if not (isinstance(outer, ast.If) and outer.orelse == [statement]):
            break
        if not has_effects(outer.test):
            yield outer.test
        statement = outer
    if isinstance(statement, ast.If):
        yield from _left_before(text, statement, _named(condition))


def _left_before(text: SourceText, statement: ast.If, named: frozenset[str]) -> Iterator[ast.expr]:
    """Yield the tests of ``if`` statements right before one, whose bodies always leave."""
    for sibling in reversed(_siblings(text, statement)):
        match sibling:
            case ast.If(test=test, body=[*_, last], orelse=[]) if isinstance(
                last, _LEAVES
            ) and _is_pure(test):
                yield test
            case ast.Assign() | ast.AnnAssign() | ast.Expr() if _touches_nothing(
                sibling
            ) and not named & _bound(sibling):
                continue
            case _:
                return


def _siblings(text: SourceText, statement: ast.stmt) -> Sequence[ast.stmt]:
    """Return the statements before one in its block."""
    parent = text.parents.get(statement)
    for _, block in ast.iter_fields(parent) if parent is not None else ():
        if isinstance(block, list) and statement in block:
            return block[: block.index(statement)]
    return []


def _touches_nothing(statement: ast.stmt) -> bool:
    expressions = [node for node in ast.iter_child_nodes(statement) if isinstance(node, ast.expr)]
    stored = [n for n in ast.walk(statement) if isinstance(getattr(n, "ctx", None), ast.Store)]
    return all(map(_is_pure, expressions)) and all(isinstance(n, ast.Name) for n in stored)


def _bound(statement: ast.stmt) -> frozenset[str]:
    return frozenset(
        node.id
        for node in ast.walk(statement)
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store)
    )


def _named(node: ast.expr) -> frozenset[str]:
    return frozenset(inner.id for inner in ast.walk(node) if isinstance(inner, ast.Name))
