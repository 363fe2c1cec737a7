"""Counts decisions, for host and guest alike; ids as in ``docs/guest-protocol.md``."""

from __future__ import annotations

import ast
import functools
from typing import List, Optional, Sequence, Tuple, TypeVar, Union

from .decisions import Clause, Decision, DecisionNumberer, bindings, elements, is_structure, located
from .recorder import Recorder

_MAIN_GUARDS = ("__name__ == '__main__'", "'__main__' == __name__")


class ConditionRewriter(DecisionNumberer):
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


_Node = TypeVar("_Node", bound=ast.AST)


class Rewriter(ConditionRewriter):
    """One walk over a module: the decisions found, and the tree that records."""

    # ------------------------------------------------------------- scopes

    def visit_Module(self, node: ast.Module) -> ast.Module:
        """Rewrite a module; code under the main guard is ``__main__``."""
        self._scopes.append(bindings(node))
        body: List[ast.stmt] = []
        for statement in node.body:
            if isinstance(statement, ast.If) and ast.unparse(statement.test) in _MAIN_GUARDS:
                self._function = "__main__"
                statement.body = self._visited(statement.body)
                self._function = "<module>"
                statement.orelse = self._visited(statement.orelse)
                body.append(statement)
            else:
                body.append(self.visit(statement))
        node.body = body
        return node

    def visit_FunctionDef(self, node: Union[ast.FunctionDef, ast.AsyncFunctionDef]) -> ast.stmt:
        """Rewrite a function, or a coroutine, under its qualified name."""
        node.decorator_list = self._visited(node.decorator_list)
        node.args = self.visit(node.args)
        outer = self._function, self._prefix
        self._function = self._prefix + node.name
        self._prefix = self._function + ".<locals>."
        self._scopes.append(bindings(node))
        node.body = self._visited(node.body)
        self._scopes.pop()
        self._function, self._prefix = outer
        return node

    visit_AsyncFunctionDef = visit_FunctionDef

    def visit_ClassDef(self, node: ast.ClassDef) -> ast.ClassDef:
        """Rewrite a class; its own statements belong to the code around it."""
        node.decorator_list = self._visited(node.decorator_list)
        node.bases = self._visited(node.bases)
        node.keywords = self._visited(node.keywords)
        outer = self._prefix, self._own
        self._prefix += node.name + "."
        self._own = bindings(node)
        node.body = self._visited(node.body)
        self._prefix, self._own = outer
        return node

    def visit_arg(self, node: ast.arg) -> ast.arg:
        """Leave annotations as they are."""
        return node

    def visit_AnnAssign(self, node: ast.AnnAssign) -> ast.AnnAssign:
        """Rewrite the value and leave the annotation as it is."""
        node.target = self.visit(node.target)
        if node.value:
            node.value = self.visit(node.value)
        return node

    def visit_JoinedStr(self, node: ast.JoinedStr) -> ast.JoinedStr:
        """Rewrite inside an f-string, whose parts may have no true position."""
        outer, self._within = self._within, self._within or node
        self.generic_visit(node)
        self._within = outer
        return node

    def _visited(self, nodes: Sequence[_Node]) -> List[_Node]:
        return [self.visit(node) for node in nodes]

    # --------------------------------------------------------- statements

    def visit_If(self, node: Union[ast.If, ast.While]) -> ast.stmt:
        """Record every test."""
        node.test = self._decide("if" if isinstance(node, ast.If) else "while", node.test)
        node.body = self._visited(node.body)
        node.orelse = self._visited(node.orelse)
        return node

    visit_While = visit_If

    def visit_Assert(self, node: ast.Assert) -> ast.Assert:
        """Record the test."""
        node.test = self._decide("assert", node.test)
        if node.msg:
            node.msg = self.visit(node.msg)
        return node

    def visit_For(self, node: ast.For) -> ast.For:
        """Record whether the loop is entered or skipped."""
        text = f"for {ast.unparse(node.target)} in {ast.unparse(node.iter)}"
        point = self._one("for", text, node, node.iter)
        node.target = self.visit(node.target)
        node.iter = self._call("loop", self.visit(node.iter), point)
        node.body = self._visited(node.body)
        node.orelse = self._visited(node.orelse)
        return node

    def visit_ExceptHandler(self, node: ast.ExceptHandler) -> ast.ExceptHandler:
        """Record that the handler is taken."""
        text = f"except {ast.unparse(node.type)}" if node.type else "except"
        point = self._one("except", text, node, node.type or node)
        if node.type:
            node.type = self.visit(node.type)
        node.body = [self._mark(point, node.body[0]), *self._visited(node.body)]
        return node

    def visit_match_case(self, node: ast.AST) -> ast.AST:
        """Record that the case is taken, and its guard as a decision."""
        pattern, guard = node.pattern, node.guard  # type: ignore[attr-defined]
        text = self._text.between(pattern, guard or pattern)
        point = self._one("match", "case " + text, pattern, guard or pattern)
        if guard:
            node.guard = self._decide("guard", guard)  # type: ignore[attr-defined]
        body: List[ast.stmt] = node.body  # type: ignore[attr-defined]
        node.body = [self._mark(point, body[0]), *self._visited(body)]  # type: ignore[attr-defined]
        return node

    def visit_Return(self, node: ast.Return) -> ast.Return:
        """Record a condition that is returned."""
        if node.value is not None:
            node.value = self._kept("return-bool", node.value)
        return node

    # -------------------------------------------------------- expressions

    def visit_IfExp(self, node: ast.IfExp) -> ast.IfExp:
        """Record the test."""
        node.test = self._decide("ifexp", node.test)
        node.body = self.visit(node.body)
        node.orelse = self.visit(node.orelse)
        return node

    def visit_comprehension(self, node: ast.comprehension) -> ast.comprehension:
        """Record every filter."""
        node.target = self.visit(node.target)
        node.iter = self.visit(node.iter)
        node.ifs = [self._decide("comprehension", test) for test in node.ifs]
        return node

    def visit_Lambda(self, node: ast.Lambda) -> ast.Lambda:
        """Record a condition that is a lambda's value."""
        node.args = self.visit(node.args)
        node.body = self._kept("return-bool", node.body)
        return node

    def visit_BoolOp(self, node: ast.BoolOp) -> ast.expr:
        """Record an ``and`` or ``or`` whose value is kept."""
        return self._kept("boolop", node)

    def visit_UnaryOp(self, node: ast.UnaryOp) -> ast.expr:
        """Record a ``not`` whose value is kept."""
        return self._kept("boolop", node)

    def visit_Compare(self, node: ast.Compare) -> ast.expr:
        """Record a comparison whose value is kept."""
        return self._kept("compare", node)

    def visit_Call(self, node: ast.Call) -> ast.expr:
        """Record ``any(...)`` and ``all(...)`` whose value is kept."""
        return self._kept("any-all", node)

    def _decide(self, kind: str, test: ast.expr) -> ast.expr:
        number = self._announce(kind, test)
        return self._call("truth", self._condition(test, tested=True), number)

    def _kept(self, kind: str, value: ast.expr) -> ast.expr:
        if not is_structure(value):
            if isinstance(value, (ast.UnaryOp, ast.Call)):
                return self._inside(value)
            return self.visit(value)  # type: ignore[no-any-return]
        number = self._announce(kind, value)
        return self._call("peek", self._condition(value, tested=False), number)


RECORD = "__assayer_record__"


@functools.lru_cache(maxsize=64)
def decisions(source: str) -> Tuple[Decision, ...]:
    """List every decision of a source text; ``SyntaxError`` or ``ValueError`` if unreadable."""
    return tuple(_rewritten(source, "", RECORD, 0)[0].decisions)


def instrument(
    source: str, path: str, record: str = RECORD, first: int = 0
) -> Tuple[ast.Module, List[str]]:
    """Return the ids of a module's points, rewritten to ``record`` hits from ``first`` on."""
    rewriter, module = _rewritten(source, path, record, first)
    return module, rewriter.points


def _rewritten(source: str, path: str, record: str, first: int) -> Tuple[Rewriter, ast.Module]:
    source = source.lstrip("\ufeff")
    rewriter = Rewriter(source, path, record, first)
    module = rewriter.visit(ast.parse(source))
    return rewriter, ast.fix_missing_locations(module)


__all__ = ["RECORD", "Clause", "Decision", "Recorder", "decisions", "instrument"]
