"""What a build is about."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from packaging.version import Version

from worker.environments.declarations import printable

MIB = 1 << 20
LARGEST_SOURCE = 128 * MIB
LARGEST_WHEEL = 64 * MIB
MOST_UNPACKED = 256 * MIB
MOST_FILES = 20_000


class NotBuilt(Exception):  # noqa: N818 - a fact about a source distribution
    """Why there is no wheel; what a build said of it is escaped."""

    def __init__(self, reason: str) -> None:
        super().__init__(printable(reason, 300))


@dataclass(frozen=True, slots=True)
class Sourced:
    """A package that has no wheel: its name, which versions will do, known hashes."""

    name: str
    specifier: str = ""
    hashes: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Sdist:
    """A source distribution on the index; ``hash`` is ``sha256:…``."""

    name: str
    version: Version
    url: str
    hash: str


@dataclass(frozen=True, slots=True)
class BuildSystem:
    """``[build-system]`` of a source distribution, its requirements unchecked.

    ``paths`` are folders of the source that the backend is imported from.
    """

    requires: tuple[str, ...]
    backend: str
    paths: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Wheel:
    """A wheel that was built and checked; ``hash`` is ``sha256:…``."""

    name: str
    version: str
    path: Path
    hash: str
