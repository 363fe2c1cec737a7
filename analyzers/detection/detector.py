"""From a change to the functions that it makes worth testing."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import replace
from math import inf

from analyzers.catalogue import Catalogue
from analyzers.detection.detection_scope import (
    NAME,
    ApiFiles,
    DetectionResult,
    DetectionScope,
)
from analyzers.detection.file_facts import FRAMEWORKS, FactsCache
from analyzers.detection.import_graph import Files, closure, framework_files, installed
from analyzers.detection.named_imports import NamedImports
from analyzers.vocabulary import ChangeSet, Skipped

SUFFIXES = (".py", ".ipynb")
MOST_BETWEEN = 40
"""Above as many files between what asks APIs and a change, only those with answers are read."""
MOST_READ = 100
"""Above as many files to read, imports count by the names that they take: it takes seconds."""


def detect(
    changes: ChangeSet,
    catalogue: Catalogue,
    *,
    everything: bool = False,
    only: Collection[str] = (),
    facts: FactsCache | None = None,
    seconds: float = inf,
) -> DetectionResult:
    """The functions of head that are worth testing.

    They ask ML cloud APIs, use a deep-learning framework, or carry
    annotations.  ``everything`` takes every function as changed; ``only`` are
    the ids (``path::function``) of the functions to test whether they changed
    or not.  Functions, files and goals are those of head.  ``facts`` are kept from runs before.
    What answers of ML APIs reach is looked for as long as ``seconds`` of processor time.
    """
    facts = facts or FactsCache(catalogue.mentions)
    sources = own_sources(changes.sources, catalogue)
    files = Files(sources, catalogue.libraries | FRAMEWORKS, facts)
    extent = DetectionScope(everything and not only, frozenset(only), seconds)
    named = {entry.partition("::")[0] for entry in extent.only}
    named = named or {change.path for change in changes.changes}
    touched = files.paths if extent.everything else files.paths & named
    unread = [
        Skipped(NAME, path, reason)
        for path in sorted(touched)
        if (reason := facts.unparsable(files.sources[path]))
    ]
    by_name = NamedImports(files)
    known = api_files(files, by_name, touched, eager=not everything)
    around = framework_files(files, touched, everything=extent.everything)
    if not everything and len(around.testable) > MOST_READ:
        using = _using(by_name, around.changed)
        around = replace(around, testable=around.testable & (using | around.helpers))
    if not (known.changed or around.changed or extent.only):
        return DetectionResult((), tuple(unread))
    # libcst and the analysis of values, which a change without ML does without
    from analyzers.detection.target_selection import TargetSelection  # noqa: PLC0415

    selection = TargetSelection(changes, catalogue, files, extent)
    return selection.result(known, around, unread)


def _using(named: NamedImports, changed: frozenset[str]) -> frozenset[str]:
    """Return changed files, those that name what they define, and the next unless they are many."""
    users = named.importers
    direct = changed.union(*(users.get(path, ()) for path in changed))
    wider = direct.union(*(users.get(path, ()) for path in direct))
    return wider if len(wider) <= MOST_READ else direct


def api_files(
    files: Files, named: NamedImports, touched: Collection[str], *, eager: bool
) -> ApiFiles:
    """The files that matter where answers of ML APIs do.

    ``eager``: read also the changed files that only receive answers, or none.
    """
    seeds = [path for path, facts in files.facts.items() if facts.asks_apis]
    if not seeds or not touched:
        return ApiFiles()
    found = _api_files(files, seeds, touched, eager=eager)
    if len(found.read) > MOST_READ:
        return _api_files(named, seeds, touched, eager=eager)
    return found


def _api_files(
    graph: Files | NamedImports, seeds: Collection[str], touched: Collection[str], *, eager: bool
) -> ApiFiles:
    imported, importers = graph.imports, graph.importers
    asking = closure(seeds, importers)
    near = closure(asking, imported)
    changed = near & set(touched)
    above = closure(changed, importers) & near
    read = closure(above, imported) & asking
    read |= above if eager and len(above) <= MOST_BETWEEN else frozenset()
    return ApiFiles(read, changed, not asking.isdisjoint(changed))


def own_sources(sources: Mapping[str, str], catalogue: Catalogue) -> dict[str, str]:
    """The project's own files, without the libraries that were copied into it."""
    paths = [path for path in sources if path.endswith(SUFFIXES)]
    folders = tuple(f"{folder}/" for folder in installed(paths))
    return {
        path: sources[path]
        for path in paths
        if not path.startswith(folders) and not catalogue.is_copy(path)
    }
