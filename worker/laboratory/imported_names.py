"""The library names that some lines of a file use, as its imports have them."""

from __future__ import annotations

import ast
from collections.abc import Collection, Iterator

_FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)


def imported_names(text: str, first: int, last: int, local: Collection[str]) -> frozenset[str]:
    """Return the dotted names of libraries in the lines ``first`` to ``last``.

    ``local`` are the top-level modules of the project itself.  Names that the
    file binds otherwise than by one import are left out.
    """
    try:
        tree = ast.parse(text)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return frozenset()
    known = {
        name: means
        for name, means in _bindings(tree).items()
        if means and means.partition(".")[0] not in local
    }
    inside = [node for node in ast.walk(tree) if first <= getattr(node, "lineno", 0) <= last]
    chains = {means for node in inside if (means := _dotted(node, known)) is not None}
    brought = {
        means
        for node in inside
        if isinstance(node, ast.Import | ast.ImportFrom)
        for _, means in _brought(node)
        if means and means.partition(".")[0] not in local
    }
    found = chains | brought
    return frozenset(n for n in found if not any(o.startswith(f"{n}.") for o in found))


def _bindings(tree: ast.AST) -> dict[str, str]:
    """Return what names are imported as; empty for those that are bound to something else too."""
    found: dict[str, str] = {}
    for node in ast.walk(tree):
        if isinstance(node, ast.Import | ast.ImportFrom):
            for name, means in _brought(node):
                found[name] = means if found.get(name, means) == means else ""
        for name in _bound(node):
            found[name] = ""
    return found


def _brought(node: ast.Import | ast.ImportFrom) -> Iterator[tuple[str, str]]:
    """Yield the names that an import binds, and what they mean; empty for relative ones."""
    for alias in node.names:
        if isinstance(node, ast.ImportFrom):
            means = "" if node.level or alias.name == "*" else f"{node.module}.{alias.name}"
            yield alias.asname or alias.name, means
        elif alias.asname:
            yield alias.asname, alias.name
        else:
            root = alias.name.partition(".")[0]
            yield root, root


def _bound(node: ast.AST) -> Iterator[str]:
    if isinstance(node, ast.Name) and not isinstance(node.ctx, ast.Load):
        yield node.id
    elif isinstance(node, ast.arg):
        yield node.arg
    elif isinstance(node, _FUNCTIONS):
        yield node.name


def _dotted(node: ast.AST, known: dict[str, str]) -> str | None:
    """Return the dotted name that a whole chain of attributes stands for."""
    if isinstance(node, ast.Name):
        return known.get(node.id)
    if isinstance(node, ast.Attribute):
        owner = _dotted(node.value, known)
        return f"{owner}.{node.attr}" if owner else None
    return None
