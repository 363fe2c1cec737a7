"""What stands in a target, or in its file around it, and no longer exists."""

from __future__ import annotations

import ast
import builtins
import warnings
from collections.abc import Iterator, Mapping, Sequence

from analyzers.ports import Executor
from analyzers.properties.declared_versions import allows, declarations
from analyzers.properties.removed.removed_names import RemovedName, documented, table
from analyzers.properties.removed.unguarded_uses import (
    FUNCTIONS,
    RemovedNameUse,
    UseFinder,
    answers,
    patched,
)
from analyzers.vocabulary import Candidate, Finding, Level, Suggestion, Target, Written

Edit = tuple[int, int, int, str]
"""A line, the columns from and to in it, and the text to put there."""


def repaired(
    path: str, source: str, uses: Sequence[RemovedNameUse], names: Mapping[str, str]
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


def _line(use: RemovedNameUse) -> int:
    return use.node.lineno


def _edit(use: RemovedNameUse, names: Mapping[str, str], lines: Sequence[str]) -> Edit | None:
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


def _import(use: RemovedNameUse, node: ast.Import | ast.ImportFrom, fix: str) -> Edit | None:
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


NAME = "properties"
RULE = "property/removed-api"
MAIN, MODULE = "__main__", "<module>"
_LEGACY = "TF_USE_LEGACY_KERAS"


def findings(target: Target, bench: Executor) -> Iterator[Finding]:
    """What the target uses that is gone from versions which the project allows.

    The code of its file outside functions counts too: where that fails,
    nothing in the file can be used.  One finding for each name and function.
    """
    source = bench.source(target.path).removeprefix("\ufeff")
    if not any(root in source for root in table().roots):
        return
    tree = _parsed(source)
    if tree is None:
        return
    reader = UseFinder(tree, table(), _local(bench), _answers(tree, bench))
    grouped: dict[tuple[str, str], list[RemovedNameUse]] = {}
    places = _Places(target, tree)
    for use in reader.uses():
        place = places.of(use)
        if place is not None:
            grouped.setdefault((place, use.entry.key), []).append(use)
    known: dict[str, bool] = {}
    for (place, _), uses in grouped.items():
        entry = uses[0].entry
        if entry.key not in known:
            known[entry.key] = _counts(entry, bench)
        if known[entry.key]:
            yield _finding(target, place, uses, source, reader.names)


def _parsed(source: str) -> ast.Module | None:
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return ast.parse(source)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return None


def _local(bench: Executor) -> frozenset[str]:
    """The top-level modules that the project has itself."""
    parts = {part for path in bench.paths() for part in path.split("/")}
    roots = table().roots
    return frozenset(root for root in roots if root in parts or f"{root}.py" in parts)


def _answers(tree: ast.Module, bench: Executor) -> frozenset[str]:
    """Return the names imported from the project's files that tell which version is there."""
    found: set[str] = set()
    for node in ast.walk(tree):
        if not isinstance(node, ast.ImportFrom) or not node.module:
            continue
        end = f"/{node.module.replace('.', '/')}"
        paths = [
            path
            for path in bench.paths()
            if f"/{path}".endswith((f"{end}.py", f"{end}/__init__.py"))
        ]
        trees = [_parsed(bench.source(path)) for path in paths]
        told = {name for each in trees if each is not None for name in answers(each)}
        found.update(each.asname or each.name for each in node.names if each.name in told)
    return frozenset(found)


def _counts(entry: RemovedName, bench: Executor) -> bool:
    """Whether the project may meet a version without it, and does not put it back."""
    paths = bench.paths()
    texts = {path: bench.source(path) for path in declarations(paths)}
    if not allows(entry.package, entry.since, texts):
        return False
    code = [bench.source(path) for path in paths if path.endswith(".py")]
    if entry.package in ("keras", "tensorflow") and any(_LEGACY in text for text in code):
        return False
    return not any(patched(entry, text) for text in code)


class _Places:
    """Which uses are a target's, and which belong to the file as such."""

    def __init__(self, target: Target, tree: ast.Module) -> None:
        self._target = target
        self._inside: list[tuple[int, int]] = []
        self._main: list[tuple[int, int]] = []
        for node in ast.walk(tree):
            if isinstance(node, FUNCTIONS):
                self._inside.append((node.body[0].lineno, node.end_lineno or node.lineno))
        for node in tree.body:
            if isinstance(node, ast.If) and MAIN in ast.unparse(node.test):
                self._main.append((node.lineno, node.end_lineno or node.lineno))

    def of(self, use: RemovedNameUse) -> str | None:
        """The function that a use counts for; ``None`` where it is another target's."""
        line, target = use.node.lineno, self._target
        whole = target.function in (MAIN, MODULE)
        if not whole and target.line <= line <= target.end_line:
            return target.function
        if any(start <= line <= end for start, end in self._inside):
            return None
        if any(start <= line <= end for start, end in self._main):
            return MAIN if target.function == MAIN else None
        return MODULE


def _finding(
    target: Target, place: str, uses: list[RemovedNameUse], source: str, names: Mapping[str, str]
) -> Finding:
    entry, node = uses[0].entry, uses[0].node
    written = source.splitlines()[node.lineno - 1].strip()
    what = f"`{entry.key}`"
    change = repaired(target.path, source, uses, names)
    finding = Finding(
        analyzer=NAME,
        rule=RULE,
        level=Level.WARNING,
        path=target.path,
        line=node.lineno,
        end_line=node.end_lineno or node.lineno,
        symbol=f"{target.path}::{place}",
        target=target.id,
        title=f"{what} is gone",
        message=(
            f"{entry.title} {entry.since} and later have no {what}, and the project may be "
            f"used with those. Instead: {entry.instead}."
        ),
        evidence={
            "name": entry.key,
            "replacement": entry.instead.replace("`", ""),
            "since": entry.since,
            "lines": sorted({use.node.lineno for use in uses}),
        },
        probes=(),
        criterion=Written(target.path, written),
        input_kind=entry.key,
    )
    return finding.with_candidates(Candidate(change, known=documented())) if change else finding
