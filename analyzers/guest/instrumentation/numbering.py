"""Numbers decisions and clauses, and makes the nodes that record them."""

from __future__ import annotations

import ast
from dataclasses import replace
from typing import Dict, Iterator, List, Optional, Sequence, Tuple, TypeVar

from .decisions import Clause, Decision, NodeText, Span, core, leaves

Bindings = Dict[str, List[Optional[ast.expr]]]
_SCOPES = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef, ast.Lambda)
_COPIES = ("frozenset", "set", "tuple", "list", "sorted")
_SIMPLE = (str, int, float, bytes, bool, type(None))


def bindings(scope: ast.AST) -> Bindings:
    """Every name bound in a scope, with the expressions bound to it.

    ``None`` stands for a binding that is not a plain assignment.
    """
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
    """Finds the literals that a container expression holds.

    ``scopes`` are the bindings around the expression, innermost last;
    ``own`` those of the class around it.
    """

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
    """Numbers the decisions that a walk announces, and makes the recording calls.

    After :meth:`visit` of the module, ``decisions`` and ``points`` are in
    source order; a point's number is ``first`` plus its place in ``points``.
    """

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
