"""Which of a tree's files speak for its environment.

The nearest folder above the tested files that declares anything counts.  In
it a lock comes before requirement files, those before project files:
``uv.lock``, ``poetry.lock``, ``pylock.toml``, ``Pipfile.lock``,
``requirements*.txt``, ``pyproject.toml``, ``Pipfile``, ``setup.cfg``,
``setup.py``, ``environment.yml``.  The first that names a requirement is taken.
"""

from __future__ import annotations

import posixpath
import re
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path

from worker.environments.declarations.locks import LOCKS
from worker.environments.declarations.nouns import Declaration, Target, printable
from worker.environments.declarations.projects import NOT_RUNTIME, PROJECT_FILES, Reader
from worker.environments.declarations.requirement_files import RequirementFiles
from worker.environments.declarations.tree import TreeFiles, Unreadable

_REQUIREMENTS = re.compile(r"requirements?([\w.-]*)\.(txt|in)\Z", re.IGNORECASE)
_READERS: dict[str, Reader] = {**PROJECT_FILES, **LOCKS}
MOST_PATHS = 500


def read_declaration(root: Path, paths: Sequence[str], target: Target) -> Declaration:
    """What the tree at ``root`` declares for the files at ``paths``.

    Nothing is run and nothing outside the tree is read.  A file that cannot
    be read is noted; the next one is asked.
    """
    files = TreeFiles(root)
    folder = declaring_folder(files, paths)
    notes: list[str] = []
    for group in _groups(files, folder):
        declaration = _read(files, group, target)
        if declaration.wanted or declaration.left_out:
            declaration.notes[:0] = notes
            return declaration
        notes += declaration.notes
    return Declaration(notes=notes)


def _read(files: TreeFiles, group: Sequence[str], target: Target) -> Declaration:
    """What files of equal rank say together."""
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
    """The declaring files of a folder, in their order of precedence."""
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
    """The folder that most of the files have as their nearest with a declaration."""
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
