"""What names stand for: things of libraries and of the project."""

from __future__ import annotations

import ast
from dataclasses import dataclass
from typing import Protocol


@dataclass(frozen=True, slots=True)
class Meaning:
    """What an expression stands for.

    ``name`` is the dotted name in a library, or where it is the project's
    ``own`` the ``path::Qualified.name`` of a definition or the path of a file.
    ``made``: it is a value that calling it gave, not the thing itself.
    """

    name: str
    own: bool = False
    made: bool = False


Meanings = frozenset[Meaning]
UNKNOWN: Meanings = frozenset()


class Around(Protocol):
    """What a scope asks of the project around it."""

    def imported(self, path: str, level: int, module: str, name: str | None) -> Meanings:
        """What an import in a file brings."""
        ...

    def member(self, meaning: Meaning, name: str) -> Meanings:
        """What an attribute stands for."""
        ...

    def result(self, meaning: Meaning) -> Meanings:
        """What calling gives."""
        ...

    def bases(self, meaning: Meaning) -> Meanings:
        """The bases of a class of the project."""
        ...


def parsed(text: str) -> ast.expr | None:
    """An annotation that is written as a string."""
    try:
        return ast.parse(text.strip(), mode="eval").body
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return None
