"""Which Python a tree is written for."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from packaging.specifiers import SpecifierSet

from worker.environments.declarations.choice import declaring_folder
from worker.environments.declarations.poetry import version_sets
from worker.environments.declarations.projects import conda, config
from worker.environments.declarations.setup_script import setup_arguments
from worker.environments.declarations.tree import TreeFiles, Unreadable, items, table

_EXACT = re.compile(r"(?:c?python-?)?\s*(\d+)(?:\.(\d+))?(?:\.[\dabrc]+)?\Z", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class DeclaredPython:
    """Versions of Python, any of the sets; none where nothing is declared."""

    file: str = ""
    sets: tuple[SpecifierSet, ...] = ()

    def allows(self, version: str) -> bool:
        """Whether a version is one of them."""
        return not self.sets or any(each.contains(version, prereleases=True) for each in self.sets)

    def __str__(self) -> str:
        """As it is spelled by specifiers."""
        return " or ".join(map(str, self.sets))


def declared_python(root: Path, paths: Sequence[str]) -> DeclaredPython:
    """The Python that the tree declares for the files at ``paths``.

    ``.python-version`` and ``runtime.txt`` count by their minor version,
    before what packages ask for.
    """
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
