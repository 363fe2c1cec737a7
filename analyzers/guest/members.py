"""The members of the constant containers that conditions look into."""

from __future__ import annotations

import ast
from typing import Dict, Iterator, List, Optional, Sequence, Tuple

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


class Members:
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
