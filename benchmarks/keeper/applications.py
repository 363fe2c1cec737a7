"""The applications, as their folders describe them."""

from __future__ import annotations

import tomllib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

FOLDER = Path(__file__).parent / "applications"
TASKS = ("labels", "objects", "faces", "text", "documents", "sentiment", "entities", "speech")
REPAIRS = ("verified", "formula", "none", "")


@dataclass(frozen=True)
class Planted:
    """A defect at the line of ``app.py`` that contains ``at``.

    ``repair`` is what has to come with it: a ``verified`` suggestion, a
    ``formula``, or ``none``; empty: nothing is asked.
    """

    rule: str
    at: str
    line: int
    repair: str


@dataclass(frozen=True)
class Application:
    """One application.

    ``unreachable`` branches of its function are reached by no input: planted
    dead, or waiting for a service that fails.
    """

    name: str
    task: str
    provider: str
    function: str
    source: str
    twin: str
    planted: tuple[Planted, ...]
    unreachable: int
    sees: Mapping[str, Sequence[Any]]
    others: Mapping[str, str]

    @property
    def target(self) -> str:
        """The function to test, as ``path::name``."""
        return f"app.py::{self.function}"

    def sources(self, *, twin: bool = False) -> dict[str, str]:
        """The texts of the files by path."""
        return {**self.others, "app.py": self.twin if twin else self.source}


def applications(names: Sequence[str] = ()) -> Iterator[Application]:
    """All applications in alphabetical order, or those of the given names.

    Raises ``ValueError`` naming the file that is wrong.
    """
    for folder in sorted(path.parent for path in FOLDER.glob("*/truth.toml")):
        if not names or folder.name in names:
            try:
                yield _read(folder)
            except (KeyError, ValueError) as error:
                raise ValueError(f"{folder}/truth.toml: {error}") from error


def _read(folder: Path) -> Application:
    truth = tomllib.loads((folder / "truth.toml").read_text("utf-8"))
    source = (folder / "app.py").read_text("utf-8")
    if truth["task"] not in TASKS:
        raise ValueError(f"no task is {truth['task']!r}")
    return Application(
        folder.name,
        truth["task"],
        truth["provider"],
        truth["function"],
        source,
        (folder / "twin.py").read_text("utf-8"),
        tuple(_planted(entry, source) for entry in truth.get("planted", ())),
        int(truth.get("unreachable", 0)),
        {entry["keyword"].casefold(): entry["says"] for entry in truth.get("sees", ())},
        {
            path.name: path.read_text("utf-8")
            for path in folder.glob("*.py")
            if path.name not in {"app.py", "twin.py"}
        },
    )


def _planted(entry: Mapping[str, str], source: str) -> Planted:
    lines = [n for n, line in enumerate(source.splitlines(), 1) if entry["at"] in line]
    if len(lines) != 1:
        raise ValueError(f"{entry['at']!r} stands in {len(lines)} lines of app.py")
    repair = entry.get("repair", "")
    if repair not in REPAIRS:
        raise ValueError(f"no repair is {repair!r}")
    return Planted(entry["rule"], entry["at"], lines[0], repair)
