"""The cases of the zoo, as their folders describe them."""

from __future__ import annotations

import tomllib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

FOLDER = Path(__file__).parent / "zoo"
FRAMEWORKS = ("torch", "keras", "numpy", "jax", "python")
RULES = ("property/crash", "property/postcondition", "property/removed-api")
VARIANTS = ("buggy", "fixed")


@dataclass(frozen=True, slots=True)
class Case:
    """One function with a bug, and without.

    ``at`` are texts of which each stands in one line of the target's file
    (``path: text`` for another file): the lines where the bug shows; empty:
    anywhere in the target.  ``exceptions`` are what it may raise, by the last
    parts of their names; empty for a postcondition.  ``fails`` and ``passes``
    are expressions over the target's module ``m`` and a random generator ``r``;
    where ``refuses`` is set the fixed version may refuse what fails.
    """

    name: str
    target: str
    framework: str
    cause: str
    annotated: bool
    rule: str
    exceptions: tuple[str, ...]
    at: tuple[str, ...]
    says: str
    setup: str
    fails: tuple[str, ...]
    passes: tuple[str, ...]
    refuses: bool

    @property
    def path(self) -> str:
        """The file of the target."""
        return self.target.partition("::")[0]

    @property
    def function(self) -> str:
        """The qualified name of the target."""
        return self.target.partition("::")[2]

    @property
    def folder(self) -> Path:
        """Where it lies."""
        return FOLDER / self.name

    def sources(self, variant: str) -> dict[str, str]:
        """The texts of a variant's files by path."""
        root = self.folder / variant
        return {
            path.relative_to(root).as_posix(): path.read_text("utf-8")
            for path in sorted(root.rglob("*"))
            if path.is_file() and "__pycache__" not in path.parts
        }

    def lines(self) -> frozenset[tuple[str, int]]:
        """Where the bug shows: path and line, from 1."""
        return frozenset(self._line(text) for text in self.at)

    def _line(self, text: str) -> tuple[str, int]:
        path, colon, rest = text.partition(": ")
        sources = self.sources("buggy")
        path, wanted = (path, rest) if colon and path in sources else (self.path, text)
        found = [n for n, line in enumerate(sources[path].splitlines(), 1) if wanted in line]
        if len(found) != 1:
            raise ValueError(f"{wanted!r} stands in {len(found)} lines of {path}")
        return path, found[0]


def cases(names: Sequence[str] = ()) -> Iterator[Case]:
    """All cases in alphabetical order, or those of the given names.

    Raises ``ValueError`` naming the file that is wrong.
    """
    for folder in sorted(path.parent for path in FOLDER.glob("*/case.toml")):
        if not names or folder.name in names:
            try:
                yield _read(folder)
            except (KeyError, ValueError) as error:
                raise ValueError(f"{folder}/case.toml: {error}") from error


def _read(folder: Path) -> Case:
    told: dict[str, Any] = tomllib.loads((folder / "case.toml").read_text("utf-8"))
    case = Case(
        folder.name,
        told["target"],
        told["framework"],
        told["cause"],
        bool(told["annotated"]),
        told["rule"],
        tuple(told["exceptions"]),
        tuple(told.get("at", ())),
        told["says"],
        told.get("setup", ""),
        tuple(told["fails"]),
        tuple(told["passes"]),
        bool(told.get("refuses", False)),
    )
    if case.framework not in FRAMEWORKS or case.rule not in RULES:
        raise ValueError(f"no framework is {case.framework!r}, or no rule {case.rule!r}")
    if case.path not in case.sources("buggy"):
        raise ValueError(f"there is no {case.path}")
    case.lines()
    return case
