"""Lock files: every package by name, version and hash."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any

from packaging.markers import InvalidMarker
from packaging.utils import canonicalize_name

from worker.environments.declarations.declaration import (
    Declaration,
    TargetPython,
    pinned,
    read_requirement,
    specifiers,
)
from worker.environments.declarations.tree_files import TreeFiles, table, tables, texts

Package = Mapping[str, Any]
_ELSEWHERE = ("git", "url", "path", "directory", "editable", "virtual", "vcs", "archive", "file")


def read_uv_lock(
    files: TreeFiles, path: str, declaration: Declaration, target: TargetPython
) -> None:
    """Read the requirements of the project and its extras from ``uv.lock``, without groups."""
    _UvLock(files.toml(path), path, declaration, target).read()


class _UvLock:
    def __init__(
        self, document: Package, path: str, declaration: Declaration, target: TargetPython
    ) -> None:
        self._path, self._declaration, self._target = path, declaration, target
        self._packages: dict[str, list[Package]] = {}
        for package in tables(document.get("package")):
            self._packages.setdefault(_name(package), []).append(package)
        self._seen: set[tuple[str, str, str]] = set()

    def read(self) -> None:
        roots = [p for same in self._packages.values() for p in same if _is_member(p)]
        if not roots:
            for package in [p for same in self._packages.values() for p in same]:
                self._take(package)
            return
        pending: list[tuple[Package, str]] = []
        for root in roots:
            extras = table(root.get("optional-dependencies"))
            pending += [(root, ""), *((root, extra) for extra in extras)]
        while pending:
            package, extra = pending.pop()
            place = (_name(package), str(package.get("version")), extra)
            if place in self._seen:
                continue
            self._seen.add(place)
            if not extra and package not in roots:
                self._take(package)
            pending += self._needs(package, extra)

    def _needs(self, package: Package, extra: str) -> Iterator[tuple[Package, str]]:
        needs: object = package.get("dependencies")
        if extra:
            needs = table(package.get("optional-dependencies")).get(extra)
        for need in tables(needs):
            if not holds(need.get("marker"), self._target):
                continue
            for found in self._packages.get(_name(need), []):
                if need.get("version") in {None, found.get("version")}:
                    yield found, ""
                    yield from ((found, wanted) for wanted in texts(need.get("extra")))

    def _take(self, package: Package) -> None:
        name = _name(package)
        source = table(package.get("source"))
        if not source.keys().isdisjoint(_ELSEWHERE):
            self._declaration.leave_out(name, "does not come from an index", self._path)
            return
        files = [*tables(package.get("wheels")), table(package.get("sdist"))]
        hashes = [str(file["hash"]) for file in files if "hash" in file]
        if holds_any(texts(package.get("resolution-markers")), self._target):
            pinned(self._declaration, package, self._path, hashes)


def _is_member(package: Package) -> bool:
    return not table(package.get("source")).keys().isdisjoint({"virtual", "editable"})


def read_poetry_lock(
    files: TreeFiles, path: str, declaration: Declaration, target: TargetPython
) -> None:
    """All packages of ``poetry.lock`` but those of development groups alone."""
    document = files.toml(path)
    of_all = table(table(document.get("metadata")).get("files"))
    for package in tables(document.get("package")):
        if not _is_of_poetry_main(package) or not _fits(package, target):
            continue
        if table(package.get("source")).get("type") in {"git", "directory", "file", "url"}:
            declaration.leave_out(_name(package), "does not come from an index", path)
            continue
        found = tables(package.get("files")) or tables(of_all.get(str(package.get("name"))))
        pinned(declaration, package, path, [str(file.get("hash")) for file in found])


def _is_of_poetry_main(package: Package) -> bool:
    groups = texts(package.get("groups"))
    return package.get("category", "main") == "main" and (not groups or groups != ["dev"])


def _fits(package: Package, target: TargetPython) -> bool:
    versions = specifiers(str(package.get("python-versions", "")).replace("*", ""))
    if versions is not None and not versions.contains(target.version, prereleases=True):
        return False
    marker = package.get("markers")
    if isinstance(marker, dict):
        return holds_any([m for m in marker.values() if isinstance(m, str)], target)
    return holds(marker, target)


def read_pipfile_lock(
    files: TreeFiles, path: str, declaration: Declaration, target: TargetPython
) -> None:
    """The default packages of ``Pipfile.lock``."""
    for name, package in table(files.json(path).get("default")).items():
        about = table(package)
        if not holds(about.get("markers"), target):
            continue
        if not about.keys().isdisjoint(_ELSEWHERE) or "version" not in about:
            declaration.leave_out(name, "does not come from an index", path)
            continue
        extras = f"[{','.join(texts(about.get('extras')))}]" if about.get("extras") else ""
        text = f"{name}{extras}{about['version']}"
        read_requirement(declaration, text, path, target, texts(about.get("hashes")))


def read_pylock(
    files: TreeFiles, path: str, declaration: Declaration, target: TargetPython
) -> None:
    """The packages of ``pylock.toml`` (PEP 751) outside extras and groups."""
    for package in tables(files.toml(path).get("packages")):
        if not holds(package.get("marker"), target):
            continue
        if not package.keys().isdisjoint(_ELSEWHERE):
            declaration.leave_out(_name(package), "does not come from an index", path)
            continue
        found = [*tables(package.get("wheels")), table(package.get("sdist"))]
        hashes = [
            f"{kind}:{value}" for file in found for kind, value in table(file.get("hashes")).items()
        ]
        pinned(declaration, package, path, hashes)


def holds(marker: object, target: TargetPython) -> bool:
    """Return whether a lock's marker holds; what is no marker does not."""
    if marker is None:
        return True
    try:
        return isinstance(marker, str) and target.applies(marker)
    except (InvalidMarker, RecursionError):
        return False


def holds_any(markers: list[str], target: TargetPython) -> bool:
    """Return whether one of several markers holds, or there are none."""
    return not markers or any(holds(marker, target) for marker in markers)


def _name(package: Package) -> str:
    return canonicalize_name(str(package.get("name", "")))


Reader = Callable[[TreeFiles, str, Declaration, TargetPython], None]
LOCKS: Mapping[str, Reader] = {
    "uv.lock": read_uv_lock,
    "poetry.lock": read_poetry_lock,
    "pylock.toml": read_pylock,
    "Pipfile.lock": read_pipfile_lock,
}
"""Read in this order; the first that is there speaks for the tree."""
