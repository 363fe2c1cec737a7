"""Rewrites one condition so that its clauses are recorded."""

from __future__ import annotations

import ast
from typing import List, Optional

from .conditions import elements, is_structure
from .numbering import Scribe, located


class Folder(Scribe):
    """Rewrites conditions whose decision has been announced."""

    def _condition(self, node: ast.expr, tested: bool) -> ast.expr:
        """Rewrite a condition; ``tested``: only its truth is wanted."""
        if isinstance(node, ast.BoolOp):
            return self._operands(node, tested)
        if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not):
            node.operand = self._condition(node.operand, tested=True)
            return node
        if isinstance(node, ast.Compare) and len(node.ops) > 1:
            return self._chain(node, tested)
        number = self._numbers.get((id(node), None, None))
        leaf = self._leaf(node)
        if number is None:
            return leaf
        return self._call("truth" if tested else "peek", leaf, number)

    def _operands(self, node: ast.BoolOp, tested: bool) -> ast.expr:
        if tested:
            node.values = [self._condition(value, tested=True) for value in node.values]
            return node
        method = "both" if isinstance(node.op, ast.And) else "either"
        values = [
            (
                self._numbers.get((id(value), None, None)),
                self._leaf(value)
                if (id(value), None, None) in self._numbers and value is not node.values[-1]
                else self._condition(value, tested=False),
            )
            for value in node.values
        ]
        _, result = values[-1]
        for number, value in reversed(values[:-1]):
            result = self._shortened(node, method, number, value, result)
        return result

    def _shortened(
        self,
        node: ast.BoolOp,
        method: str,
        number: Optional[int],
        value: ast.expr,
        rest: ast.expr,
    ) -> ast.expr:
        if number is None:
            return ast.copy_location(ast.BoolOp(node.op, [value, rest]), node)
        test = self._call(method, value, number)
        taken = self._call("take", value)
        goes_on = (rest, taken) if method == "both" else (taken, rest)
        return ast.copy_location(ast.IfExp(test, *goes_on), node)

    def _chain(self, node: ast.Compare, tested: bool) -> ast.expr:
        operands = [self.visit(value) for value in [node.left, *node.comparators]]
        numbers = [self._numbers[id(node), link, None] for link in range(len(node.ops))]
        left = operands[0]
        method = "link" if tested else "link_value"
        tests: List[ast.expr] = []
        for number, op, right in zip(numbers[:-1], node.ops, operands[1:]):
            name = ast.copy_location(ast.Constant(type(op).__name__), node)
            call = self._call(method, name, number, left, right)
            tests.append(call)
            left = self._call("take", right)
        last = ast.Compare(left, [node.ops[-1]], [operands[-1]])
        result = self._call(
            "truth" if tested else "peek", ast.copy_location(last, node), numbers[-1]
        )
        if tested:
            return ast.copy_location(ast.BoolOp(ast.And(), [*tests, result]), node)
        for test in reversed(tests):
            taken = self._call("take", test)
            result = ast.copy_location(ast.IfExp(test, result, taken), node)
        return result

    def _leaf(self, node: ast.expr) -> ast.expr:
        if elements(node):
            return self._quantified(node)
        first = self._numbers.get((id(node), None, ""))
        if first is not None and isinstance(node, ast.Compare):
            members = self._members().of(node.comparators[0])
            table = ast.Tuple([ast.Constant(ast.literal_eval(m)) for m in members], ast.Load())
            found = self._call(
                "member",
                located(table, node),
                first,
                self.visit(node.left),
                self.visit(node.comparators[0]),
            )
            if isinstance(node.ops[0], ast.NotIn):
                return ast.copy_location(ast.UnaryOp(ast.Not(), found), node)
            return found
        if is_structure(node):
            return self._inside(node)
        return self.visit(node)  # type: ignore[no-any-return]

    def _quantified(self, node: ast.expr) -> ast.expr:
        argument = node.args[0]  # type: ignore[attr-defined]
        if isinstance(argument, (ast.List, ast.Tuple)):
            argument.elts = [self._condition(e, tested=False) for e in argument.elts]
        else:
            bound = any(node.func.id in scope for scope in self._scopes)  # type: ignore[attr-defined]
            lazy = isinstance(argument, ast.GeneratorExp) and not bound
            argument.elt = self._condition(argument.elt, tested=lazy)
            argument.generators = [self.visit(g) for g in argument.generators]
        return node

    def _inside(self, node: ast.expr) -> ast.expr:
        self.generic_visit(node)
        return node
