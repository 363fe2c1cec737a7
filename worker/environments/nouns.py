"""What an environment is to those who run code in it."""

from __future__ import annotations

import sys
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from packaging.utils import canonicalize_name

from analyzers.detection.frameworks import FRAMEWORKS
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
    ``name`` says whose packages they are, ``absent`` why a declared package is
    not among them, ``remedy`` what to do about one that nobody declared.
    """

    python: Path
    layer: Path | None = None
    hidden: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()
    name: str = "the project's environment"
    absent: Mapping[str, str] = field(default_factory=dict[str, str])
    remedy: str = ""

    def why_absent(self, library: str) -> str | None:
        """Return why a library that the project declares is not there, if it is known."""
        package = canonicalize_name(library)
        known = (self.absent.get(f"{package}{build}") for build in ("", "-cpu", "-gpu"))
        return next(filter(None, known), None)


UNDECLARED = "name it in requirements.txt or pyproject.toml"


def shared(*notes: str, absent: Mapping[str, str] | None = None) -> Environment:
    """Our own interpreter, where there is no environment of the project's.

    What is ``absent`` is hidden, in the other version that is there.
    """
    absent = absent or {}
    modules = (name.replace("-", "_").removesuffix("_cpu") for name in absent)
    return Environment(
        Path(sys.executable),
        None,
        (*OUR_OWN, *(module for module in modules if module in FRAMEWORKS)),
        notes,
        name="Assayer's own environment",
        absent=absent,
        remedy=UNDECLARED,
    )


@dataclass(frozen=True, slots=True)
class Contents:
    """An installation: versions by name, what is missing, exchanged, or built here.

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
