"""Functions that return a value on some paths and nothing on another, where that raises.

Two uses are certain: a view of Flask, which refuses nothing as an answer, and an expression
that takes a part of the result at once.
"""

from __future__ import annotations

import ast
import functools
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from analyzers.guest.provenance.bindings import FUNCTIONS, FunctionNode, own_nodes
from analyzers.source_checks.parsed_text import parsed
from analyzers.source_checks.unbound_names import function_name, is_spared, leaves

_LEAVING = (ast.Return, ast.Raise, ast.Continue, ast.Break)
_ROUTES = frozenset(("route", "get", "post", "put", "delete", "patch"))
_APPS = frozenset(("Flask", "Blueprint"))
_TRIES = tuple(getattr(ast, name) for name in ("Try", "TryStar") if hasattr(ast, name))


@dataclass(frozen=True)
class MissingReturn:
    """A function that ends without a value in ``line``, and the code that takes a part of it.

    A view is used by Flask: ``used`` is empty, ``user`` and ``used_at`` are its own.
    """

    function: str
    line: int
    used: str
    user: str
    used_at: int

    @property
    def key(self) -> str:
        """The identity over shifts of lines."""
        return f"{self.function}: {self.used}"


@functools.lru_cache(maxsize=64)
def missing_returns(text: str) -> Sequence[MissingReturn]:
    """Return the functions of a file whose missing value raises; none of one without syntax."""
    tree = parsed(text)
    if tree is None:
        return ()
    apps = frozenset(_apps(tree))
    found: list[MissingReturn] = []
    ends: dict[str, int] = {}
    for node in ast.walk(tree):
        if isinstance(node, FUNCTIONS) and _returns_values(node):
            name = function_name(node.body[0], tree)
            view = any(_is_route(each, apps) for each in node.decorator_list)
            line = _end(node.body, certain=not view)
            if line is not None and view:
                found.append(MissingReturn(name, line, "", name, line))
            elif line is not None and not node.decorator_list:
                ends[name] = line
    found += _used(tree, ends)
    return tuple(found)


def _apps(tree: ast.AST) -> Iterator[str]:
    """Yield the names that a file gives to applications and blueprints of Flask."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Assign) and isinstance(node.value, ast.Call):
            made: Any = node.value.func
            if (getattr(made, "id", None) or getattr(made, "attr", "")) in _APPS:
                yield from (each.id for each in node.targets if isinstance(each, ast.Name))


def _is_route(node: ast.AST, apps: frozenset[str]) -> bool:
    made = node.func if isinstance(node, ast.Call) else None
    return (
        isinstance(made, ast.Attribute)
        and made.attr in _ROUTES
        and isinstance(made.value, ast.Name)
        and made.value.id in apps
    )


def _returns_values(function: FunctionNode) -> bool:
    """Return whether a function, no generator, returns something on some path."""
    inner = list(own_nodes(function))
    if any(isinstance(node, (ast.Yield, ast.YieldFrom)) for node in inner):
        return False
    returned = (node.value for node in inner if isinstance(node, ast.Return))
    return any(value is not None and not _is_nothing(value) for value in returned)


def _is_nothing(value: ast.AST | None) -> bool:
    return value is None or (isinstance(value, ast.Constant) and value.value is None)


def _end(body: Sequence[ast.stmt], *, certain: bool) -> int | None:
    """Return the line of a path on which a block ends without leaving, if there is one.

    ``certain``: only by a branch that the code spells out, not by what no branch is for.
    """
    last = body[-1]
    if isinstance(last, ast.If):
        inside = _end(last.body, certain=certain)
        if last.orelse:
            return inside or _end(last.orelse, certain=certain)
        silent = certain or "method" in ast.unparse(last.test)
        return inside if silent else inside or last.lineno
    if isinstance(last, (ast.With, ast.AsyncWith)):
        return _end(last.body, certain=certain)
    if isinstance(last, _TRIES):
        return _end_of_try(last, certain=certain)
    if isinstance(last, (*_LEAVING, ast.For, ast.AsyncFor, ast.While)) or _exits(last):
        return None
    return None if hasattr(ast, "Match") and isinstance(last, ast.Match) else last.lineno


def _end_of_try(tried: Any, *, certain: bool) -> int | None:
    if tried.finalbody:
        return None
    blocks = [tried.orelse or tried.body, *(each.body for each in tried.handlers)]
    return next(filter(None, (_end(block, certain=certain) for block in blocks)), None)


def _exits(statement: ast.stmt) -> bool:
    calls = (node.func for node in ast.walk(statement) if isinstance(node, ast.Call))
    return any(map(leaves, calls))


def _used(tree: ast.Module, ends: dict[str, int]) -> Iterator[MissingReturn]:
    """Yield the expressions that take a part of what a function of the file may not return."""
    for node in ast.walk(tree):
        call = node.value if isinstance(node, (ast.Attribute, ast.Subscript)) else None
        if not isinstance(call, ast.Call) or is_spared(node, tree):
            continue
        user = function_name(node, tree)
        called = _called(call.func, user)
        if called in ends:
            code = " ".join(ast.unparse(node).split())
            yield MissingReturn(called, ends[called], code, user, _line(node))


def _called(function: ast.AST, user: str) -> str:
    """Return the qualified name of a function of the file, or of the user's own class."""
    if isinstance(function, ast.Name):
        return function.id
    owner = function.value if isinstance(function, ast.Attribute) else None
    own = isinstance(owner, ast.Name) and owner.id in ("self", "cls") and "." in user
    if own and isinstance(function, ast.Attribute):
        return f"{user.rpartition('.')[0]}.{function.attr}"
    return ""


def _line(node: ast.expr | ast.AST) -> int:
    return int(getattr(node, "lineno", 1))
