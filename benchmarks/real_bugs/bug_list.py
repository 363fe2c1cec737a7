"""The bugs of ``bugs.toml``, and which half each belongs to."""

from __future__ import annotations

import tomllib
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path
from typing import Any

LIST = Path(__file__).with_name("bugs.toml")
KINDS = (
    "crash", "wrong value", "wrong shape", "wrong dtype", "non-finite", "wrong gradient",
    "wrong mask", "off by one", "mutated argument", "ignored argument",
)  # fmt: skip
HALVES = ("develop", "held-out")


@dataclass(frozen=True, slots=True)
class Bug:
    """A fix commit, and the short valid call that fails before it and passes after it.

    What an API answers cannot be put into a call: such bugs have none, and are not verified.
    """

    id: str
    repository: str
    fix: str
    parent: str
    file: str
    function: str
    kind: str
    says: str
    call: str = ""

    @property
    def half(self) -> str:
        """Return the half, drawn by the hash of the id so that nobody chooses it."""
        return HALVES[sha256(self.id.encode()).digest()[0] % 2]

    @property
    def target(self) -> str:
        return f"{self.file}::{self.function}"


@dataclass(frozen=True, slots=True)
class BugList:
    """All bugs, and the small packages that their projects import."""

    packages: tuple[str, ...]
    bugs: tuple[Bug, ...]


def load(path: Path = LIST) -> BugList:
    """Read the list; raise ``ValueError`` for a bug that is incomplete or twice in it."""
    read: dict[str, Any] = tomllib.loads(path.read_text("utf-8"))
    bugs = tuple(Bug(**each) for each in read["bug"])
    for bug in bugs:
        if bug.kind not in KINDS:
            raise ValueError(f"{bug.id}: kind {bug.kind!r} is none of {', '.join(KINDS)}")
        if not len(bug.fix) == len(bug.parent) == 40:
            raise ValueError(f"{bug.id}: fix and parent are full commit names")
    if len({bug.id for bug in bugs}) < len(bugs):
        raise ValueError("two bugs have the same id")
    return BugList(tuple(read["packages"]), bugs)
