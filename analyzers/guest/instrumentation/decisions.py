"""Decisions and their clauses, as they stand in a syntax tree.

A decision is a condition that the program asks; its clauses are the operands
of ``and``, ``or`` and ``not``, the links of a chained comparison and the
elements of ``any()`` and ``all()``.
"""

from __future__ import annotations

import ast
import re
from dataclasses import dataclass
from typing import Iterator, List, Optional, Tuple

Outcomes = List[Tuple[Optional[int], Optional[str], str]]
Span = Tuple[int, int, int, int]
Leaf = Tuple[ast.expr, Optional[int]]


@dataclass(frozen=True)
class Clause:
    """One operand of a decision.

    ``members`` are Python literals where the clause is ``x in CONSTANTS``.
    ``whole``: the clause is the decision itself (perhaps negated), so its own
    outcomes say nothing new.  Lines are 1-based; columns count characters
    from 0; the end column is exclusive, as in :mod:`ast`.
    """

    ordinal: int
    line: int
    column: int
    end_line: int
    end_column: int
    text: str
    members: Tuple[str, ...] = ()
    whole: bool = False


@dataclass(frozen=True)
class Decision:
    """One condition of a function, numbered in source order.

    ``function`` is the qualified name (``<module>`` and ``__main__`` for code
    outside functions).  Lines and columns as in :class:`Clause`.
    """

    function: str
    ordinal: int
    kind: str
    line: int
    column: int
    end_line: int
    end_column: int
    text: str
    clauses: Tuple[Clause, ...] = ()

    @property
    def outcomes(self) -> Outcomes:
        """``(clause, member, "true" | "false")`` of every point, in order."""
        if self.kind in ONE_WAY:
            return [(None, None, "true")]
        found: Outcomes = [(None, None, "true"), (None, None, "false")]
        for clause in self.clauses:
            if not clause.whole:
                found += [(clause.ordinal, None, "true")]
                found += [(clause.ordinal, None, "false")]
            found += [(clause.ordinal, member, "true") for member in clause.members]
        return found

    def points(self, path: str) -> List[str]:
        """Give the ids of the points of this decision in the file ``path``."""
        start = f"{path}::{self.function}#{self.ordinal}"
        return [
            start
            + ("" if clause is None else f".{clause}")
            + ("" if member is None else f"={member}")
            + f":{outcome}"
            for clause, member, outcome in self.outcomes
        ]


ONE_WAY = ("except", "match")


class NodeText:
    """A source text that finds the characters of a node."""

    def __init__(self, source: str) -> None:
        self._lines = [
            line.encode("utf-8", "surrogatepass") for line in re.split("\r\n|\r|\n", source)
        ]

    def column(self, line: int, offset: int) -> int:
        """Give the 0-based character column of a UTF-8 byte offset in a line."""
        if not 1 <= line <= len(self._lines):
            return offset
        return len(self._lines[line - 1][:offset].decode("utf-8", "replace"))

    def span(self, first: ast.AST, last: Optional[ast.AST] = None) -> Span:
        """Give ``(line, column, end_line, end_column)`` from ``first`` to ``last``."""
        last = last or first
        line, end_line = getattr(first, "lineno", 1), getattr(last, "end_lineno", 1)
        return (
            line,
            self.column(line, getattr(first, "col_offset", 0)),
            end_line,
            self.column(end_line, getattr(last, "end_col_offset", 0)),
        )

    def between(self, first: ast.AST, last: ast.AST) -> str:
        """Give the text from the start of ``first`` to the end of ``last``."""
        line, end_line = getattr(first, "lineno", 1), getattr(last, "end_lineno", 1)
        lines = self._lines[line - 1 : end_line]
        if not lines:
            return ""
        lines[-1] = lines[-1][: getattr(last, "end_col_offset", 0)]
        lines[0] = lines[0][getattr(first, "col_offset", 0) :]
        return b"\n".join(lines).decode("utf-8", "replace")


def is_structure(node: ast.AST) -> bool:
    """Whether an expression is a condition wherever it stands."""
    return (
        isinstance(node, (ast.BoolOp, ast.Compare))
        or (isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not))
        or bool(elements(node))
    )


def elements(node: ast.AST) -> List[ast.expr]:
    """List the conditions inside ``any(...)`` or ``all(...)``; empty otherwise."""
    if not (
        isinstance(node, ast.Call)
        and isinstance(node.func, ast.Name)
        and node.func.id in ("any", "all")
        and len(node.args) == 1
        and not node.keywords
    ):
        return []
    argument = node.args[0]
    if isinstance(argument, (ast.GeneratorExp, ast.ListComp, ast.SetComp)):
        return [argument.elt]
    if isinstance(argument, (ast.List, ast.Tuple)) and not any(
        isinstance(element, ast.Starred) for element in argument.elts
    ):
        return list(argument.elts)
    return []


def leaves(node: ast.expr) -> Iterator[Leaf]:
    """Yield the clauses of a condition, in source order.

    An operand that is a constant is no clause (``names or None``).
    The second item is the number of the link for a chained comparison.
    """
    if isinstance(node, ast.BoolOp):
        for value in node.values:
            yield from leaves(value)
    elif isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not):
        yield from leaves(node.operand)
    elif isinstance(node, ast.Compare) and len(node.ops) > 1:
        for link in range(len(node.ops)):
            yield node, link
    elif not _is_constant(node):
        yield node, None
        for element in elements(node):
            yield from leaves(element)


def _is_constant(node: ast.expr) -> bool:
    empty = isinstance(node, (ast.List, ast.Tuple)) and not node.elts
    return empty or isinstance(node, ast.Constant) or ast.dump(node) == _EMPTY_DICT


_EMPTY_DICT = ast.dump(ast.Dict([], []))


def core(node: ast.expr) -> ast.expr:
    """Strip a condition of the negations around it."""
    while isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not):
        node = node.operand
    return node
