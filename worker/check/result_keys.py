"""Keys of results: everything that the result of a target rests on, in one digest.

What a key cannot hold makes it ``None``, and the target is tested.
"""

from __future__ import annotations

import hashlib
import os
import platform
import re
import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache, cached_property
from importlib.metadata import version
from pathlib import Path
from posixpath import basename

from analyzers import catalogue
from analyzers.detection.changed_functions import DefinitionOutline
from analyzers.detection.file_facts import FRAMEWORKS, FactsCache
from analyzers.detection.import_graph import Files, closure
from analyzers.guest.annotations.annotation_reader import PACKAGE
from analyzers.vocabulary import ChangeSet, Target
from worker.check.check_plan import CheckPlan, CheckRequest
from worker.environments.environment import Environment
from worker.executor.execution_context import ExecutionContext, SourceTree
from worker.settings.operator_settings import Settings
from worker.studies.study_journal import built_tables_folder

_WORD = re.compile(r"\w+")
_DYNAMIC = re.compile(
    r"\b(?:importlib|import_module|__import__|pkgutil|runpy|entry_points|stevedore)\b"
    r"|(?<![.\w])(?:exec|eval|compile)\("
)
_PROSE = (".md", ".rst")
_EVERYWHERE = frozenset(
    {"__call__", "__init__", "__main__", "__new__", "call", "forward", "init", "main", "run"}
)
"""Names that tell nothing of whose they are."""
_TELLING = frozenset(
    {"autocast", "bfloat16", "channels_last", "compile", "cuda", "float16", "half", "onnx"}
    | {"export", "onnxruntime", "openvino", "set_backend", "trace"}
)
"""Words anywhere in a project that decide how a model is executed."""
_SETTING = re.compile(r"\b[A-Z][A-Z0-9]*_[A-Z0-9_]+\b")
"""Names of environment variables and constants."""


class ResultKeys:
    """Keys of the targets of one run."""

    def __init__(self, scope: str | None, changes: ChangeSet, context: ExecutionContext) -> None:
        """``scope`` stands for what all targets share; ``None``: not everything is known."""
        self._scope = scope
        self._context = context
        self._renamed = {c.path: c.old_path for c in changes.changes if c.old_path is not None}
        self._sides = (ProjectSide(context.head), ProjectSide(context.base))

    def of(self, target: Target) -> str | None:
        """Return the key of a target."""
        if self._scope is None:
            return None
        roots = sorted({target.path, *target.files})
        old = [self._renamed.get(path, path) for path in roots]
        head, base = self._sides
        names = head.names(target) | base.names(
            replace(target, path=self._renamed.get(target.path, target.path), files=tuple(old))
        )
        known = [repr(probe) for probe in self._context.examples.of(target.id)]
        moved = sorted((new, path) for new, path in self._renamed.items() if new in roots)
        return digest(
            self._scope, repr(target), moved, known, head.content(roots, names),
            base.content(old, names),
        )  # fmt: skip


class ProjectSide:
    """One tree, as far as results of its functions can depend on it."""

    def __init__(self, tree: SourceTree) -> None:
        self._tree = tree
        code = {path: text for path, text in tree.texts.items() if path.endswith(".py")}
        known = catalogue.load_catalogue()
        self._files = Files(code, known.libraries | FRAMEWORKS, FactsCache(lambda _: False))
        self._words = cache(lambda path: frozenset(_WORD.findall(self._texts[path])))

    @cached_property
    def _texts(self) -> Mapping[str, str]:
        return {**self._prose, **self._tree.texts}

    @cached_property
    def _prose(self) -> dict[str, str]:
        found: dict[str, str] = {}
        for path, place in _regular(self._tree.root):
            if path.endswith(_PROSE):
                found[path] = place.read_text("utf-8", "replace")
        return found

    @cached_property
    def data(self) -> str:
        """The digest of every file that is neither code to be read nor prose."""
        hashed = hashlib.blake2b(digest_size=20)
        for path, place in _regular(self._tree.root):
            if path not in self._texts:
                hashed.update(f"{len(path)} {path}\n".encode("utf-8", "surrogateescape"))
                hashed.update(_content(place))
        return hashed.hexdigest()

    def names(self, target: Target) -> frozenset[str]:
        """Return the words by which other files can speak of a target and what it calls."""
        found = {part for part in target.function.split(".") if part.isidentifier()}
        for path in (target.path, *target.files):
            folder, _, name = path.removesuffix("/__init__.py").rpartition("/")
            found.add(name.removesuffix(".py") or basename(folder))
            outline = DefinitionOutline.of(self._tree.texts.get(path, ""))
            found |= _top_level(outline) if outline is not None else set()
        return frozenset(found - _EVERYWHERE)

    def content(self, roots: Sequence[str], names: frozenset[str]) -> str:
        """Return the digest of what functions in ``roots`` can depend on, called by ``names``."""
        inside = closure(set(roots) & self._files.paths, self._files.imports)
        inside |= self._packages(inside)
        texts = self._tree.texts
        if any(_DYNAMIC.search(texts[path]) for path in inside):
            inside = frozenset(self._texts)
        parts: list[object] = [self.data, sorted({path.split("/")[0] for path in texts})]
        for path in sorted(self._texts):
            if path in inside or not names.isdisjoint(self._words(path)):
                parts += [path, self._texts[path]]
            elif signs := self._signs(path):
                parts += [path, signs]
        return digest(*parts)

    def _packages(self, paths: Iterable[str]) -> frozenset[str]:
        """Return the ``__init__`` files that are run when these files are imported."""
        found: set[str] = set()
        for path in paths:
            folder = path
            while "/" in folder:
                folder = folder.rpartition("/")[0]
                found.add(f"{folder}/__init__.py")
        return closure(found & self._files.paths, self._files.imports)

    @cached_property
    def _known_signs(self) -> dict[str, list[str]]:
        return {}

    def _signs(self, path: str) -> list[str]:
        if path not in self._known_signs:
            words = _TELLING & self._words(path)
            settings = set(_SETTING.findall(self._texts[path]))
            self._known_signs[path] = sorted({*words, *settings})
        return self._known_signs[path]


def _top_level(outline: DefinitionOutline) -> set[str]:
    classes = {name.partition(".")[0] for name in outline.attributes}
    return {name for name in outline.functions if name.isidentifier()} | classes


def _regular(root: Path) -> Iterator[tuple[str, Path]]:
    """Yield every file and link of a tree by its path in it, in order."""
    for folder, folders, names in os.walk(root):
        folders.sort()
        linked = [name for name in folders if Path(folder, name).is_symlink()]
        for name in sorted([*names, *linked]):
            place = Path(folder, name)
            yield place.relative_to(root).as_posix(), place


def _content(place: Path) -> bytes:
    if place.is_symlink():
        return os.fsencode(place.readlink())
    with place.open("rb") as file:
        return hashlib.file_digest(file, "sha256").digest()


_ROOT = Path(__file__).parents[2]
_INERT = (".h", ".hpp", ".cuh", ".pyc", ".pyi", ".html", ".po", ".mo")
"""Files of packages that no running code reads."""
_PACKAGES = (
    "lib*/python*/site-packages", "lib*/python*/dist-packages", "local/lib/python*/dist-packages"
)  # fmt: skip


# ------------------------------------------------------- what all targets share


@dataclass(frozen=True, slots=True)
class RunScope:
    """The circumstances of a run that results can depend on."""

    request: CheckRequest
    settings: Settings
    plan: CheckPlan
    context: ExecutionContext

    def digest(self) -> str | None:
        """Return the digest of the circumstances; ``None`` where not all of them are known."""
        trees = (self.context.head, self.context.base)
        environments = {
            _environment(each, self.request.repository)
            for each in {id(tree.environment): tree.environment for tree in trees}.values()
        }
        if None in environments:
            return None
        request, context = self.request, self.context
        return digest(
            assayer_state(),
            sorted(map(str, environments)),
            self.settings.model_dump_json(),
            self.plan.configuration.model_dump_json(exclude={"ignore", "gate"}),
            context.plan,
            context.place.isolation.layers,
            context.place.limits,
            [analyzer.name for analyzer in self.plan.analyzers],
            (request.offline, request.trust, request.approved, request.other_providers),
            (request.gpu, context.left_out),
        )


def _environment(environment: Environment | None, checkout: Path) -> str | None:
    if environment is None:
        return "none"
    if environment.absent:
        return None
    mine = environment.python.is_relative_to(checkout.resolve())
    packages = installed_packages(environment.python, (checkout.resolve(), _ROOT), whole=mine)
    return None if packages is None else digest(repr(environment), packages)


def installed_packages(python: Path, known: Sequence[Path], *, whole: bool) -> str | None:
    """Return the digest of an interpreter's packages, by names and times.

    Those of all their files where the ``whole`` is looked at, as where people edit them in place.
    ``None`` where some of them lie elsewhere than in ``known`` folders, as packages in
    development do, or cannot be found.
    """
    hashed = hashlib.blake2b(str(python.resolve()).encode(), digest_size=20)
    prefix = python.parent.parent
    folders = [folder for pattern in _PACKAGES for folder in sorted(prefix.glob(pattern))]
    if not folders or _is_open(prefix / "pyvenv.cfg"):
        return None
    for folder in folders:
        for place, status in _modules(folder) if whole else _entries(folder):
            leading = place.suffix == ".pth" or place.name.startswith("__editable__")
            if leading and _leads_elsewhere(place, known):
                return None
            about = f"{place} {status.st_size} {status.st_mtime_ns}\n"
            hashed.update(about.encode("utf-8", "surrogateescape"))
    return hashed.hexdigest()


def _entries(folder: Path) -> Iterator[tuple[Path, os.stat_result]]:
    """Yield what lies directly in a folder, each with its status: pip renews it by renaming."""
    with os.scandir(folder) as entries:
        for entry in sorted(entries, key=lambda each: each.name):
            yield Path(entry.path), entry.stat(follow_symlinks=False)


def _modules(folder: Path) -> Iterator[tuple[Path, os.stat_result]]:
    """Yield the files below a folder that are no bytecode, each with its status."""
    waiting = [folder]
    while waiting:
        with os.scandir(waiting.pop()) as entries:
            for entry in sorted(entries, key=lambda each: each.name):
                if entry.is_dir(follow_symlinks=False):
                    if entry.name != "__pycache__":
                        waiting.append(Path(entry.path))
                elif not entry.name.endswith(_INERT):
                    yield Path(entry.path), entry.stat(follow_symlinks=False)


def _is_open(configuration: Path) -> bool:
    """Return whether a virtual environment takes packages from the system too."""
    text = configuration.read_text("utf-8", "replace") if configuration.is_file() else ""
    return re.search(r"include-system-site-packages\s*=\s*true", text) is not None


def _leads_elsewhere(place: Path, known: Sequence[Path]) -> bool:
    text = place.read_text("utf-8", "replace")
    paths = re.findall(r"(?m)^/.*$|(?<=['\"])/[^'\"\n]+(?=['\"])", text)
    return any(not any(Path(path).is_relative_to(each) for each in known) for path in paths)


@cache
def assayer_state() -> str:
    """Return the digest of this Assayer: its version, its files, its interpreter, its tables."""
    hashed = hashlib.blake2b(digest_size=20)
    for part in (version("assayer"), sys.version, platform.platform(), PACKAGE):
        hashed.update(part.encode())
    folders = [_ROOT / name for name in ("analyzers", "worker", "templates")]
    for folder in (*folders, built_tables_folder()):
        for place, status in _modules(folder) if folder.is_dir() else ():
            about = f"{place} {status.st_size} {status.st_mtime_ns}\n"
            hashed.update(about.encode("utf-8", "surrogateescape"))
    return hashed.hexdigest()


def digest(*parts: object) -> str:
    """Return the digest of texts, bytes, and what prints the same whenever it is the same."""
    whole = hashlib.blake2b(digest_size=20)
    for part in parts:
        content = part if isinstance(part, bytes) else str(part).encode("utf-8", "surrogatepass")
        whole.update(len(content).to_bytes(8, "big"))
        whole.update(content)
    return whole.hexdigest()
