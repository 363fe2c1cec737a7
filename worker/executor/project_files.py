"""The project's own tests that may call a target."""

from __future__ import annotations

import ast
import os
import re
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path, PurePosixPath
from posixpath import basename

from analyzers.guest.annotations.annotation_reader import definitions
from analyzers.vocabulary import Target

SUFFIXES = (".md", ".rst")
DESCRIBING = re.compile(
    r"\.?env[.-](example|sample|template|dist|defaults?)|.*\.env\.(example|sample|template|dist)"
    r"|(docker-)?compose[\w.-]*\.ya?ml|(app|serverless|template)\.ya?ml|(docker|container)file"
)
"""Files that describe the environment of the project."""
_DECLARING = re.compile(
    r"(requirements|constraints|environment|conda)[^/]*\.(txt|in|ya?ml)\Z"
    r"|(pyproject\.toml|setup\.cfg|setup\.py|Pipfile(\.lock)?|poetry\.lock|uv\.lock)\Z"
)
MOST = 200
LONGEST = 200_000
_LEFT_OUT = frozenset({".git", "node_modules", "site-packages", ".venv", "venv"})


def declarations(paths: Sequence[str]) -> list[str]:
    """Return the files among a project's that declare packages."""
    return [
        path
        for path in paths
        if _DECLARING.search(basename(path)) or re.search(r"(^|/)requirements/[^/]+\.txt\Z", path)
    ]


def documents(root: Path) -> Mapping[str, str]:
    """Return the texts of documents below a folder by path, bounded, links not followed."""
    found: dict[str, str] = {}
    for path in _files(root):
        text = _text(path)
        if text is not None:
            found[path.relative_to(root).as_posix()] = text
        if len(found) >= MOST:
            break
    return found


def _files(root: Path) -> Iterator[Path]:
    for folder, folders, names in os.walk(root, followlinks=False):
        folders[:] = sorted(name for name in folders if name not in _LEFT_OUT)
        for name in sorted(names):
            path = Path(folder, name)
            documented = name.lower().endswith(SUFFIXES) or DESCRIBING.fullmatch(name.lower())
            if documented or declarations([path.relative_to(root).as_posix()]):
                yield path


def _text(path: Path) -> str | None:
    try:
        descriptor = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK)
    except OSError:
        return None
    with os.fdopen(descriptor, "rb") as file:
        content = file.read(LONGEST + 1)
    return content.decode("utf-8", "replace") if len(content) <= LONGEST else None


MOST_TESTS = 20
_TEST = re.compile(r"test_.*\.py|.*_test\.py")


def related_tests(target: Target, texts: Mapping[str, str]) -> tuple[str, ...]:
    """Return the tests among ``texts`` that name the target's function, class or module."""
    named = [part for part in target.function.split(".") if part.isidentifier()][:1]
    words = [*named, PurePosixPath(target.path).stem]
    found = [
        (path, _rank(text, words))
        for path, text in texts.items()
        if _TEST.fullmatch(PurePosixPath(path).name)
    ]
    nearest = sorted((rank, path) for path, rank in found if rank < len(words))
    return tuple(path for _, path in nearest[:MOST_TESTS])


def observed_functions(target: Target) -> tuple[str, ...]:
    """The functions whose calls tell what is valid: the target's, and its class's constructor."""
    owner, _, method = target.function.rpartition(".")
    has_class = bool(owner) and not owner.endswith("<locals>") and method != "__init__"
    return (target.function, f"{owner}.__init__") if has_class else (target.function,)


def functions_of(text: str) -> tuple[str, ...]:
    """The qualified names of all functions in a file's text."""
    try:
        return tuple(name for name, _ in definitions(ast.parse(text)))
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return ()


def _rank(text: str, words: list[str]) -> int:
    """The first of ``words`` that a text has; how many they are where it has none."""
    return next((n for n, word in enumerate(words) if re.search(rf"\b{word}\b", text)), len(words))
