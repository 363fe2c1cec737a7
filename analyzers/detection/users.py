"""Which functions use a name that has changed."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator, Mapping

from analyzers.detection.changes import Difference, Outline
from analyzers.detection.imports import Files

_SELF = frozenset({"self", "cls"})


def changed_ids(files: Files, differences: Mapping[str, Difference]) -> frozenset[str]:
    """The ids of the functions that differ, or use a name that does."""
    own = {f"{path}::{name}" for path, known in differences.items() for name in known.functions}
    return users(files, files.importers, differences) | own


def users(
    files: Files, importers: Mapping[str, Iterable[str]], differences: Mapping[str, Difference]
) -> frozenset[str]:
    """The ids of the functions that use a changed or deleted name."""
    found: set[str] = set()
    for path, difference in differences.items():
        if difference.names:
            found |= _in_module(path, files, _own(difference), difference)
            for importer in importers.get(path, ()):
                aliases = _aliases(files, importer, path, difference)
                found |= _in_module(importer, files, aliases, difference)
    return frozenset(found)


def _own(difference: Difference) -> dict[str, str]:
    """Names as written in the file itself, to the changed names they stand for."""
    classes = {name.partition(".")[0] for name in difference.names - difference.plain}
    return {name: name for name in difference.plain | classes}


def _aliases(files: Files, importer: str, path: str, difference: Difference) -> dict[str, str]:
    """Names in an importing file: to a changed name, or to ``""`` for the module."""
    own = _own(difference)
    found: dict[str, str] = {}
    try:
        tree = ast.parse(files.sources[importer])
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return found
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom):
            module = files.resolve(importer, node.level, node.module or "")
            for alias in node.names:
                child = files.child(module, alias.name) if module else None
                if module == path and alias.name in own:
                    found[alias.asname or alias.name] = alias.name
                elif path in (child, module if alias.name == "*" else None):
                    found.update(own if alias.name == "*" else {alias.asname or alias.name: ""})
        elif isinstance(node, ast.Import):
            for alias in node.names:
                if files.resolve(importer, 0, alias.name) == path:
                    found[alias.asname or alias.name.rpartition(".")[2]] = ""
    return found


def _in_module(
    path: str, files: Files, aliases: Mapping[str, str], difference: Difference
) -> set[str]:
    outline = Outline.of(files.sources[path])
    if outline is None or not aliases:
        return set()
    return {
        f"{path}::{name}"
        for name, nodes in outline.nodes.items()
        if any(_uses(node, name, aliases, difference) for node in nodes)
    }


def _uses(
    statement: ast.stmt, function: str, aliases: Mapping[str, str], difference: Difference
) -> bool:
    owner = function.partition(".")[0] if "." in function else None
    if owner is not None and f"{owner}." in difference.names and aliases.get(owner) == owner:
        return True
    return any(name in difference.names for name in _used(statement, owner, aliases))


def _used(statement: ast.stmt, owner: str | None, aliases: Mapping[str, str]) -> Iterator[str]:
    """The changed names that a statement may use, as ``name`` or ``Class.name``."""
    for node in ast.walk(statement):
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load):
            known = aliases.get(node.id)
            if known:
                yield known
                yield f"{known}."
        elif isinstance(node, ast.Attribute):
            base = _last(node.value)
            known = aliases.get(base)
            if known is not None:
                yield f"{known}.{node.attr}" if known else node.attr
            elif base in _SELF and owner is not None:
                yield f"{owner}.{node.attr}"


def _last(node: ast.expr) -> str:
    if isinstance(node, ast.Attribute):
        return node.attr
    return node.id if isinstance(node, ast.Name) else ""
