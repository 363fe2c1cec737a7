"""Answers of ML APIs, kept by what was asked and who answered."""

from __future__ import annotations

import fcntl
import hashlib
import json
import os
import re
import threading
import time
from collections.abc import Generator, Iterator, Mapping
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any, cast

from analyzers.vocabulary import JsonObject
from worker.engines.engine import ApiRequest, NoAnswer, ProviderApis
from worker.system.temporary_files import replacement

DAY = 86_400.0
TOUCH_AFTER = 3600.0


@dataclass(frozen=True, slots=True)
class RecordingLimits:
    """The limits of one store of recordings, in bytes and in days."""

    size: int = 256 * 1024 * 1024
    days: int = 90


@dataclass(frozen=True, slots=True)
class _File:
    path: Path
    size: int
    used: float


def touch(file: Path) -> None:
    """Note that a recording was used, at most once in ``TOUCH_AFTER`` seconds."""
    with suppress(OSError):
        if time.time() - file.stat().st_mtime > TOUCH_AFTER:
            os.utime(file)


class RecordingSweeper:
    """Keeps one store within its limits: looks when it is opened and after every quarter."""

    def __init__(self, directory: Path | None, limits: RecordingLimits) -> None:
        self._directory = directory
        self._limits = limits
        self._since = limits.size

    def added(self, size: int) -> None:
        """Note ``size`` new bytes; sweep where many have come."""
        self._since += size
        if self._since >= self._limits.size // 4 and self._directory is not None:
            self._since = 0
            sweep(self._directory, self._limits, time.time())


def sweep(directory: Path, limits: RecordingLimits, now: float) -> None:
    """Remove what was not used for too long, then the least lately used, to three quarters."""
    files = sorted(_files(directory), key=lambda file: file.used)
    left = sum(file.size for file in files)
    goal = left if left <= limits.size else limits.size * 3 // 4
    for file in files:
        if left > goal or now - file.used > limits.days * DAY:
            left -= file.size
            with suppress(OSError):
                file.path.unlink()


def _files(directory: Path) -> Iterator[_File]:
    for folder, _, names in os.walk(directory):
        for name in names:
            if name.endswith(".json") and not name.startswith("."):
                path = Path(folder, name)
                with suppress(OSError):
                    known = path.stat()
                    yield _File(path, known.st_size, known.st_mtime)


ANY_ENGINE = "*"
MOST_MEMORY = 64 * 1024 * 1024
PATIENCE = 150.0
POLL = 0.05
_DIGEST = re.compile(r"[0-9a-f]{64}")
_UNSAFE = re.compile(r"[^A-Za-z0-9._@-]+")


class Recordings:
    """A store of answers, in ``directory`` and safe for parallel processes.

    The file of an answer is ``<engine>/<api>/<two digits>/<digest>.json``.  Without a directory, or
    when it is not ``writable``, the newest ``MOST_MEMORY`` bytes live in memory.
    """

    def __init__(
        self,
        directory: Path | None = None,
        *,
        writable: bool = True,
        limits: RecordingLimits | None = None,
        root: Path | None = None,
    ) -> None:
        self._directory = directory
        self._root = root
        self._writable = writable and directory is not None
        self._memory: dict[tuple[str, str, str], str] = {}
        self._remembered = 0
        self._lock = threading.Lock()
        self._sweeper = (
            RecordingSweeper(directory, limits or RecordingLimits()) if self._writable else None
        )

    def find(self, identity: str, api: str, digest: str) -> JsonObject | None:
        """Return the recorded answer or ``None``; ``ANY_ENGINE`` finds one of whichever engine."""
        with self._lock:
            for (engine, *asked), text in self._memory.items():
                if asked == [api, digest] and identity in (engine, ANY_ENGINE):
                    return cast("JsonObject", json.loads(text))
        for file in self._files(identity, api, digest):
            answer = _read(file, identity, api, digest)
            if answer is not None:
                if self._writable:
                    touch(file)
                return answer
        return None

    def keep(
        self, identity: str, api: str, digest: str, answer: JsonObject, *, durable: bool = False
    ) -> None:
        """Record an answer, in memory where the disk refuses; a ``durable`` one is synced."""
        if not self._writable or self._directory is None or not _DIGEST.fullmatch(digest):
            self._remember(identity, api, digest, answer)
            return
        document = {"engine": identity, "api": api, "digest": digest, "answer": answer}
        text = json.dumps(document)
        file = self._directory / _place(identity, api, digest)
        try:
            with replacement(file, self._root or self._directory) as part:
                part.write(text.encode())
                if durable:
                    part.flush()
                    os.fsync(part.fileno())
            if durable:
                descriptor = os.open(file.parent, os.O_RDONLY)
                try:
                    os.fsync(descriptor)
                finally:
                    os.close(descriptor)
        except OSError:
            self._remember(identity, api, digest, answer)
        if self._sweeper is not None:
            self._sweeper.added(len(text))

    @contextmanager
    def turn(self, digest: str) -> Generator[None]:
        """Let one process at a time ask a question, up to ``PATIENCE`` seconds."""
        if not self._writable or self._directory is None or not _DIGEST.fullmatch(digest):
            yield
            return
        with ExitStack() as held:
            with suppress(OSError):
                self._directory.mkdir(mode=0o700, parents=True, exist_ok=True)
                place = self._directory / f".turn-{digest[:2]}"
                taken = held.enter_context(place.open("wb"))
                _take(taken.fileno(), time.monotonic() + PATIENCE)
            yield

    def _remember(self, identity: str, api: str, digest: str, answer: JsonObject) -> None:
        text = json.dumps(answer)
        with self._lock:
            self._remembered += len(text) - len(self._memory.pop((identity, api, digest), ""))
            self._memory[identity, api, digest] = text
            while self._remembered > MOST_MEMORY:
                self._remembered -= len(self._memory.pop(next(iter(self._memory))))

    def _files(self, identity: str, api: str, digest: str) -> Iterator[Path]:
        if self._directory is None or not _DIGEST.fullmatch(digest):
            return
        if identity != ANY_ENGINE:
            yield self._directory / _place(identity, api, digest)
            return
        with suppress(OSError):
            for engine in sorted(self._directory.iterdir()):
                yield engine / _within(api, digest)


def _take(descriptor: int, deadline: float) -> None:
    """Lock a file that closing unlocks, or give up at ``deadline``."""
    while time.monotonic() < deadline:
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            time.sleep(POLL)
        else:
            return


def _read(file: Path, identity: str, api: str, digest: str) -> JsonObject | None:
    try:
        document = json.loads(file.read_bytes())
    except (OSError, ValueError, RecursionError):
        return None
    if not isinstance(document, dict):
        return None
    kept = cast("Mapping[str, Any]", document)
    answer = kept.get("answer")
    asked = kept.get("api") == api and kept.get("digest") == digest
    if not asked or identity not in (kept.get("engine"), ANY_ENGINE):
        return None
    return cast("JsonObject", answer) if isinstance(answer, dict) else None


def _place(identity: str, api: str, digest: str) -> Path:
    return Path(_slug(identity)) / _within(api, digest)


def _within(api: str, digest: str) -> Path:
    return Path(_slug(api), digest[:2], f"{digest}.json")


def _slug(name: str) -> str:
    """A file name that stands for ``name`` alone."""
    plain = _UNSAFE.sub("-", name)[:80].strip(".") or "-"
    if plain == name:
        return plain
    return f"{plain}-{hashlib.sha256(name.encode()).hexdigest()[:8]}"


@dataclass
class ReplayEngine(ProviderApis):
    """Answers ``provider``'s APIs from recordings, whichever engine made them."""

    recordings: Recordings | None
    local = False
    identity = ANY_ENGINE

    def ask(self, api: str, request: ApiRequest) -> JsonObject:
        """Return the recorded answer.  Raises ``NoAnswer`` where there is none."""
        digest = request.digest(api)
        answer = self.recordings.find(self.identity, api, digest) if self.recordings else None
        if answer is None:
            raise NoAnswer(f"no answer of {api} was recorded for this input")
        return answer
