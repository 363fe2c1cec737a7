"""What an environment is to those who run code in it."""

from __future__ import annotations

import sys
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from worker.environments.declarations import LeftOut

MOST_NAMED = 8
OUR_OWN = ("celery", "click", "flask", "gunicorn", "kombu", "redis", "sqlalchemy", "werkzeug")
"""What a guest finds only because it shares our interpreter: not the project's."""


@dataclass(frozen=True, slots=True)
class Environment:
    """An interpreter with a project's packages.

    ``layer`` holds the guest's own needs, ``None`` where the interpreter is
    ours and has them or where they cannot be had.  ``hidden`` are packages
    that are not the project's.  ``notes`` are sentences for the report.
    """

    python: Path
    layer: Path | None = None
    hidden: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()


def shared(*notes: str) -> Environment:
    """Our own interpreter, where there is no environment of the project's."""
    return Environment(Path(sys.executable), None, OUR_OWN, notes)


@dataclass(frozen=True, slots=True)
class Contents:
    """What was installed: versions by name, what is missing, exchanged, or built here.

    ``wheels`` are the keys of those that are kept once for all environments.
    """

    python: str
    packages: Mapping[str, str]
    missing: tuple[LeftOut, ...] = ()
    replaced: tuple[str, ...] = ()
    size: int = 0
    built: tuple[str, ...] = ()
    wheels: tuple[str, ...] = ()


def named(things: tuple[str, ...]) -> str:
    """A list for a sentence, not too long."""
    shown = "; ".join(things[:MOST_NAMED])
    rest = len(things) - MOST_NAMED
    return f"{shown}; and {rest} more" if rest > 0 else shown
