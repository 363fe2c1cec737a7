"""The lines as they should be, where a new name is all it takes."""

from __future__ import annotations

import ast
import builtins
from collections.abc import Mapping, Sequence

from analyzers.properties.removed.uses import Use
from analyzers.vocabulary import Suggestion

Edit = tuple[int, int, int, str]
"""A line, the columns from and to in it, and the text to put there."""


def repaired(
    path: str, source: str, uses: Sequence[Use], names: Mapping[str, str]
) -> Suggestion | None:
    """The first use's line with all ``uses`` on it written anew; ``None`` where that is not all."""
    lines = source.splitlines()
    line = _line(uses[0])
    edits = [_edit(use, names, lines) for use in uses if _line(use) == line]
    if any(edit is None for edit in edits):
        return None
    text = lines[line - 1]
    for _, start, end, new in sorted(filter(None, edits), reverse=True):
        text = text[:start] + new + text[end:]
    return Suggestion(path, line, line, text)


def _line(use: Use) -> int:
    return use.node.lineno


def _edit(use: Use, names: Mapping[str, str], lines: Sequence[str]) -> Edit | None:
    node, fix = use.node, use.entry.fix
    if fix is None or node.lineno != node.end_lineno or not lines[node.lineno - 1].isascii():
        return None
    if isinstance(node, ast.keyword):
        start = node.col_offset
        return node.lineno, start, start + len(node.arg or ""), fix
    if isinstance(node, ast.Import | ast.ImportFrom):
        return _import(use, node, fix)
    if isinstance(node, ast.Attribute) and use.entry.attribute is not None:
        end = node.end_col_offset or 0
        return node.lineno, end - len(node.attr), end, fix
    new = _written(fix, names)
    if new is None or node.end_col_offset is None:
        return None
    return node.lineno, node.col_offset, node.end_col_offset, new


def _import(use: Use, node: ast.Import | ast.ImportFrom, fix: str) -> Edit | None:
    """The import of one name, from where it is now."""
    alias = use.alias
    if alias is None or len(node.names) != 1 or not isinstance(node, ast.ImportFrom):
        return None
    old = f"{node.module}.{alias.name}"
    new = fix + old.removeprefix(use.entry.name)
    module, _, name = new.rpartition(".")
    if not module:
        return None
    bound = alias.asname or alias.name
    said = f"from {module} import {name}" + (f" as {bound}" if bound != name else "")
    return node.lineno, node.col_offset, node.end_col_offset or 0, said


def _written(fix: str, names: Mapping[str, str]) -> str | None:
    """A dotted name as this file can write it, by what it imports."""
    if "." not in fix:
        return fix if hasattr(builtins, fix) else None
    fitting = [
        (means, name)
        for name, means in names.items()
        if fix == means or fix.startswith(f"{means}.")
    ]
    if not fitting:
        return None
    means, name = max(fitting, key=lambda pair: (len(pair[0]), pair[1]))
    return name + fix[len(means) :]
