"""The source of makers, for programs that stand by themselves: reproducers."""

from __future__ import annotations

import ast
import inspect
import re
from functools import lru_cache
from importlib import import_module
from typing import Dict, Iterable, List, NamedTuple, Set, Tuple

from .makers import MAKERS

_NOQA = re.compile(r"[ \t]*# (?:noqa|type:|pyright:)[^\n]*")
_FUTURE = "from __future__ import annotations"


class Piece(NamedTuple):
    """A top-level definition or import: where it stands among its module's, and its text."""

    order: Tuple[int, int]
    source: str
    uses: Set[str]
    imported: bool


def source_of(makers: Iterable[str]) -> str:
    """Return the text of makers with all that they use; ``KeyError`` for a name that is none's."""
    modules = [MAKERS[name] for name in makers]
    pieces = _pieces(tuple(sorted(set(modules))))
    wanted, found = list(makers), set()
    while wanted:
        name = wanted.pop()
        if name in pieces and name not in found:
            found.add(name)
            wanted += pieces[name].uses
    chosen = sorted((pieces[name] for name in found), key=lambda piece: piece.order)
    imports = sorted({piece.source for piece in chosen if piece.imported})
    rest = [piece.source for piece in chosen if not piece.imported]
    return "\n\n\n".join(["\n".join([_FUTURE, *imports]), *rest]) + "\n"


@lru_cache(maxsize=64)
def _pieces(modules: Tuple[str, ...]) -> Dict[str, Piece]:
    """The pieces of modules and of those of this package from which they import, by name."""
    found: Dict[str, Piece] = {}
    for place, name in enumerate(_with_those_used(modules)):
        text = _text(name)
        for line, node in enumerate(ast.parse(text).body):
            for defined, piece in _defined(node, text, (place, line)):
                found.setdefault(defined, piece)
    return found


def _with_those_used(modules: Iterable[str]) -> List[str]:
    """Modules, each after those that it uses."""
    found: List[str] = []
    for name in modules:
        used = [
            node.module
            for node in ast.parse(_text(name)).body
            if isinstance(node, ast.ImportFrom) and node.level and node.module
        ]
        found += [other for other in [*_with_those_used(used), name] if other not in found]
    return found


def _text(module: str) -> str:
    return inspect.getsource(import_module(f"{__package__}.makers.{module}"))


def _defined(node: ast.stmt, text: str, order: Tuple[int, int]) -> List[Tuple[str, Piece]]:
    if isinstance(node, (ast.Import, ast.ImportFrom)):
        if isinstance(node, ast.ImportFrom) and not node.level and node.module != "__future__":
            return [
                (_bound(alias), _import(f"from {node.module} ", alias, order))
                for alias in node.names
            ]
        if isinstance(node, ast.Import):
            return [(_bound(alias), _import("", alias, order)) for alias in node.names]
        return []
    names: List[str] = []
    if isinstance(node, (ast.FunctionDef, ast.ClassDef)):
        names = [node.name]
    elif isinstance(node, ast.Assign):
        names = [target.id for target in node.targets if isinstance(target, ast.Name)]
    elif isinstance(node, ast.AnnAssign) and isinstance(node.target, ast.Name):
        names = [node.target.id]
    source = _NOQA.sub("", _segment(text, node))
    piece = Piece(order, source, _names(node), imported=False)
    return [(name, piece) for name in names]


def _segment(text: str, node: ast.stmt) -> str:
    decorators = getattr(node, "decorator_list", [])
    first = min([node.lineno, *(decorator.lineno for decorator in decorators)])
    return "\n".join(text.split("\n")[first - 1 : node.end_lineno])


def _bound(alias: ast.alias) -> str:
    return alias.asname or alias.name.partition(".")[0]


def _import(start: str, alias: ast.alias, order: Tuple[int, int]) -> Piece:
    named = f" as {alias.asname}" if alias.asname else ""
    return Piece(order, f"{start}import {alias.name}{named}", set(), imported=True)


def _names(node: ast.AST) -> Set[str]:
    return {part.id for part in ast.walk(node) if isinstance(part, ast.Name)}
