"""Imports between the files of a project, and the files around a change that frameworks concern."""

from __future__ import annotations

import sys
from collections import deque
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass
from functools import cache, cached_property
from posixpath import dirname, join

from analyzers.detection.file_facts import (
    FRAMEWORKS,
    FactsCache,
    FileFacts,
    imports_any,
    top_level_package,
)
from analyzers.vocabulary import ChangeSet, Target

_INSTALLED = frozenset(
    {"botocore", "certifi", "chardet", "google", "grpc", "idna", "numpy", "pip", "pkg_resources"}
    | {"requests", "setuptools", "six", "urllib3", "yaml", "wheel", "werkzeug", "flask"}
)
_ENOUGH = 3


class Files:
    """The Python files of a project, and how imports find them."""

    def __init__(
        self, sources: Mapping[str, str], libraries: Iterable[str], facts: FactsCache | None = None
    ) -> None:
        """``libraries``: top-level names that are never found by suffix."""
        self.sources = sources
        self.paths = frozenset(sources)
        self.cache = facts or FactsCache(lambda _: False)
        self._libraries = frozenset(libraries) | sys.stdlib_module_names
        self._rooted = cache(self._from_roots)
        self._alike = cache(self._by_suffix)
        self._roots = cache(self._roots_of)

    @cached_property
    def facts(self) -> Mapping[str, FileFacts]:
        """The facts of each file."""
        return {path: self.cache.of(text) for path, text in self.sources.items()}

    @cached_property
    def _folders(self) -> frozenset[str]:
        found: set[str] = set()
        for path in self.paths:
            folder = dirname(path)
            while folder and folder not in found:
                found.add(folder)
                folder = dirname(folder)
        return frozenset(found)

    @cached_property
    def _by_name(self) -> dict[str, list[str]]:
        index: dict[str, list[str]] = {}
        for path in sorted(self.paths):
            stem = path.removesuffix(".py").removesuffix("/__init__")
            index.setdefault(stem.rpartition("/")[2], []).append(path)
        return index

    @cached_property
    def _names(self) -> frozenset[str]:
        """The names of all folders and modules."""
        folders = (folder.rpartition("/")[2] for folder in self._folders)
        return frozenset(self._by_name).union(folders)

    def resolve(self, importer: str, level: int, module: str) -> str | None:
        """The file or (ending in a slash) folder that an import means."""
        folder = dirname(importer)
        if level:
            for _ in range(level - 1):
                folder = dirname(folder)
            return self.inside(folder, module.split(".") if module else [])
        if module and module.partition(".")[0] not in self._names:
            return None
        found = next((at for at in self._rooted(folder, module) if at != importer), None)
        if found is not None:
            return found
        alike = [path for path in self._alike(module) if path != importer]
        return alike[0] if len(alike) == 1 else None

    def _from_roots(self, folder: str, module: str) -> tuple[str, ...]:
        parts = module.split(".") if module else []
        places = (self.inside(root, parts) for root in self._roots(folder))
        return tuple(place for place in places if place is not None)

    def _by_suffix(self, module: str) -> tuple[str, ...]:
        parts = module.split(".") if module else []
        if not parts or parts[0] in self._libraries:
            return ()
        ends = ("/".join(parts) + ".py", "/".join([*parts, "__init__.py"]))
        return tuple(
            path
            for path in self._by_name.get(parts[-1], ())
            if path.endswith(ends) and path[-len(ends[0]) - 1 : -len(ends[0])] in ("", "/")
        )

    def inside(self, folder: str, parts: list[str]) -> str | None:
        """The module ``parts`` below a folder."""
        place = join(folder, *parts) if parts else folder
        for path in (f"{place}.py", join(place, "__init__.py")):
            if path in self.paths and (parts or path.endswith("__init__.py")):
                return path
        return f"{place}/" if place in self._folders or not place else None

    def child(self, module: str, name: str) -> str | None:
        """The module ``name`` of a package, which is a file or a folder."""
        if module.endswith("/"):
            return self.inside(module[:-1], [name])
        if module.endswith("__init__.py"):
            return self.inside(dirname(module), [name])
        return None

    def _roots_of(self, folder: str) -> tuple[str, ...]:
        """The folders to look in from one: the nearest that is no package first."""
        roots: list[str] = []
        packages: list[str] = []
        while True:
            if join(folder, "__init__.py") in self.paths:
                packages.append(folder)
            else:
                roots.append(folder)
            if not folder:
                break
            folder = dirname(folder)
        return (*roots, "src", *packages)

    def imported(self, path: str) -> frozenset[str]:
        """The project files that a file imports."""
        found: set[str] = set()
        for entry in self.facts[path].imports:
            module = self.resolve(path, entry.level, entry.module)
            if module is None:
                continue
            child = self.child(module, entry.name) if entry.name else None
            found.update(at for at in (module, child) if at in self.paths)
        return frozenset(found - {path})

    @cached_property
    def imports(self) -> dict[str, frozenset[str]]:
        """Return which project files each file imports."""
        return {path: self.imported(path) for path in self.paths}

    @cached_property
    def importers(self) -> dict[str, set[str]]:
        """Return which project files import each file, where any do."""
        return inverted(self.imports)


def inverted(edges: Mapping[str, Iterable[str]]) -> dict[str, set[str]]:
    """Return from where each end is reached, for those that are."""
    found: dict[str, set[str]] = {}
    for start, ends in edges.items():
        for end in ends:
            found.setdefault(end, set()).add(start)
    return found


def installed(paths: Iterable[str]) -> frozenset[str]:
    """The folders into which libraries were installed: they hold several known ones."""
    found: dict[str, set[str]] = {}
    for path in paths:
        folder = dirname(path)
        while folder:
            folder, _, name = folder.rpartition("/")
            if name in _INSTALLED:
                found.setdefault(folder, set()).add(name)
    return frozenset(folder for folder, known in found.items() if folder and len(known) >= _ENOUGH)


def closure(seeds: Iterable[str], edges: Mapping[str, Iterable[str]]) -> frozenset[str]:
    """Everything reached from the seeds."""
    found = set(seeds)
    waiting = deque(found)
    while waiting:
        for item in edges.get(waiting.popleft(), ()):
            if item not in found:
                found.add(item)
                waiting.append(item)
    return frozenset(found)


def deep_learning_files(changes: ChangeSet) -> tuple[str, ...]:
    """The changed files of head that import a framework, sorted."""
    changed = {change.path for change in changes.changes} & changes.sources.keys()
    return tuple(sorted(path for path in changed if imports_any(changes.sources[path])))


def is_deep_learning(target: Target) -> bool:
    """Return whether a target calls a framework."""
    return any(top_level_package(api) in FRAMEWORKS for api in target.apis)


LEAST_NUMERICAL = 8
"""Files that use a library for numbers: fewer make no project a numerical one."""


@dataclass(frozen=True, slots=True)
class FrameworkFiles:
    """Files by what they can have to do with a framework.

    ``changed`` are the touched ones that matter, ``testable`` those whose
    functions may be targets, ``numeric`` those of them where numbers alone count, ``helpers``
    those that import no framework, but may be handed its tensors.
    """

    changed: frozenset[str] = frozenset()
    testable: frozenset[str] = frozenset()
    numeric: frozenset[str] = frozenset()
    helpers: frozenset[str] = frozenset()


def framework_files(files: Files, touched: Collection[str], *, everything: bool) -> FrameworkFiles:
    """The files to look at; ``everything``: not only those around the touched ones."""
    seeds = {path for path, facts in files.facts.items() if facts.frameworks}
    said = {path for path, facts in files.facts.items() if facts.annotated}
    numbers = set[str]() if seeds or everything else _numerical(files)
    if not touched or not seeds | said | numbers:
        return FrameworkFiles()
    numeric = _beside(files, seeds) | said | numbers
    using = closure(seeds, files.importers) | closure(numeric, files.importers)
    changed = closure(using, files.imports) & set(touched)
    around = using if everything else using & (changed | _importers(files, changed))
    plain = frozenset(path for path in touched if seeds and _is_plain(files, path))
    helpers = (changed | plain) - using
    return FrameworkFiles(changed | helpers, around | helpers, frozenset(numeric), helpers)


def _is_plain(files: Files, path: str) -> bool:
    """Return whether a file imports nothing but the standard library and the project."""
    return all(
        each.level
        or top_level_package(each.module) in sys.stdlib_module_names
        or files.resolve(path, 0, each.module) is not None
        for each in files.facts[path].imports
    )


def _numerical(files: Files) -> set[str]:
    """Return the files with numbers of a project that is about them, and asks no ML API.

    Its changes can be compared with base; what else there is to say needs a framework.
    """
    found = {path for path, facts in files.facts.items() if facts.numeric}
    asks = any(facts.asks_apis for facts in files.facts.values())
    most = len(found) >= LEAST_NUMERICAL and 2 * len(found) >= len(files.paths)
    return found if most and not asks else set()


def _beside(files: Files, seeds: Collection[str]) -> set[str]:
    around = {other for path in seeds for other in files.imports.get(path, ())}
    around |= {other for path in seeds for other in files.importers.get(path, ())}
    return {path for path in around | set(seeds) if files.facts[path].numeric}


def _importers(files: Files, paths: Collection[str]) -> frozenset[str]:
    found: set[str] = set()
    waiting = list(paths)
    for path in waiting:
        for importer in files.importers.get(path, ()):
            if importer not in found:
                found.add(importer)
                waiting += [importer] if importer.endswith("__init__.py") else []
    return frozenset(found)
