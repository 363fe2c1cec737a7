"""Build declaration of a source distribution: one file of it, read as data."""

from __future__ import annotations

import gzip
import io
import tarfile
import time
import tomllib
import zlib
from dataclasses import dataclass
from pathlib import Path
from typing import Self

from packaging.version import Version

from worker.environments.declarations.declaration import printable

MIB = 1 << 20
LARGEST_SOURCE = 128 * MIB
LARGEST_WHEEL = 64 * MIB
MOST_UNPACKED = 256 * MIB
MOST_FILES = 20_000


class NotBuilt(Exception):  # noqa: N818 - a fact about a source distribution
    """The reason why there is no wheel; output of the build is escaped."""

    def __init__(self, reason: str) -> None:
        super().__init__(printable(reason, 300))


@dataclass(frozen=True, slots=True)
class SdistRequirement:
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
    """``[build-system]`` of a source distribution; ``paths`` hold an in-tree backend."""

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


SETTINGS = "pyproject.toml"
LARGEST_SETTINGS = MIB
LONGEST_HEADER = 4096
EXTENDED = (
    *(tarfile.XHDTYPE, tarfile.XGLTYPE, tarfile.SOLARIS_XHDTYPE),
    *(tarfile.GNUTYPE_LONGNAME, tarfile.GNUTYPE_LONGLINK),
)
SECONDS = 30.0
LEGACY = BuildSystem(("setuptools>=40.8.0", "wheel"), "setuptools.build_meta:__legacy__")
"""What PEP 517 and PEP 518 have for a source that says nothing."""


def read_build_system(sdist: Path) -> BuildSystem:
    """Return ``[build-system]`` of a ``.tar.gz``; raise ``NotBuilt``."""
    try:
        with gzip.open(sdist) as unpacked, _stream(unpacked) as archive:
            text = _settings(archive)
    except (OSError, EOFError, tarfile.TarError, zlib.error, ValueError, RecursionError) as error:
        raise NotBuilt(f"its source cannot be read: {error}") from error
    return LEGACY if text is None else _build_system(text)


def _stream(unpacked: gzip.GzipFile) -> tarfile.TarFile:
    """Read forwards only, so that no member can lead back, and within bounds."""
    return tarfile.open(fileobj=_Bounded(unpacked), mode="r|", tarinfo=_Member)


def _settings(archive: tarfile.TarFile) -> bytes | None:
    for count, member in enumerate(archive):
        if count > MOST_FILES:
            raise NotBuilt(f"its source has more than {MOST_FILES} files")
        if member.name.removeprefix("./").partition("/")[2] != SETTINGS:
            continue
        content = archive.extractfile(member) if member.isreg() else None
        if content is None or member.size > LARGEST_SETTINGS:
            raise NotBuilt(f"its {SETTINGS} is no file, or too large")
        return content.read(LARGEST_SETTINGS)
    return None


def _build_system(text: bytes) -> BuildSystem:
    try:
        table = tomllib.loads(text.decode("utf-8")).get("build-system")
    except (ValueError, RecursionError) as error:
        raise NotBuilt(f"its {SETTINGS} is no TOML") from error
    if table is None:
        return LEGACY
    if not isinstance(table, dict):
        raise NotBuilt(f"its {SETTINGS} has a build-system that is no table")
    requires = _texts(table.get("requires"))
    backend = table.get("build-backend", LEGACY.backend)
    paths = _texts(table.get("backend-path", []))
    if not isinstance(backend, str):
        raise NotBuilt(f"its {SETTINGS} names no build backend")
    return BuildSystem(requires, backend, paths)


def _texts(value: object) -> tuple[str, ...]:
    if not isinstance(value, list) or not all(isinstance(each, str) for each in value):
        raise NotBuilt(f"its {SETTINGS} has a build-system that is not as PEP 518 has it")
    return tuple(value)


class _Member(tarfile.TarInfo):
    """A member whose extended headers are short: long ones are slow to parse."""

    @classmethod
    def frombuf(cls, buf: bytes | bytearray, encoding: str, errors: str) -> Self:
        """Read a header."""
        member = super().frombuf(buf, encoding, errors)
        if member.type in EXTENDED and not 0 <= member.size <= LONGEST_HEADER:
            raise NotBuilt("its source has a header that is too long")
        return member


class _Bounded(io.RawIOBase):
    def __init__(self, stream: gzip.GzipFile) -> None:
        self._stream = stream
        self._left = MOST_UNPACKED
        self._deadline = time.monotonic() + SECONDS

    def read(self, size: int = -1, /) -> bytes:
        """Read at most ``size`` bytes."""
        piece = self._stream.read(size)
        self._left -= len(piece)
        if self._left < 0:
            raise NotBuilt(f"its source has more than {MOST_UNPACKED // MIB} MiB")
        if time.monotonic() > self._deadline:
            raise NotBuilt("its source takes too long to read")
        return piece
