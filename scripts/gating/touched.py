"""The test files that depend on what changed, nearest first."""

from __future__ import annotations

import ast
import subprocess
import sys
from collections import defaultdict, deque
from collections.abc import Iterable, Iterator
from pathlib import Path

import grimp

from .groups import UNKNOWN_SECONDS, Group

PACKAGES = ("app", "worker", "analyzers")
# these start assayer as a process: they depend on everything, and come last
PROCESS_TESTS = "tests/end_to_end"
MOST_COMMITS = 50
RECENT_SECONDS = 2 * 24 * 3600
# known seconds are of a quiet machine, and a fixture that files share is known of one of them
FILLED = 0.7


def recent(root: Path) -> str:
    """Return the commit before the last fifty, or before the last two days if that is later.

    In a history that is shorter, as of a shallow or squashed clone, return its first commit.
    """
    log = ("log", "--first-parent", f"-{MOST_COMMITS + 1}", "--format=%H %ct")
    commits = [line.split() for line in _git(root, *log)]
    newest = int(commits[0][1])
    older = (name for name, made in commits if int(made) < newest - RECENT_SECONDS)
    return next(older, commits[-1][0])


def ranked(root: Path, files: Iterable[str], since: str) -> dict[str, int | None]:
    """Return the files to run, nearest first, with their distance from the files that changed.

    The distance of a file that changed is 0, of one that imports what changed 1, and so on.
    Tests that start processes follow, with no distance, if their imports do not tell one.
    """
    changed = _git(root, "diff", "--name-only", "--no-renames", since)
    distances = _distances(changed, _importers(root))
    near = sorted((distances[file], file) for file in files if file in distances)
    ranks: dict[str, int | None] = {file: distance for distance, file in near}
    for file in sorted(files):
        if file.startswith(PROCESS_TESTS):
            ranks.setdefault(file)
    return ranks


def fitting(
    ranks: dict[str, int | None], known: dict[str, float], cores: int, seconds: float
) -> tuple[list[Group], list[str]]:
    """Return a group for each core that fits into the time, and the files that do not fit.

    Files of the same distance go by their known seconds, shortest first.
    """

    def key(file: str) -> tuple[bool, int, float, str]:
        distance = ranks[file]
        return distance is None, distance or 0, known.get(file, UNKNOWN_SECONDS), file

    groups = [Group([], 0.0) for _ in range(cores)]
    left_out: list[str] = []
    for file in sorted(ranks, key=key):
        group = min(groups, key=lambda each: each.seconds)
        took = known.get(file, UNKNOWN_SECONDS)
        if group.seconds + took > seconds * FILLED:
            left_out.append(file)
        else:
            group.files.append(file)
            group.seconds += took
    return [group for group in groups if group.files], left_out


def _git(root: Path, *arguments: str) -> list[str]:
    done = subprocess.run(
        ["git", "-c", "core.quotePath=false", *arguments],
        cwd=root,
        check=True,
        stdout=subprocess.PIPE,
        text=True,
    )
    return done.stdout.splitlines()


def _distances(changed: Iterable[str], importers: dict[str, set[str]]) -> dict[str, int]:
    distances = dict.fromkeys(changed, 0)
    waiting = deque(distances)
    while waiting:
        each = waiting.popleft()
        for importer in sorted(importers[each]):
            if importer not in distances:
                distances[importer] = distances[each] + 1
                waiting.append(importer)
    return distances


def _importers(root: Path) -> dict[str, set[str]]:
    """Return the files that import each file; those beside a file of another kind read it."""
    importers: dict[str, set[str]] = defaultdict(set)
    packages = [package for package in PACKAGES if (root / package).is_dir()]
    tests = sorted((root / "tests").rglob("*.py"))
    modules = {_name(root, path): path for path in tests}
    if packages:
        sys.path.insert(0, str(root))
        graph = grimp.build_graph(*packages, cache_dir=None)
        modules |= {name: _source(root, name) for name in graph.modules}
        for name in graph.modules:
            for imported in graph.find_modules_directly_imported_by(name):
                importers[_file(root, modules[imported])].add(_file(root, modules[name]))
    for path in tests:
        for name in _imported(path):
            # of "from package import name", whichever is a module
            found = modules.get(name) or modules.get(name.rpartition(".")[0])
            if found:
                importers[_file(root, found)].add(_file(root, path))
    for path in tests:
        if path.name.startswith("test_"):
            for folder in path.relative_to(root).parents:
                importers[str(folder / "conftest.py")].add(_file(root, path))
    _add_data(root, importers)
    return importers


def _add_data(root: Path, importers: dict[str, set[str]]) -> None:
    """Let what is no module belong to the nearest folder above it that has modules or tests."""
    tracked = _git(root, "ls-files", *PACKAGES, "tests")
    readers = [file for file in tracked if file.endswith(".py") and _reads(Path(file))]
    folders: dict[str, set[str]] = defaultdict(set)
    for file in readers:
        folders[str(Path(file).parent)].add(file)
    for file in sorted({*tracked} - {*readers}):
        if not importers[file]:
            above = (str(folder) for folder in Path(file).parents)
            importers[file] |= folders[next((folder for folder in above if folder in folders), "")]


def _reads(path: Path) -> bool:
    return path.parts[0] != "tests" or path.name.startswith("test_")


def _imported(path: Path) -> Iterator[str]:
    try:
        tree = ast.parse(path.read_bytes())
    except (SyntaxError, ValueError):
        return
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module:
            yield from (f"{node.module}.{alias.name}" for alias in node.names)


def _name(root: Path, path: Path) -> str:
    return ".".join(path.relative_to(root).with_suffix("").parts)


def _source(root: Path, module: str) -> Path:
    path = root.joinpath(*module.split("."))
    return path / "__init__.py" if path.is_dir() else path.with_suffix(".py")


def _file(root: Path, path: Path) -> str:
    return str(path.relative_to(root))
