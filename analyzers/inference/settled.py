"""Conditions where some parameters keep their defaults."""

from __future__ import annotations

import ast
from collections.abc import Mapping


def settled(condition: str, defaults: Mapping[str, ast.expr]) -> str | None:
    """A condition with defaults in the place of parameters; ``None`` where it holds then.

    Only constants take a name's place, and only ``x is None``, ``not``, ``and`` and ``or``
    are worked out.
    """
    tree = ast.parse(condition.strip(), mode="eval")
    constant = {name: each for name, each in defaults.items() if isinstance(each, ast.Constant)}
    found = _Settling(constant).visit(tree.body)
    return None if _is(found, value=True) else ast.unparse(found)


class _Settling(ast.NodeTransformer):
    """Puts constants in the place of names, and works out what they decide."""

    def __init__(self, values: Mapping[str, ast.Constant]) -> None:
        self._values = values

    def visit_Name(self, node: ast.Name) -> ast.expr:
        return self._values.get(node.id, node)

    def visit_Compare(self, node: ast.Compare) -> ast.AST:
        self.generic_visit(node)
        sides = (node.left, *node.comparators)
        if len(sides) != 2 or not all(isinstance(each, ast.Constant) for each in sides):
            return node
        if not isinstance(node.ops[0], ast.Is | ast.IsNot) or not _is(sides[1], value=None):
            return node
        return ast.Constant(_is(sides[0], value=None) is isinstance(node.ops[0], ast.Is))

    def visit_UnaryOp(self, node: ast.UnaryOp) -> ast.AST:
        self.generic_visit(node)
        if isinstance(node.op, ast.Not) and _is_truth(node.operand):
            return ast.Constant(_is(node.operand, value=False))
        return node

    def visit_BoolOp(self, node: ast.BoolOp) -> ast.AST:
        self.generic_visit(node)
        deciding = isinstance(node.op, ast.Or)
        if any(_is(each, value=deciding) for each in node.values):
            return ast.Constant(deciding)
        node.values = [each for each in node.values if not _is_truth(each)]
        if not node.values:
            return ast.Constant(not deciding)
        return node if len(node.values) > 1 else node.values[0]


def _is(node: ast.AST, *, value: bool | None) -> bool:
    return isinstance(node, ast.Constant) and node.value is value


def _is_truth(node: ast.AST) -> bool:
    return isinstance(node, ast.Constant) and isinstance(node.value, bool)
