"""Decisions and their clauses (operands, links, elements of ``any`` and ``all``) in a tree."""

from __future__ import annotations

import ast
import re
from dataclasses import dataclass, replace
from typing import Dict, Iterator, List, Optional, Sequence, Tuple, TypeVar

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
    """One condition of a function, numbered in source order; positions as in :class:`Clause`."""

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
    """Return whether an expression is a condition wherever it stands."""
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
    """Yield the clauses of a condition in source order, with the number of a chain's link."""
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


Bindings = Dict[str, List[Optional[ast.expr]]]
_SCOPES = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef, ast.Lambda)
_COPIES = ("frozenset", "set", "tuple", "list", "sorted")
_SIMPLE = (str, int, float, bytes, bool, type(None))


def bindings(scope: ast.AST) -> Bindings:
    """Return the expressions bound to each name of a scope; ``None`` for no plain assignment."""
    found: Bindings = {}
    arguments = getattr(scope, "args", None)
    if isinstance(arguments, ast.arguments):
        for node in ast.walk(arguments):
            if isinstance(node, ast.arg):
                found.setdefault(node.arg, []).append(None)
    body = getattr(scope, "body", [])
    for statement in body if isinstance(body, list) else []:
        for name, value in _bound(statement):
            found.setdefault(name, []).append(value)
    for node in ast.walk(scope) if isinstance(scope, ast.Module) else ():
        for name in node.names if isinstance(node, ast.Global) else ():
            found.setdefault(name, []).append(None)
    return found


def _bound(node: ast.AST) -> Iterator[Tuple[str, Optional[ast.expr]]]:
    if isinstance(node, (ast.Assign, ast.AnnAssign)):
        yield from _assigned(node)
        children: List[ast.AST] = [node.value] if node.value else []
    else:
        yield from ((name, None) for name in _named(node))
        children = [] if isinstance(node, _SCOPES) else list(ast.iter_child_nodes(node))
    for child in children:
        yield from _bound(child)


def _assigned(node: ast.AST) -> Iterator[Tuple[str, Optional[ast.expr]]]:
    targets = node.targets if isinstance(node, ast.Assign) else [node.target]  # type: ignore[attr-defined]
    value = node.value  # type: ignore[attr-defined]
    for target in targets:
        if isinstance(target, ast.Name):
            yield target.id, value
        else:
            yield from _bound(target)


def _named(node: ast.AST) -> List[str]:
    if isinstance(node, ast.Name):
        return [] if isinstance(node.ctx, ast.Load) else [node.id]
    if isinstance(node, (ast.Global, ast.Nonlocal)):
        return node.names * 2
    if isinstance(node, ast.alias):
        return [(node.asname or node.name).split(".")[0]]
    found = [getattr(node, field, None) for field in ("name", "rest")]
    return [name for name in found if isinstance(name, str)]


class ContainerMembers:
    """Finds the literals in a container expression, by ``scopes``, innermost last, and ``own``."""

    def __init__(self, scopes: Sequence[Bindings], own: Optional[Bindings]) -> None:
        self._scopes = scopes
        self._own = own

    def of(self, node: ast.expr, depth: int = 0) -> Tuple[str, ...]:
        """Python literals, each once; empty when they are not all known."""
        values = self._values(node, depth)
        return tuple(dict.fromkeys(values)) if values else ()

    def _values(self, node: Optional[ast.expr], depth: int) -> Optional[List[str]]:
        if node is None or depth > 5:
            return None
        if isinstance(node, (ast.Tuple, ast.List, ast.Set)):
            return _literals(node.elts)
        if isinstance(node, ast.Dict):
            return _literals(node.keys)
        if isinstance(node, ast.BinOp) and isinstance(node.op, (ast.Add, ast.BitOr)):
            left = self._values(node.left, depth + 1)
            right = self._values(node.right, depth + 1)
            return None if left is None or right is None else left + right
        if isinstance(node, ast.Call):
            return self._values(_copied(node), depth + 1)
        return self._values(self._resolved(node), depth + 1)

    def _resolved(self, node: ast.expr) -> Optional[ast.expr]:
        if isinstance(node, ast.Name):
            for scope in reversed(self._scopes):
                if node.id in scope:
                    return _only(scope[node.id])
        elif (
            isinstance(node, ast.Attribute)
            and isinstance(node.value, ast.Name)
            and node.value.id in ("self", "cls")
        ):
            return _only((self._own or {}).get(node.attr, []))
        return None


def _only(values: Sequence[Optional[ast.expr]]) -> Optional[ast.expr]:
    return values[0] if len(values) == 1 else None


def _copied(node: ast.Call) -> Optional[ast.expr]:
    function = node.func
    if isinstance(function, ast.Name) and function.id in _COPIES:
        return node.args[0] if len(node.args) == 1 and not node.keywords else None
    if isinstance(function, ast.Attribute) and function.attr == "keys":
        return function.value
    return None


def _literals(nodes: Sequence[Optional[ast.expr]]) -> Optional[List[str]]:
    found: List[str] = []
    for node in nodes:
        try:
            value = ast.literal_eval(node) if node is not None else ...
        except (ValueError, TypeError, SyntaxError):
            return None
        if not isinstance(value, _SIMPLE):
            return None
        found.append(repr(value))
    return found


_Node = TypeVar("_Node", bound=ast.AST)
_Key = Tuple[Optional[int], Optional[str]]


class DecisionNumberer(ast.NodeTransformer):
    """Numbers announced decisions and makes the recording calls, points from ``first`` on."""

    def __init__(self, source: str, path: str, record: str, first: int) -> None:
        self.decisions: List[Decision] = []
        self.points: List[str] = []
        self._text = NodeText(source)
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
        renumbered = [replace(clause, ordinal=at) for at, clause in enumerate(kept)]
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

    def _members(self) -> ContainerMembers:
        return ContainerMembers(self._scopes, self._own)

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
