"""Control flow after a statement, and the order in which its parts are evaluated."""

from __future__ import annotations

import ast
from collections.abc import Sequence
from typing import TypeGuard

from analyzers.cloud.repairs.guards.fallback_values import Function
from analyzers.cloud.repairs.guards.missing_values import root
from analyzers.cloud.source_edits import SourceText

Loop = ast.For | ast.AsyncFor | ast.While

_ASKING = ast.Eq | ast.In | ast.Gt | ast.GtE | ast.Is
_PASSES = ast.Call | ast.Attribute | ast.Subscript | ast.BinOp


def following(
    text: SourceText, statement: ast.stmt, until: ast.AST | None = None
) -> list[list[ast.stmt]]:
    """Return what follows a statement in its block, and in the blocks around, innermost first.

    The last block is that of the function, or of the statement ``until``.
    """
    found: list[list[ast.stmt]] = []
    inner: ast.AST = statement
    for node in text.ancestors(statement):
        for name in ("body", "orelse", "finalbody"):
            block = getattr(node, name, None)
            if isinstance(block, list) and inner in block:
                found.append(block[block.index(inner) + 1 :])
        if isinstance(node, Function) or node is until:
            break
        inner = node
    return found


def operand(text: SourceText, fragile: ast.expr) -> ast.expr | None:
    """Return the operand of a condition that is true only if the fragile expression says so."""
    node = fragile
    while True:
        parent = text.parents[node]
        if isinstance(parent, ast.BoolOp):
            return node if _leads(text, parent) else None
        if isinstance(parent, ast.If | ast.IfExp):
            return node if parent.test is node else None
        if not _says_yes(parent):
            return None
        node = parent


def _says_yes(node: ast.AST) -> TypeGuard[ast.expr]:
    """Return whether an expression around another asks it for something that is there."""
    if isinstance(node, ast.Compare):
        return all(isinstance(operator, _ASKING) for operator in node.ops)
    return isinstance(node, _PASSES)


def _leads(text: SourceText, node: ast.AST) -> bool:
    """Return whether a chain of ``and`` and ``or`` is the whole of a condition."""
    while isinstance(node, ast.BoolOp):
        inner, node = node, text.parents[node]
        if isinstance(node, ast.If | ast.IfExp):
            return node.test is inner
    return False


def is_optional(inner: ast.AST, outer: ast.AST) -> bool:
    """Return whether ``outer`` may be evaluated without the part ``inner`` of it."""
    match outer:
        case ast.BoolOp(values=[first, *_]) | ast.IfExp(test=first):
            return inner is not first
        case ast.Compare(comparators=[_, *later]):
            return inner in later
        case ast.comprehension(iter=first):
            return inner is not first
        case ast.GeneratorExp() | ast.ListComp() | ast.SetComp() | ast.DictComp():
            return inner is not outer.generators[0]
        case _:
            return False


def binds(loop: ast.For | ast.AsyncFor, subject: ast.expr) -> bool:
    """Return whether each turn of a loop gives the subject a value of its own."""
    name = root(subject)
    parts = [loop.target, *loop.body]
    return any(
        isinstance(node, ast.Name) and node.id == name and isinstance(node.ctx, ast.Store)
        for part in parts
        for node in ast.walk(part)
    )


def reads(statement: ast.stmt, names: set[str]) -> bool:
    """Return whether a statement uses one of the names."""
    return any(isinstance(node, ast.Name) and node.id in names for node in ast.walk(statement))


def depend(statements: Sequence[ast.stmt], names: set[str]) -> bool:
    """Return whether all that statements do uses the names, or what is made of them."""
    made = set(names)
    for statement in statements:
        if reads(statement, made):
            made |= {
                node.id
                for node in ast.walk(statement)
                if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store)
            }
        elif not isinstance(statement, ast.Assign | ast.AnnAssign | ast.Return | ast.Continue):
            return False
    return True


def is_an_act(statement: ast.stmt) -> bool:
    """Return whether a statement can be left out: nothing later has its value."""
    return isinstance(statement, ast.Expr) or (
        isinstance(statement, ast.AugAssign) and isinstance(statement.target, ast.Name)
    )
