"""What detection finds, and how far it is to look."""

from __future__ import annotations

from dataclasses import dataclass

from analyzers.vocabulary import Skipped, Target

NAME = "detection"


@dataclass(frozen=True, slots=True)
class Detected:
    """What to examine, and which files could not be read."""

    targets: tuple[Target, ...]
    skipped: tuple[Skipped, ...] = ()


@dataclass(frozen=True, slots=True)
class Extent:
    """What counts as changed.

    ``everything``: all; ``only``: the functions of these ids, changed or not.
    """

    everything: bool = False
    only: frozenset[str] = frozenset()
