"""The project's own tests that may call a target."""

from __future__ import annotations

import ast
import os
import re
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path, PurePosixPath
from posixpath import basename

from analyzers.guest.annotations.annotation_reader import definitions
from analyzers.inference.facts import FunctionContext
from analyzers.inference.function_lookup import definition_name, find_function
from analyzers.vocabulary import Target

SUFFIXES = (".md", ".rst", ".sh")
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
MOST_DOCUMENTS = 3
_TEST = re.compile(r"test_.*\.py|.*_test\.py")


def related_tests(target: Target, texts: Mapping[str, str]) -> tuple[str, ...]:
    """Return the tests among ``texts`` that name the target's function, class or module."""
    tests = {p: text for p, text in texts.items() if _TEST.fullmatch(PurePosixPath(p).name)}
    return _related(target, tests)[:MOST_TESTS]


def related_examples(target: Target, texts: Mapping[str, str]) -> tuple[str, ...]:
    """Return the texts whose examples may call a target: its own, and documents that name it."""
    own = (target.path,) if ">>> " in texts.get(target.path, "") else ()
    named = {path: text for path, text in texts.items() if path.lower().endswith(SUFFIXES)}
    return (*own, *_related(target, named)[:MOST_DOCUMENTS])


def _related(target: Target, texts: Mapping[str, str]) -> tuple[str, ...]:
    named = [part for part in target.function.split(".") if part.isidentifier()][:1]
    words = [*named, PurePosixPath(target.path).stem]
    found = [(_rank(text, words), path) for path, text in texts.items()]
    return tuple(path for rank, path in sorted(found) if rank < len(words))


def observed_functions(target: Target, texts: Mapping[str, str]) -> dict[str, str]:
    """The functions whose calls tell what is valid: the target's, and its class's constructor.

    By the name under which its file defines each: that of a base class where it is inherited,
    behind the path where that is in another file (``path::Base.forward``).
    """
    owner, _, method = target.function.rpartition(".")
    has_class = bool(owner) and not owner.endswith("<locals>") and method != "__init__"
    wanted = (target.function, f"{owner}.__init__") if has_class else (target.function,)
    found = {each: find_function(target.path, each, texts) for each in wanted}
    return {_defined(each, subject, target): each for each, subject in found.items()}


def _defined(name: str, subject: FunctionContext | None, target: Target) -> str:
    if subject is None:
        return name
    defined = definition_name(subject)
    return defined if subject.path == target.path else f"{subject.path}::{defined}"


def functions_of(text: str) -> tuple[str, ...]:
    """The qualified names of all functions in a file's text."""
    try:
        return tuple(name for name, _ in definitions(ast.parse(text)))
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return ()


def _rank(text: str, words: list[str]) -> int:
    """The first of ``words`` that a text has; how many they are where it has none."""
    return next((n for n, word in enumerate(words) if re.search(rf"\b{word}\b", text)), len(words))
