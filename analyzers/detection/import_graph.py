"""Imports between files, told from the text alone.

Before anything is parsed, a regular expression reads the imports of every
file; only files that can reach an ML API, by text or by import, are parsed.
"""

from __future__ import annotations

import re
import sys
from collections import deque
from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from posixpath import dirname, join

from analyzers.detection.framework_use import file_definitions
from analyzers.vocabulary import ChangeSet, Target

_IMPORT = re.compile(
    r"^[ \t]*(?:from[ \t]+([.\w]+)[ \t]+import[ \t]*(\([^)]*\)|[^\n#;]+)"
    r"|import[ \t]+([^\n#;]+))",
    re.MULTILINE,
)
_COMMENT = re.compile(r"#[^\n]*")
_NAME = re.compile(r"[\w.]+")


_INSTALLED = frozenset(
    {"botocore", "certifi", "chardet", "google", "grpc", "idna", "numpy", "pip", "pkg_resources"}
    | {"requests", "setuptools", "six", "urllib3", "yaml", "wheel", "werkzeug", "flask"}
)
_ENOUGH = 3


@dataclass(frozen=True, slots=True)
class Imported:
    """One imported name: ``level`` dots, the module, and perhaps a name in it."""

    level: int
    module: str
    name: str | None = None


class Files:
    """The Python files of a project, and how imports find them."""

    def __init__(self, sources: Mapping[str, str], libraries: Iterable[str]) -> None:
        """``libraries``: top-level names that are never found by suffix."""
        self.sources = sources
        self.paths = frozenset(sources)
        self._libraries = frozenset(libraries) | sys.stdlib_module_names

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

    def resolve(self, importer: str, level: int, module: str) -> str | None:
        """The file or (ending in a slash) folder that an import means."""
        parts = module.split(".") if module else []
        if level:
            folder = dirname(importer)
            for _ in range(level - 1):
                folder = dirname(folder)
            return self.inside(folder, parts)
        for folder in self._roots(importer):
            found = self.inside(folder, parts)
            if found is not None and found != importer:
                return found
        if not parts or parts[0] in self._libraries:
            return None
        ends = ("/".join(parts) + ".py", "/".join([*parts, "__init__.py"]))
        alike = [
            path
            for path in self._by_name.get(parts[-1], ())
            if path != importer
            and path.endswith(ends)
            and path[-len(ends[0]) - 1 : -len(ends[0])] in ("", "/")
        ]
        return alike[0] if len(alike) == 1 else None

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

    def _roots(self, importer: str) -> Iterator[str]:
        """The folders to look in: the nearest that is no package first."""
        folder = dirname(importer)
        packages: list[str] = []
        while True:
            if join(folder, "__init__.py") in self.paths:
                packages.append(folder)
            else:
                yield folder
            if not folder:
                break
            folder = dirname(folder)
        yield "src"
        yield from packages

    def imported(self, path: str) -> frozenset[str]:
        """The project files that a file imports."""
        found: set[str] = set()
        for entry in imports(self.sources[path]):
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
        found: dict[str, set[str]] = {}
        for start, ends in self.imports.items():
            for end in ends:
                found.setdefault(end, set()).add(start)
        return found


def imports(source: str) -> Iterator[Imported]:
    """The imports of a text, found without parsing it."""
    for match in _IMPORT.finditer(source):
        origin, names, modules = match.groups()
        if modules:
            for part in modules.split(","):
                words = _NAME.findall(part)
                if words:
                    yield Imported(0, words[0])
            continue
        module = origin.lstrip(".")
        level = len(origin) - len(module)
        yield Imported(level, module)
        for part in _COMMENT.sub("", names).split(","):
            words = _NAME.findall(part)
            if words:
                yield Imported(level, module, words[0])


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


FRAMEWORKS = frozenset(
    {"accelerate", "diffusers", "fastai", "flax", "haiku", "ignite", "jax", "keras", "kornia"}
    | {"lightning", "mxnet", "optax", "paddle", "pytorch_lightning", "tensorflow"}
    | {"tensorflow_addons", "tensorflow_probability", "tf_keras", "theano", "timm", "tinygrad"}
    | {"torch", "torch_geometric", "torchaudio", "torchmetrics", "torchtext", "torchvision"}
    | {"transformers"}
)
"""Top-level packages."""

NUMERIC = frozenset({"numpy", "scipy", "sklearn"})
"""Packages whose use counts only next to a framework or an annotation."""


def deep_learning_files(changes: ChangeSet) -> tuple[str, ...]:
    """The changed files of head that import a framework, sorted."""
    changed = {change.path for change in changes.changes} & changes.sources.keys()
    return tuple(sorted(path for path in changed if imports_any(changes.sources[path])))


def is_deep_learning(target: Target) -> bool:
    """Return whether a target calls a framework."""
    return any(top_level_package(api) in FRAMEWORKS for api in target.apis)


def imports_any(source: str, packages: frozenset[str] = FRAMEWORKS) -> bool:
    """Return whether a text imports one of some top-level packages."""
    return any(package in source for package in packages) and any(
        entry.level == 0 and top_level_package(entry.module) in packages
        for entry in imports(source)
    )


def top_level_package(name: str) -> str:
    """The top-level package of a dotted name."""
    return name.partition(".")[0]


_SEEDS = FRAMEWORKS | {"jaxtyping"}


@dataclass(frozen=True, slots=True)
class FrameworkFiles:
    """Files by what they can have to do with a framework.

    ``changed`` are the touched ones that matter, ``testable`` those whose
    functions may be targets, ``numeric`` those of them where numbers alone count.
    """

    changed: frozenset[str] = frozenset()
    testable: frozenset[str] = frozenset()
    numeric: frozenset[str] = frozenset()


def framework_files(files: Files, touched: Collection[str], *, everything: bool) -> FrameworkFiles:
    """The files to look at; ``everything``: not only those around the touched ones."""
    seeds = {path for path, text in files.sources.items() if imports_any(text, _SEEDS)}
    said = {
        path for path, text in files.sources.items() if file_definitions.mentions_annotations(text)
    }
    if not touched or not seeds | said:
        return FrameworkFiles()
    numeric = _beside(files, seeds) | said
    using = closure(seeds, files.importers) | closure(numeric, files.importers)
    changed = closure(using, files.imports) & set(touched)
    around = using if everything else using & (changed | _importers(files, changed))
    return FrameworkFiles(changed, around, frozenset(numeric))


def _beside(files: Files, seeds: Collection[str]) -> set[str]:
    around = {other for path in seeds for other in files.imports.get(path, ())}
    around |= {other for path in seeds for other in files.importers.get(path, ())}
    return {path for path in around | set(seeds) if imports_any(files.sources[path], NUMERIC)}


def _importers(files: Files, paths: Collection[str]) -> frozenset[str]:
    found: set[str] = set()
    waiting = list(paths)
    for path in waiting:
        for importer in files.importers.get(path, ()):
            if importer not in found:
                found.add(importer)
                waiting += [importer] if importer.endswith("__init__.py") else []
    return frozenset(found)
