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
_ENDS = (ast.Return, ast.Raise, ast.Continue, ast.Break)


class Guards:
    """The parts of a file that run only where something is there, or may fail."""

    def __init__(self, tree: ast.Module) -> None:
        self._covered: set[int] = set()
        for node in ast.walk(tree):
            if _is_ready(node):
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
            if isinstance(node, ast.If) and _asks(node.test) and isinstance(node.body[-1], _ENDS):
                for later in body[number + 1 :]:
                    self._cover(later)
                return


def _is_ready(node: ast.AST) -> bool:
    """Whether what a node holds may fail, or is asked for first."""
    match node:
        case ast.Try():
            return any(map(_expects, node.handlers))
        case ast.If() | ast.IfExp() | ast.While():
            return _asks(node.test)
        case ast.BoolOp():
            return _asks(node)
        case _:
            return False


def _bodies(node: ast.AST) -> list[list[ast.stmt]]:
    found = [getattr(node, name, None) for name in ("body", "orelse", "finalbody")]
    return [body for body in found if isinstance(body, list)]


def _expects(handler: ast.ExceptHandler) -> bool:
    if handler.type is None:
        return True
    names = {n.id for n in ast.walk(handler.type) if isinstance(n, ast.Name)}
    return bool(names & _EXPECTED)


def _asks(test: ast.expr) -> bool:
    return _ASKS.search(ast.unparse(test)) is not None
