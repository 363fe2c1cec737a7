"""Environment as those see it who run code in it."""

from __future__ import annotations

import json
import sys
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from packaging.utils import canonicalize_name

from analyzers.detection.file_facts import FRAMEWORKS
from worker.environments.declarations.declaration import SkippedRequirement
from worker.environments.folder_cache import MANIFEST, size_on_disk
from worker.environments.sdists.source_distribution import SdistRequirement

MOST_NAMED = 8
OUR_OWN = ("celery", "click", "flask", "gunicorn", "kombu", "redis", "sqlalchemy", "werkzeug")
"""What a guest finds only because it shares our interpreter: not the project's."""


@dataclass(frozen=True, slots=True)
class Environment:
    """An interpreter with a project's packages.

    ``layer`` holds the guest's own needs; ``hidden`` are packages that are not the project's.
    ``notes`` are sentences for the report, ``absent`` says why a declared package is not among
    ``name``'s packages, ``remedy`` what to do about one that nobody declared.
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


def shared_environment(*notes: str, absent: Mapping[str, str] | None = None) -> Environment:
    """Return our own interpreter as the environment; what is ``absent`` is hidden."""
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
class InstalledContents:
    """An installation: versions by name, what is missing, exchanged or built; large wheels."""

    python: str
    packages: Mapping[str, str]
    missing: tuple[SkippedRequirement, ...] = ()
    replaced: tuple[str, ...] = ()
    size: int = 0
    built: tuple[str, ...] = ()
    wheels: tuple[str, ...] = ()


def joined_names(things: tuple[str, ...]) -> str:
    """A list for a sentence, not too long."""
    shown = "; ".join(things[:MOST_NAMED])
    rest = len(things) - MOST_NAMED
    return f"{shown}; and {rest} more" if rest > 0 else shown


@dataclass(frozen=True, slots=True)
class Pin:
    """One wheel to install: ``size`` in bytes or 0, ``lent`` if it is our own interpreter's."""

    name: str
    version: str
    hashes: tuple[str, ...] = ()
    size: int = 0
    lent: bool = False

    @property
    def line(self) -> str:
        """For the installer."""
        hashes = [f"--hash={value}" for value in self.hashes]
        # "==" would take another build of the version, too
        return " ".join([f"{self.name}==={self.version}", *hashes])


@dataclass(slots=True)
class Resolution:
    """The wheels, what is missing, what stands in another version.

    ``sourced`` are packages that are missed and exist only as source; ``built`` were built.
    """

    pins: dict[str, Pin] = field(default_factory=dict[str, Pin])
    missing: list[SkippedRequirement] = field(default_factory=list[SkippedRequirement])
    replaced: list[str] = field(default_factory=list[str])
    sourced: dict[str, SdistRequirement] = field(default_factory=dict[str, SdistRequirement])
    built: list[str] = field(default_factory=list[str])

    def drop(self, name: str, reason: str) -> None:
        """Leave a wheel out."""
        pin = self.pins.pop(name)
        self.missing.append(SkippedRequirement(f"{name}=={pin.version}", reason))

    def source(self, name: str, specifier: str, hashes: tuple[str, ...]) -> None:
        """Remember that a package has no wheel in the versions of a specifier."""
        known = self.sourced.get(name, SdistRequirement(name))
        specifiers = ",".join(filter(None, dict.fromkeys((known.specifier, specifier))))
        self.sourced[name] = SdistRequirement(name, specifiers, known.hashes or hashes)


def write_manifest(
    folder: Path, python: str, found: Resolution, wheels: Sequence[str] = (), shared: int = 0
) -> None:
    """Write down what is in the folder; ``shared`` of its bytes are those of ``wheels``."""
    contents = InstalledContents(
        python,
        {pin.name: pin.version for pin in found.pins.values()},
        tuple(found.missing),
        tuple(found.replaced),
        max(size_on_disk(folder) - shared, 0),
        tuple(found.built),
        tuple(wheels),
    )
    (folder / MANIFEST).write_text(json.dumps(asdict(contents)), encoding="utf-8")


def contents_of(manifest: Mapping[str, Any]) -> InstalledContents:
    """Return the contents of a manifest."""
    missing = tuple(SkippedRequirement(**each) for each in manifest["missing"])
    return InstalledContents(
        manifest["python"],
        manifest["packages"],
        missing,
        tuple(manifest["replaced"]),
        manifest["size"],
        tuple(manifest["built"]),
        tuple(manifest["wheels"]),
    )
