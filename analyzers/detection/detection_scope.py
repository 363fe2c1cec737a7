"""The extent of a detection and its result."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from math import inf

from analyzers.vocabulary import Skipped, Target

NAME = "detection"


@dataclass(frozen=True, slots=True)
class DetectionResult:
    """The targets of a change, and the files that could not be read."""

    targets: tuple[Target, ...]
    skipped: tuple[Skipped, ...] = ()


@dataclass(frozen=True, slots=True)
class DetectionScope:
    """The files and functions that count as changed.

    ``everything``: all; ``only``: the functions of these ids, changed or not.  Answers of ML
    APIs are followed for ``seconds`` of processor time.
    """

    everything: bool = False
    only: frozenset[str] = frozenset()
    seconds: float = inf


@dataclass(frozen=True, slots=True)
class ApiFiles:
    """The files to read, and the changed ones that matter.

    ``asks``: a changed one may call what asks an API; else they only may receive its answers.
    """

    read: frozenset[str] = frozenset()
    changed: frozenset[str] = frozenset()
    asks: bool = False


def untouched(only: Collection[str], reached: Collection[str]) -> list[Skipped]:
    """Return that functions which were named are not there, or call no ML API that we know."""
    return [
        Skipped(NAME, entry, "there is no such function, or no ML call that Assayer knows in it")
        for entry in sorted(set(only) - set(reached))
    ]
