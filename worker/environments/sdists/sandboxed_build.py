"""Checking a wheel that came out of the sandbox: it is data, and may lie.

What has been checked is packed anew, so that whoever unpacks it later reads
exactly what was read here.
"""

from __future__ import annotations

import base64
import csv
import hashlib
import io
import re
import stat
import time
import zipfile
import zlib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from email.parser import HeaderParser
from pathlib import Path, PurePosixPath
from typing import Annotated, Any

from msgspec import Meta
from packaging.tags import compatible_tags, cpython_tags
from packaging.utils import (
    InvalidWheelFilename,
    canonicalize_name,
    parse_wheel_filename,
)
from packaging.version import InvalidVersion, Version

from worker.environments.declarations.declaration import printable
from worker.environments.sdists.source_distribution import (
    LARGEST_WHEEL,
    MIB,
    MOST_FILES,
    MOST_UNPACKED,
    BuildSystem,
    NotBuilt,
    Sdist,
    Wheel,
)
from worker.environments.uv import Unreachable
from worker.errors import MachineError
from worker.sandbox.guest_launch import GuestProgram
from worker.sandbox.guest_limits import Limits
from worker.sandbox.guest_process import GuestProcess
from worker.sandbox.isolation import Isolation
from worker.sandbox.protocol.channel import Channel, ChannelClosed, ChannelTimeout, decoded
from worker.sandbox.protocol.frame_shapes import BadFrame, Count, Tagged, checked

BUILDER = GuestProgram(Path(__file__).parents[1] / "builder", "_assayer_builder")
BUILD_SECONDS = 180.0
PIECE = MIB
MOST_REQUIRED = 100
GRACE = 10.0


class _Requires(Tagged, tag="requires"):
    requires: Annotated[list[str], Meta(max_length=MOST_REQUIRED)]


class _Wheel(Tagged, tag="wheel"):
    name: str
    size: Count


class _Failed(Tagged, tag="failed"):
    reason: str


@dataclass(frozen=True, slots=True)
class BuildRequirements:
    """The requirements of the backend beside ``[build-system] requires``; unchecked."""

    requirements: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class BuiltWheel:
    """A wheel as the sandbox handed it out: its name and its bytes, unchecked."""

    name: str
    content: bytes


@dataclass(frozen=True, slots=True)
class BuildExecutor:
    """The sandbox that runs builds, with its deadline (of ``time.monotonic``)."""

    isolation: Isolation
    deadline: float

    def run(
        self, tree: Path, python: Path, system: BuildSystem, *, dynamic: bool
    ) -> BuildRequirements | BuiltWheel:
        """Build ``source.tar.gz`` under its build environment; raise ``NotBuilt``."""
        seconds = min(BUILD_SECONDS, self.deadline - time.monotonic())
        if seconds <= 0:
            raise Unreachable("the time for installing was over")
        try:
            guest = GuestProcess.start(
                self.isolation,
                tree=tree,
                python=python,
                limits=Limits(wall_seconds=seconds),
                program=BUILDER,
            )
        except MachineError as error:
            raise Unreachable(f"no build can be started: {error}") from error
        order = {
            "type": "build",
            "archive": f"{guest.root}/source.tar.gz",
            "backend": system.backend,
            "paths": list(system.paths),
            "dynamic": dynamic,
            "size": MOST_UNPACKED,
            "files": MOST_FILES,
        }
        with guest:
            reply = _reply(guest, order, time.monotonic() + seconds + GRACE)
        if isinstance(reply, str):
            said = guest.stopped or _last_line(guest.stderr_tail()) or reply
            raise NotBuilt(f"its build failed: {said}")
        return reply


def _reply(
    guest: GuestProcess, order: Mapping[str, object], deadline: float
) -> BuildRequirements | BuiltWheel | str:
    try:
        guest.channel.send(order)
        return _received(guest.channel, deadline)
    except ChannelClosed:
        guest.wait(GRACE)
        return "it ended without a word"
    except (ChannelTimeout, BadFrame) as error:
        return f"it {error}"


def _received(channel: Channel, deadline: float) -> BuildRequirements | BuiltWheel | str:
    message: dict[str, Any] = decoded(channel.frame(deadline - time.monotonic(), PIECE))
    checked(message, _Requires | _Wheel | _Failed)
    if message["kind"] == "failed":
        return str(message["reason"])
    if message["kind"] == "requires":
        return BuildRequirements(tuple(message["requires"]))
    if message["size"] > LARGEST_WHEEL:
        raise NotBuilt(f"its wheel has more than {LARGEST_WHEEL // MIB} MiB")
    content = bytearray()
    while len(content) < message["size"]:
        piece = channel.frame(deadline - time.monotonic(), PIECE)
        if not piece:
            raise BadFrame("sends nothing")
        content += piece
    return BuiltWheel(message["name"], bytes(content))


def _last_line(printed: str) -> str:
    return next((line.strip() for line in reversed(printed.splitlines()) if line.strip()), "")


LONGEST_PATH = 500
UNRECORDED = ("RECORD", "RECORD.jws", "RECORD.p7s")
REQUIRED = ("METADATA", "WHEEL", "RECORD")
SCHEMES = {"purelib", "platlib", "headers", "scripts", "data"}
_ENTRY_POINT = re.compile(r"\w[\w.+ -]*=[\w.:\[\], -]*\Z", re.ASCII)


def checked_wheel(built: BuiltWheel, sdist: Sdist, python: str, folder: Path) -> Wheel:
    """Put a wheel that is what was asked for into a folder; raise ``NotBuilt``."""
    name = _file_name(built.name, sdist, python)
    files = _files(built.content)
    info = _info(files, sdist)
    _check_record(files, info)
    headers = HeaderParser().parsestr(files[f"{info}/METADATA"].decode("utf-8", "replace"))
    _check_named(str(headers["Name"]), str(headers["Version"]), sdist)
    # The installer writes a program for some entry points, so they need plain names.
    text = files.get(f"{info}/entry_points.txt", b"")
    for line in text.decode("utf-8", "replace").splitlines():
        said = line.strip()
        if said and said[0] not in "[#;" and not _ENTRY_POINT.match(said):
            raise NotBuilt(f"its wheel has an entry point {printable(said)}")
    place = folder / name
    with zipfile.ZipFile(place, "w", zipfile.ZIP_DEFLATED) as archive:
        for path, content in files.items():
            entry = zipfile.ZipInfo(path)
            entry.external_attr = (stat.S_IFREG | 0o644) << 16
            archive.writestr(entry, content, zipfile.ZIP_DEFLATED)
    digest = hashlib.sha256(place.read_bytes()).hexdigest()
    return Wheel(sdist.name, str(sdist.version), place, f"sha256:{digest}")


def _file_name(given: str, sdist: Sdist, python: str) -> str:
    """Return the name as we write it; it must be of the package, the version, and for here."""
    try:
        name, version, _, tags = parse_wheel_filename(given)
    except InvalidWheelFilename as error:
        raise NotBuilt(f"its wheel has no name of a wheel: {printable(given)}") from error
    if (name, version) != (sdist.name, sdist.version):
        raise NotBuilt(f"its wheel is {name} {version}")
    here = [int(part) for part in python.split(".")[:2]]
    usable = {*cpython_tags(here), *compatible_tags(here, f"cp{here[0]}{here[1]}")}
    if not tags & usable:
        raise NotBuilt("its wheel is for another platform")
    fitting = min(map(str, tags & usable))
    return f"{name.replace('-', '_')}-{version}-{fitting}.whl"


def _files(content: bytes) -> Mapping[str, bytes]:
    files: dict[str, bytes] = {}
    size = 0
    try:
        with zipfile.ZipFile(io.BytesIO(content)) as archive:
            for entry in _entries(archive):
                size += entry.file_size
                if size > MOST_UNPACKED:
                    raise NotBuilt(f"its wheel unpacks to more than {MOST_UNPACKED // MIB} MiB")
                if entry.filename in files:
                    raise NotBuilt(f"its wheel has {printable(entry.filename)} twice")
                files[entry.filename] = archive.read(entry)
    except (zipfile.BadZipFile, zlib.error, OSError, EOFError, ValueError) as error:
        raise NotBuilt(f"its wheel cannot be read: {error}") from error
    except RuntimeError as error:
        raise NotBuilt("its wheel is packed in a way that wheels are not") from error
    return files


def _entries(archive: zipfile.ZipFile) -> Iterator[zipfile.ZipInfo]:
    entries = archive.infolist()
    if len(entries) > MOST_FILES:
        raise NotBuilt(f"its wheel has more than {MOST_FILES} files")
    for entry in entries:
        path, mode = PurePosixPath(entry.filename), entry.external_attr >> 16
        plain = entry.filename.isprintable() and "\\" not in entry.filename
        canonical = str(path) == entry.filename.removesuffix("/")
        if not plain or not canonical or path.is_absolute() or ".." in path.parts:
            raise NotBuilt(f"its wheel has a file {printable(entry.filename)}")
        if len(entry.filename) > LONGEST_PATH:
            raise NotBuilt("its wheel has a path that is too long")
        if stat.S_IFMT(mode) not in {0, stat.S_IFREG, stat.S_IFDIR}:
            raise NotBuilt(f"its wheel has {printable(entry.filename)}, which is no file")
        if entry.compress_type not in {zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED}:
            raise NotBuilt("its wheel is packed in a way that wheels are not")
        if not entry.is_dir():
            yield entry


def _info(files: Mapping[str, bytes], sdist: Sdist) -> str:
    tops = {path.partition("/")[0] for path in files}
    found = [top for top in tops if top.endswith(".dist-info")]
    if len(found) != 1 or any(f"{found[0]}/{name}" not in files for name in REQUIRED):
        raise NotBuilt("its wheel does not have the metadata of one package")
    for path in files:
        top, _, rest = path.partition("/")
        if top.endswith(".data") and rest.partition("/")[0] not in SCHEMES:
            raise NotBuilt(f"its wheel has a file {printable(path)}")
    name, _, version = found[0].removesuffix(".dist-info").partition("-")
    _check_named(name, version, sdist)
    return found[0]


def _check_named(name: str, version: str, sdist: Sdist) -> None:
    try:
        right = canonicalize_name(name) == sdist.name and Version(version) == sdist.version
    except InvalidVersion:
        right = False
    if not right:
        raise NotBuilt(f"its wheel says that it is {printable(f'{name} {version}')}")


def _check_record(files: Mapping[str, bytes], info: str) -> None:
    text = files[f"{info}/RECORD"].decode("utf-8", "replace")
    try:
        rows = {row[0]: row[1:] for row in csv.reader(io.StringIO(text)) if row}
    except csv.Error as error:
        raise NotBuilt("its wheel has a RECORD that cannot be read") from error
    unrecorded = {f"{info}/{name}" for name in UNRECORDED}
    if rows.keys() - unrecorded != files.keys() - unrecorded:
        odd = min((rows.keys() ^ files.keys()) - unrecorded)
        raise NotBuilt(f"its wheel's RECORD and its files differ in {printable(odd)}")
    for path in files.keys() - unrecorded:
        digest = base64.urlsafe_b64encode(hashlib.sha256(files[path]).digest()).rstrip(b"=")
        if rows[path] != [f"sha256={digest.decode()}", str(len(files[path]))]:
            raise NotBuilt(f"its wheel's RECORD is wrong about {printable(path)}")
