"""Numbers decisions and clauses, and makes the nodes that record them."""

from __future__ import annotations

import ast
from dataclasses import replace
from typing import Dict, List, Optional, Tuple, TypeVar

from .conditions import Clause, Decision, Span, Text, core, leaves
from .members import Bindings, Members

_Node = TypeVar("_Node", bound=ast.AST)
_Key = Tuple[Optional[int], Optional[str]]


class Scribe(ast.NodeTransformer):
    """Numbers the decisions that a walk announces, and makes the recording calls.

    After :meth:`visit` of the module, ``decisions`` and ``points`` are in
    source order; a point's number is ``first`` plus its place in ``points``.
    """

    def __init__(self, source: str, path: str, record: str, first: int) -> None:
        self.decisions: List[Decision] = []
        self.points: List[str] = []
        self._text = Text(source)
        self._path = path
        self._record = record
        self._first = first
        self._function = "<module>"
        self._prefix = ""
        self._counts: Dict[str, int] = {}
        self._scopes: List[Bindings] = []
        self._own: Optional[Bindings] = None
        self._within: Optional[ast.expr] = None
        self._numbers: Dict[Tuple[int, Optional[int], Optional[str]], int] = {}

    # ---------------------------------------------------------- numbering

    def _announce(self, kind: str, node: ast.expr) -> int:
        """Note a decision with its clauses; give the number of its first point."""
        shown = self._within or node
        clauses: List[Clause] = []
        for ordinal, (leaf, link) in enumerate(leaves(node)):
            clauses.append(self._clause(ordinal, leaf, link, core(node)))
        kept = [c for c in clauses if c.members or not c.whole]
        renumbered = [_numbered(clause, at) for at, clause in enumerate(kept)]
        text = self._expression(node, node)
        number = self._note(kind, text, self._text.span(shown), tuple(renumbered))
        at = {c.ordinal: i for i, c in enumerate(kept)}
        decision = self.decisions[-1]
        keys: Dict[_Key, int] = {}
        for offset, (clause, member, outcome) in enumerate(decision.outcomes):
            if outcome == "true":
                keys.setdefault((clause, None if member is None else ""), number + offset)
        for ordinal, (leaf, link) in enumerate(leaves(node)):
            for member in (None, ""):
                found = keys.get((at.get(ordinal, -1), member))
                if found is not None:
                    self._numbers[id(leaf), link, member] = found
        return number

    def _clause(self, ordinal: int, leaf: ast.expr, link: Optional[int], whole: ast.expr) -> Clause:
        members: Tuple[str, ...] = ()
        first, last = leaf, leaf
        if isinstance(leaf, ast.Compare):
            if link is not None:
                first = leaf.left if link == 0 else leaf.comparators[link - 1]
                last = leaf.comparators[link]
            elif isinstance(leaf.ops[0], (ast.In, ast.NotIn)):
                members = self._members().of(leaf.comparators[0])
        span = self._text.span(self._within or first, self._within or last)
        text = self._expression(first, last)
        whole_of_it = leaf is whole and link is None
        return Clause(ordinal, *span, text, members, whole_of_it)

    def _expression(self, first: ast.expr, last: ast.expr) -> str:
        if self._within is not None:
            return ast.unparse(first)
        return self._text.between(first, last)

    def _one(self, kind: str, text: str, first: ast.AST, last: ast.AST) -> int:
        span = self._text.span(self._within or first, self._within or last)
        if first is last and kind == "except":
            span = (span[0], span[1], span[0], span[1] + len("except"))
        return self._note(kind, text, span, ())

    def _note(self, kind: str, text: str, span: Span, clauses: Tuple[Clause, ...]) -> int:
        ordinal = self._counts.get(self._function, 0)
        self._counts[self._function] = ordinal + 1
        decision = Decision(self._function, ordinal, kind, *span, text, clauses)
        number = self._first + len(self.points)
        self.decisions.append(decision)
        self.points += decision.points(self._path)
        return number

    def _members(self) -> Members:
        return Members(self._scopes, self._own)

    # ----------------------------------------------------------- new nodes

    def _call(
        self,
        method: str,
        value: ast.expr,
        number: Optional[int] = None,
        *more: ast.expr,
    ) -> ast.expr:
        recorder = ast.Name(self._record, ast.Load())
        arguments: List[ast.expr] = []
        if number is not None:
            arguments = [ast.Constant(number), value, *more]
        call = ast.Call(ast.Attribute(recorder, method, ast.Load()), arguments, [])
        return located(call, value)

    def _mark(self, number: int, statement: ast.stmt) -> ast.stmt:
        recorder = ast.Name(self._record, ast.Load())
        function = ast.Attribute(recorder, "point", ast.Load())
        mark = ast.Expr(ast.Call(function, [ast.Constant(number)], []))
        return located(mark, statement)


def located(node: _Node, at: ast.AST) -> _Node:
    """Give a new node, and all below it, the place of an old one."""
    ast.copy_location(node, at)
    return ast.fix_missing_locations(node)


def _numbered(clause: Clause, ordinal: int) -> Clause:
    return replace(clause, ordinal=ordinal)
