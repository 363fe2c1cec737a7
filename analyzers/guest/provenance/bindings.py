"""Bindings of a scope's names, and the conditions of its statements, read from syntax."""

from __future__ import annotations

import ast
import functools
import itertools
from dataclasses import dataclass
from typing import Any, Dict, FrozenSet, Iterable, Iterator, List, Optional, Sequence, Tuple, Union

INJECTED = frozenset(
    ("_", "In", "Out", "basestring", "cmp", "copyright", "credits", "dbutils", "display",
     "execfile", "exit", "file", "get_ipython", "license", "long", "ngettext", "profile", "quit",
     "raw_input", "reduce", "reload", "reveal_type", "sc", "snakemake", "spark", "sqlContext",
     "unichr", "unicode", "WindowsError", "xrange")
)  # fmt: skip
"""Names of Python 2, of notebooks and of tools, which no file binds."""
LEAST = 4
LONG = 6
LONGEST = 60


def near(wrong: str, candidates: Iterable[str]) -> str:
    """Return the one candidate that a slip of the pen makes of ``wrong``, or nothing.

    A slip is a letter too many or too few, another letter, or two letters that
    changed places; in a name of six letters or more two slips.  Names that differ
    in digits are other names.
    """
    if not LEAST <= len(wrong) <= LONGEST:
        return ""
    most = 1 if len(wrong) < LONG else 2
    found = {each for each in candidates if _is_slip(wrong, each, most)}
    return found.pop() if len(found) == 1 else ""


def _is_slip(wrong: str, meant: str, most: int) -> bool:
    if wrong == meant or abs(len(wrong) - len(meant)) > most:
        return False
    if [c for c in wrong if c.isdigit()] != [c for c in meant if c.isdigit()]:
        return False
    return distance(wrong, meant) <= most


def distance(one: str, other: str) -> int:
    """Count the least slips that make one name of another (optimal string alignment)."""
    rows = [list(range(len(other) + 1))]
    for i, a in enumerate(one, 1):
        row = [i]
        for j, b in enumerate(other, 1):
            cost = min(rows[-1][j] + 1, row[-1] + 1, rows[-1][j - 1] + (a != b))
            if i > 1 and j > 1 and a == other[j - 2] and one[i - 2] == b:
                cost = min(cost, rows[-2][j - 2] + 1)
            row.append(cost)
        rows.append(row)
    return rows[-1][-1]


FunctionNode = Union[ast.FunctionDef, ast.AsyncFunctionDef]
FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef)
_DEFINITIONS = (*FUNCTIONS, ast.ClassDef)
_IMPORTS = (ast.Import, ast.ImportFrom)
_EXITS = (ast.Return, ast.Continue, ast.Break, ast.Raise)
_MATCH = getattr(ast, "Match", ())
MUTATORS = frozenset(
    ("add", "append", "appendleft", "clear", "discard", "extend", "insert", "pop", "popitem",
     "remove", "reverse", "setdefault", "sort", "update")
)  # fmt: skip


@dataclass(frozen=True)
class Binding:
    """A node that binds or changes a name; ``value`` is what it gives, if that can be read."""

    node: ast.AST
    value: Optional[ast.AST]


@functools.lru_cache(maxsize=32)
def parents(tree: ast.AST) -> Dict[ast.AST, ast.AST]:
    """Map each node of a tree to its parent."""
    return {
        child: node
        for node in ast.walk(tree)
        if not isinstance(node, ast.expr_context)
        for child in ast.iter_child_nodes(node)
    }


def ancestors(node: ast.AST, tree: ast.AST) -> Iterator[ast.AST]:
    """Yield the nodes around a node, the innermost first."""
    known = parents(tree)
    while node in known:
        node = known[node]
        yield node


def is_main_guard(node: ast.AST) -> bool:
    """Return whether a statement is ``if __name__ == "__main__":``."""
    names = ast.walk(node.test) if isinstance(node, ast.If) else ()
    return any(isinstance(name, ast.Name) and name.id == "__name__" for name in names)


@functools.lru_cache(maxsize=256)
def function_at(tree: ast.AST, name: str, line: int) -> Optional[FunctionNode]:
    """Return the function of a name whose definition, or first decorator, is at a line."""
    named = (n for n in ast.walk(tree) if isinstance(n, FUNCTIONS) and n.name == name)
    starts = ((n, (n.lineno, *(each.lineno for each in n.decorator_list))) for n in named)
    return next((node for node, lines in starts if line in lines), None)


def own_nodes(scope: ast.AST) -> Iterator[ast.AST]:
    """Yield the nodes of a scope, without those within inner functions and classes."""
    waiting: List[ast.AST] = list(ast.iter_child_nodes(scope))
    while waiting:
        node = waiting.pop()
        yield node
        if not isinstance(node, (*_DEFINITIONS, ast.Lambda)):
            waiting += ast.iter_child_nodes(node)


@functools.lru_cache(maxsize=4096)
def bindings(scope: ast.AST) -> Dict[str, List[Binding]]:
    """Return what a function or module binds each of its names to, changes of it included."""
    found: Dict[str, List[Binding]] = {}
    for node in own_nodes(scope):
        for name, value in _bound(node):
            found.setdefault(name, []).append(Binding(node, value))
    return found


def _bound(node: ast.AST) -> Iterator[Tuple[str, Optional[ast.AST]]]:
    if isinstance(node, _DEFINITIONS):
        yield node.name, node
    elif isinstance(node, _IMPORTS):
        for alias in node.names:
            yield alias.asname or alias.name.partition(".")[0], node
    elif isinstance(node, ast.ExceptHandler):
        if node.name:
            yield node.name, None
    elif isinstance(node, ast.Call):
        method = node.func
        mutates = isinstance(method, ast.Attribute) and method.attr in MUTATORS
        if isinstance(method, ast.Attribute) and mutates and isinstance(method.value, ast.Name):
            given = [*node.args, *(each.value for each in node.keywords)]
            yield method.value.id, ast.Tuple(given, ast.Load())
    else:
        for target, value in assigned(node):
            yield from _stored(target, value)


def assigned(node: ast.AST) -> Iterator[Tuple[ast.AST, Optional[ast.AST]]]:
    """Yield the targets that a node gives a value, and that value where it can be read."""
    if isinstance(node, ast.Assign):
        yield from ((target, node.value) for target in node.targets)
    elif isinstance(node, (ast.AnnAssign, ast.AugAssign, ast.NamedExpr)):
        if node.value is not None:
            yield node.target, node.value
    elif isinstance(node, (ast.For, ast.AsyncFor, ast.comprehension)):
        yield node.target, node.iter
    elif isinstance(node, ast.withitem) and node.optional_vars is not None:
        yield node.optional_vars, node.context_expr
    elif isinstance(node, ast.Delete):
        yield from ((target, None) for target in node.targets)
    elif _MATCH and isinstance(node, (ast.MatchAs, ast.MatchStar)) and node.name:
        yield ast.Name(node.name, ast.Store()), None


def _stored(target: ast.AST, value: Optional[ast.AST]) -> Iterator[Tuple[str, Optional[ast.AST]]]:
    if isinstance(target, ast.Name):
        yield target.id, value
    elif isinstance(target, (ast.Tuple, ast.List)):
        for each in target.elts:
            yield from _stored(each, value)
    elif isinstance(target, ast.Starred):
        yield from _stored(target.value, value)
    elif isinstance(target, (ast.Subscript, ast.Attribute)) and isinstance(target.value, ast.Name):
        yield target.value.id, value
        if isinstance(target, ast.Subscript):
            yield target.value.id, target.slice


def handed_on(scope: ast.AST, name: str) -> Iterator[ast.Call]:
    """Yield the calls that take a name's value as it is, and may change it."""
    for node in own_nodes(scope):
        if isinstance(node, ast.Call):
            given = [*node.args, *(each.value for each in node.keywords)]
            if any(isinstance(each, ast.Name) and each.id == name for each in given):
                yield node


Asked = FrozenSet[Tuple[Any, ...]]
"""The places that asked an ML API: files and lines, or files, lines and columns, of calls."""


def asks_service(node: ast.expr, path: Any, asked: Asked) -> bool:
    """Return whether an expression is, or stands on a line with, a call that asked an ML API."""
    exact = (path, node.lineno, node.col_offset, node.end_lineno, node.end_col_offset)
    lines = range(node.lineno, (node.end_lineno or node.lineno) + 1)
    return exact in asked or any((path, line) in asked for line in lines)


@dataclass(frozen=True)
class Control:
    """The conditions around a node, ``exits`` before it, and if an error was ``caught``."""

    conditions: Sequence[ast.AST]
    exits: Sequence[ast.AST]
    caught: bool


def control(node: ast.AST, scope: ast.AST, tree: ast.AST) -> Control:
    """Read what decides whether a node of a scope runs."""
    conditions: List[ast.AST] = []
    exits: List[ast.AST] = []
    caught = False
    inner = node
    for outer in ancestors(node, tree):
        conditions += _conditions(outer, inner)
        exits += _exits(outer, inner)
        caught = caught or _is_caught(outer, inner)
        if outer is scope:
            break
        inner = outer
    return Control(conditions, exits, caught)


def _conditions(outer: ast.AST, inner: ast.AST) -> Iterator[ast.AST]:
    if isinstance(outer, (ast.If, ast.While, ast.IfExp)):
        if inner is not outer.test:
            yield outer.test
    elif isinstance(outer, (ast.For, ast.AsyncFor)):
        if inner is not outer.iter:
            yield outer.iter
    elif isinstance(outer, ast.BoolOp):
        yield from itertools.takewhile(lambda value: value is not inner, outer.values)
    elif _MATCH and isinstance(outer, ast.Match):
        yield outer.subject
    elif _MATCH and isinstance(outer, ast.match_case) and outer.guard is not None:
        yield outer.guard


def _exits(outer: ast.AST, inner: ast.AST) -> Iterator[ast.AST]:
    for block in ("body", "orelse", "finalbody"):
        statements = getattr(outer, block, None)
        if isinstance(statements, list) and inner in statements:
            for earlier in statements[: statements.index(inner)]:
                yield from _leaving(earlier)


def _leaving(statement: ast.AST) -> Iterator[ast.AST]:
    inside = [statement, *own_nodes(statement)]
    if isinstance(statement, _DEFINITIONS) or not any(isinstance(n, _EXITS) for n in inside):
        return
    for node in inside:
        if isinstance(node, (ast.If, ast.While)):
            yield node.test
        elif isinstance(node, (ast.For, ast.AsyncFor)):
            yield node.iter


def _is_caught(outer: ast.AST, inner: ast.AST) -> bool:
    """Return whether a part of a statement runs, or ends early, for an exception that is caught."""
    if isinstance(outer, ast.ExceptHandler):
        return True
    if type(outer).__name__ in ("Try", "TryStar"):
        tried: Any = outer
        return bool(tried.handlers) and inner in (*tried.body, *tried.orelse)
    return isinstance(outer, (ast.With, ast.AsyncWith)) and any(
        "suppress" in ast.dump(item.context_expr) for item in outer.items
    )
