"""The project's own tests that may call a target."""

from __future__ import annotations

import ast
import re
from collections.abc import Mapping
from pathlib import PurePosixPath

from analyzers.guest.annotations.reading import definitions
from analyzers.vocabulary import Target

MOST_TESTS = 20
_TEST = re.compile(r"test_.*\.py|.*_test\.py")


def related_tests(target: Target, texts: Mapping[str, str]) -> tuple[str, ...]:
    """The test files among the project's ``texts``, those that name the target first.

    Those that name neither its function (for a method: its class) nor its
    module are left out.
    """
    named = [part for part in target.function.split(".") if part.isidentifier()][:1]
    words = [*named, PurePosixPath(target.path).stem]
    found = [(path, _rank(text, words)) for path, text in texts.items() if _is_test(path)]
    nearest = sorted((rank, path) for path, rank in found if rank < len(words))
    return tuple(path for _, path in nearest[:MOST_TESTS])


def watched(target: Target) -> tuple[str, ...]:
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


def _is_test(path: str) -> bool:
    return _TEST.fullmatch(PurePosixPath(path).name) is not None


def _rank(text: str, words: list[str]) -> int:
    """The first of ``words`` that a text has; how many they are where it has none."""
    return next((n for n, word in enumerate(words) if re.search(rf"\b{word}\b", text)), len(words))
