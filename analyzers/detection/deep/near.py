"""Which files can have to do with a framework at all, told without parsing them."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass

from analyzers.detection.deep import annotated
from analyzers.detection.frameworks import FRAMEWORKS, NUMERIC, imports_one
from analyzers.detection.imports import Files, closure

_SEEDS = FRAMEWORKS | {"jaxtyping"}


@dataclass(frozen=True, slots=True)
class Near:
    """Files by what they can have to do with a framework.

    ``changed`` are the touched ones that matter, ``testable`` those whose
    functions may be targets, ``numeric`` those of them where numbers alone count.
    """

    changed: frozenset[str] = frozenset()
    testable: frozenset[str] = frozenset()
    numeric: frozenset[str] = frozenset()


def near(files: Files, touched: Collection[str], *, everything: bool) -> Near:
    """The files to look at; ``everything``: not only those around the touched ones."""
    seeds = {path for path, text in files.sources.items() if imports_one(text, _SEEDS)}
    said = {path for path, text in files.sources.items() if annotated.mentions(text)}
    if not touched or not seeds | said:
        return Near()
    numeric = _beside(files, seeds) | said
    using = closure(seeds, files.importers) | closure(numeric, files.importers)
    changed = closure(using, files.imports) & set(touched)
    around = using if everything else using & (changed | _importers(files, changed))
    return Near(changed, around, frozenset(numeric))


def _beside(files: Files, seeds: Collection[str]) -> set[str]:
    """The files with numbers that import a framework's user, or that one imports."""
    around = {other for path in seeds for other in files.imports.get(path, ())}
    around |= {other for path in seeds for other in files.importers.get(path, ())}
    return {path for path in around | set(seeds) if imports_one(files.sources[path], NUMERIC)}


def _importers(files: Files, paths: Collection[str]) -> frozenset[str]:
    """The files that import others, through ``__init__.py`` too."""
    found: set[str] = set()
    waiting = list(paths)
    for path in waiting:
        for importer in files.importers.get(path, ()):
            if importer not in found:
                found.add(importer)
                waiting += [importer] if importer.endswith("__init__.py") else []
    return frozenset(found)
