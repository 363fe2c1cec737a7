"""Code that is ready for a name not being there."""

from __future__ import annotations

import ast
import re

_EXPECTED = frozenset(
    {"ImportError", "ModuleNotFoundError", "AttributeError", "NameError", "TypeError"}
    | {"Exception", "BaseException", "ValueError", "RuntimeError"}
)
_ASKS = re.compile(
    r"hasattr|getattr|version|Version|VERSION|TYPE_CHECKING|find_spec|available|AVAILABLE|compat"
    r"|legacy|HAS_|has_|TF1|TF2|tf1|tf2|PY2|PY3|PY_"
)
_ANSWERS = re.compile(r"hasattr|getattr|[vV]ersion|VERSION|find_spec")
_ENDS = (ast.Return, ast.Raise, ast.Continue, ast.Break)


class Guards:
    """The parts of a file that run only where something is there, or may fail."""

    def __init__(self, tree: ast.Module, known: frozenset[str] = frozenset()) -> None:
        """``known`` are imported names that tell what is there, as :func:`answers` finds them."""
        self._covered: set[int] = set()
        self._answers = answers(tree, known)
        for node in ast.walk(tree):
            if self._is_ready(node):
                self._cover(node)
            for body in _bodies(node):
                self._after(body)

    def covers(self, node: ast.AST) -> bool:
        """Whether a node stands in such a part."""
        return id(node) in self._covered

    def _cover(self, node: ast.AST) -> None:
        self._covered.update(id(inner) for inner in ast.walk(node))

    def _after(self, body: list[ast.stmt]) -> None:
        """What follows ``if not hasattr(…): return``."""
        for number, node in enumerate(body):
            if not isinstance(node, ast.If) or not self._asks(node.test):
                continue
            if isinstance(node.body[-1], _ENDS):
                for later in body[number + 1 :]:
                    self._cover(later)
                return

    def _is_ready(self, node: ast.AST) -> bool:
        """Return whether what a node holds may fail, or is asked for first."""
        match node:
            case ast.Try():
                return any(map(_expects, node.handlers))
            case ast.If() | ast.IfExp() | ast.While():
                return self._asks(node.test)
            case ast.BoolOp():
                return self._asks(node)
            case _:
                return False

    def _asks(self, test: ast.expr) -> bool:
        return _ASKS.search(ast.unparse(test)) is not None or bool(_names(test) & self._answers)


def answers(tree: ast.Module, known: frozenset[str] = frozenset()) -> frozenset[str]:
    """Return the names that tell which version is there, or what it has.

    Those are bound to a version or to ``hasattr``, in a ``try`` that expects an import to
    fail, or to what is computed of other such names; and functions that return it.
    """
    found = set(known)
    for node in ast.walk(tree):
        if isinstance(node, ast.Try) and any(map(_expects, node.handlers)):
            found.update(name for inner in ast.walk(node) for name in _bound(inner))
    count = -1
    while count != len(found):
        count = len(found)
        for node in ast.walk(tree):
            if _is_answer(node, found):
                found.update(_bound(node))
    return frozenset(found)


def _is_answer(node: ast.AST, known: set[str]) -> bool:
    values: list[ast.expr | None]
    match node:
        case ast.Assign(value=value) | ast.NamedExpr(value=value):
            values = [value]
        case ast.FunctionDef():
            values = [each.value for each in ast.walk(node) if isinstance(each, ast.Return)]
        case _:
            values = []
    return any(
        value is not None and (_ANSWERS.search(ast.unparse(value)) or _names(value) & known)
        for value in values
    )


def _bound(node: ast.AST) -> list[str]:
    """Return the names that a statement binds."""
    match node:
        case ast.Import(names=names) | ast.ImportFrom(names=names):
            return [each.asname or each.name.partition(".")[0] for each in names]
        case ast.FunctionDef(name=name):
            return [name]
        case ast.Assign(targets=targets):
            return [name for each in targets for name in _names(each)]
        case ast.NamedExpr(target=target):
            return [target.id]
        case _:
            return []


def _names(node: ast.AST) -> set[str]:
    return {each.id for each in ast.walk(node) if isinstance(each, ast.Name)}


def _bodies(node: ast.AST) -> list[list[ast.stmt]]:
    found = [getattr(node, name, None) for name in ("body", "orelse", "finalbody")]
    return [body for body in found if isinstance(body, list)]


def _expects(handler: ast.ExceptHandler) -> bool:
    if handler.type is None:
        return True
    names = {n.id for n in ast.walk(handler.type) if isinstance(n, ast.Name)}
    return bool(names & _EXPECTED)
