"""What stands in a target, or in its file around it, and no longer exists."""

from __future__ import annotations

import ast
import warnings
from collections.abc import Iterator, Mapping

from analyzers.ports import Bench
from analyzers.properties.removed.entries import Entry, documented, table
from analyzers.properties.removed.guards import answers
from analyzers.properties.removed.repairs import repaired
from analyzers.properties.removed.uses import FUNCTIONS, Reader, Use, patched
from analyzers.properties.removed.versions import allows, declarations
from analyzers.vocabulary import Candidate, Finding, Level, Target, Written

NAME = "properties"
RULE = "property/removed-api"
MAIN, MODULE = "__main__", "<module>"
_LEGACY = "TF_USE_LEGACY_KERAS"


def findings(target: Target, bench: Bench) -> Iterator[Finding]:
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
    reader = Reader(tree, table(), _local(bench), _answers(tree, bench))
    grouped: dict[tuple[str, str], list[Use]] = {}
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


def _local(bench: Bench) -> frozenset[str]:
    """The top-level modules that the project has itself."""
    parts = {part for path in bench.paths() for part in path.split("/")}
    roots = table().roots
    return frozenset(root for root in roots if root in parts or f"{root}.py" in parts)


def _answers(tree: ast.Module, bench: Bench) -> frozenset[str]:
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


def _counts(entry: Entry, bench: Bench) -> bool:
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

    def of(self, use: Use) -> str | None:
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
    target: Target, place: str, uses: list[Use], source: str, names: Mapping[str, str]
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
    return finding.proposing(Candidate(change, known=documented())) if change else finding
