"""Files of a tree that declare its environment.

The nearest folder above the tested files that declares anything counts; in it a lock comes before
requirement files, those before project files.  The first that names a requirement is taken.
"""

from __future__ import annotations

import posixpath
import re
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from packaging.specifiers import SpecifierSet

from worker.environments.declarations.declaration import Declaration, TargetPython, printable
from worker.environments.declarations.development_files import development_packages
from worker.environments.declarations.lock_files import LOCKS
from worker.environments.declarations.project_files import (
    NOT_RUNTIME,
    PROJECT_FILES,
    Reader,
    conda,
    config,
    setup_arguments,
    version_sets,
)
from worker.environments.declarations.requirement_files import RequirementFiles
from worker.environments.declarations.tree_files import TreeFiles, Unreadable, items, table

_REQUIREMENTS = re.compile(r"requirements?([\w.-]*)\.(txt|in)\Z", re.IGNORECASE)
_READERS: dict[str, Reader] = {**PROJECT_FILES, **LOCKS}
MOST_PATHS = 500


def read_declaration(root: Path, paths: Sequence[str], target: TargetPython) -> Declaration:
    """Return what the tree at ``root`` declares for ``paths``; unreadable files are noted."""
    files = TreeFiles(root)
    folder = declaring_folder(files, paths)
    notes: list[str] = []
    for group in _groups(files, folder):
        declaration = _read(files, group, target)
        if declaration.wanted or declaration.left_out:
            declaration.notes[:0] = notes
            if declaration.wanted and not declaration.complete:
                declaration.development = development_packages(files, folder, declaration, target)
            return declaration
        notes += declaration.notes
    return Declaration(notes=notes)


def _read(files: TreeFiles, group: Sequence[str], target: TargetPython) -> Declaration:
    declaration = Declaration()
    for path in group:
        reader = _READERS.get(posixpath.basename(path))
        try:
            if reader is None:
                RequirementFiles(files, declaration, target).read(path)
            else:
                reader(files, path, declaration, target)
                declaration.files.insert(0, path)
        except Unreadable as reason:
            declaration.note(f"{printable(path)} is not read: {reason}")
    locked = posixpath.basename(group[0]) in LOCKS
    declaration.complete = locked or all(wanted.hashes for wanted in declaration.wanted)
    return declaration


def _groups(files: TreeFiles, folder: str) -> Iterator[list[str]]:
    names = set(files.names(folder))
    for name in LOCKS:
        if name in names:
            yield [posixpath.join(folder, name)]
    requirements = _requirement_files(files, folder)
    if requirements:
        yield requirements
    for name in PROJECT_FILES:
        if name in names:
            yield [posixpath.join(folder, name)]


def _requirement_files(files: TreeFiles, folder: str) -> list[str]:
    """``requirements.txt``, else all that are not for development alone."""
    inside = posixpath.join(folder, "requirements")
    own = {name: match[1] for name in files.names(folder) if (match := _REQUIREMENTS.match(name))}
    if "requirements.txt" in own:
        return [posixpath.join(folder, "requirements.txt")]
    found = [posixpath.join(folder, name) for name, kind in own.items() if _is_runtime(kind)]
    nested = [name for name in files.names(inside) if name.endswith(".txt")]
    found += [posixpath.join(inside, name) for name in nested if _is_runtime(name[:-4])]
    return [path for path in found if files.has(path)]


def _is_runtime(kind: str) -> bool:
    return NOT_RUNTIME.match(kind.strip("-_.")) is None


def declaring_folder(files: TreeFiles, paths: Sequence[str]) -> str:
    """Return the folder that most of the files have as their nearest with a declaration."""
    found: Counter[str] = Counter()
    known: dict[str, bool] = {}
    for path in paths[:MOST_PATHS]:
        for folder in _above(path):
            if folder not in known:
                known[folder] = any(True for _ in _groups(files, folder))
            if known[folder]:
                found[folder] += 1
                break
    return found.most_common(1)[0][0] if found else ""


def _above(path: str) -> Iterator[str]:
    folder = posixpath.dirname(path)
    while folder:
        yield folder
        folder = posixpath.dirname(folder)
    yield ""


_EXACT = re.compile(r"(?:c?python-?)?\s*(\d+)(?:\.(\d+))?(?:\.[\dabrc]+)?\Z", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class DeclaredPython:
    """Versions of Python, any of the sets; none where nothing is declared."""

    file: str = ""
    sets: tuple[SpecifierSet, ...] = ()

    def allows(self, version: str) -> bool:
        """Return whether a version is one of them."""
        return not self.sets or any(each.contains(version, prereleases=True) for each in self.sets)

    def __str__(self) -> str:
        """As it is spelled by specifiers."""
        return " or ".join(map(str, self.sets))


def declared_python(root: Path, paths: Sequence[str]) -> DeclaredPython:
    """Return the Python that the tree declares for ``paths``: version files, then packages."""
    files = TreeFiles(root)
    nearest = declaring_folder(files, paths)
    for folder in dict.fromkeys((nearest, "")):
        for name, read in _FILES.items():
            path = posixpath.join(folder, name)
            if not files.has(path):
                continue
            try:
                sets = [each for text in read(files, path) for each in version_sets(text)]
            except Unreadable:
                continue
            if any(map(str, sets)):
                return DeclaredPython(path, tuple(sets))
    return DeclaredPython()


def _exact(files: TreeFiles, path: str) -> Iterator[str]:
    for line in files.text(path).splitlines()[:1]:
        match = _EXACT.match(line.strip())
        if match:
            yield f"=={match[1]}.{match[2]}.*" if match[2] else f"=={match[1]}.*"


def _pyproject(files: TreeFiles, path: str) -> Iterator[str]:
    document = files.toml(path)
    poetry = table(table(document.get("tool")).get("poetry"))
    yield from _text(table(document.get("project")).get("requires-python"))
    yield from _text(table(poetry.get("dependencies")).get("python"))


def _pipfile(files: TreeFiles, path: str) -> Iterator[str]:
    for version in _text(table(files.toml(path).get("requires")).get("python_version")):
        yield f"=={version}.*"


def _conda(files: TreeFiles, path: str) -> Iterator[str]:
    for item in items(conda(files, path).get("dependencies")):
        match = re.match(r"python\s*={1,2}\s*(\d+\.\d+)", str(item)[:80])
        if match:
            yield f"=={match[1]}.*"


def _text(value: object) -> Iterator[str]:
    if isinstance(value, str) and value:
        yield value


_FILES: dict[str, Callable[[TreeFiles, str], Iterator[str]]] = {
    ".python-version": _exact,
    "runtime.txt": _exact,
    "pyproject.toml": _pyproject,
    "uv.lock": lambda files, path: _text(files.toml(path).get("requires-python")),
    "poetry.lock": lambda files, path: _text(
        table(files.toml(path).get("metadata")).get("python-versions")
    ),
    "Pipfile": _pipfile,
    "setup.cfg": lambda files, path: _text(
        config(files.text(path)).get("options", "python_requires", fallback="")
    ),
    "setup.py": lambda files, path: _text(setup_arguments(files.text(path)).python),
    "environment.yml": _conda,
    "environment.yaml": _conda,
}
