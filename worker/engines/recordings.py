"""Answers of ML APIs, kept by what was asked and who answered."""

from __future__ import annotations

import hashlib
import json
import os
import re
import threading
from collections.abc import Iterator, Mapping
from contextlib import suppress
from pathlib import Path
from tempfile import NamedTemporaryFile
from typing import Any, cast

from analyzers.vocabulary import JsonObject

ANY_ENGINE = "*"
_DIGEST = re.compile(r"[0-9a-f]{64}")
_UNSAFE = re.compile(r"[^A-Za-z0-9._@-]+")


class Recordings:
    """A store of answers, in ``directory`` and safe for parallel processes.

    The file of an answer is ``<engine>/<api>/<two digits>/<digest>.json``;
    it says itself what it holds.  Without a directory the store lives in
    memory; when it is not ``writable`` nothing is added.
    """

    def __init__(self, directory: Path | None = None, *, writable: bool = True) -> None:
        self._directory = directory
        self._writable = writable
        self._memory: dict[tuple[str, str, str], JsonObject] = {}
        self._lock = threading.Lock()

    def find(self, identity: str, api: str, digest: str) -> JsonObject | None:
        """The recorded answer, or ``None``.

        ``ANY_ENGINE`` finds one of whichever engine.  A damaged file counts
        as no recording.
        """
        with self._lock:
            for (engine, *asked), answer in self._memory.items():
                if asked == [api, digest] and identity in (engine, ANY_ENGINE):
                    return answer
        found = (_read(file, identity, api, digest) for file in self._files(identity, api, digest))
        return next((answer for answer in found if answer is not None), None)

    def keep(self, identity: str, api: str, digest: str, answer: JsonObject) -> None:
        """Record an answer; a full or read-only disk keeps it in memory only."""
        if not self._writable:
            return None
        if self._directory is None or not _DIGEST.fullmatch(digest):
            return self._remember(identity, api, digest, answer)
        document = {"engine": identity, "api": api, "digest": digest, "answer": answer}
        try:
            _write(self._directory / _place(identity, api, digest), json.dumps(document))
        except OSError:
            self._remember(identity, api, digest, answer)

    def _remember(self, identity: str, api: str, digest: str, answer: JsonObject) -> None:
        with self._lock:
            self._memory[identity, api, digest] = answer

    def _files(self, identity: str, api: str, digest: str) -> Iterator[Path]:
        if self._directory is None or not _DIGEST.fullmatch(digest):
            return
        if identity != ANY_ENGINE:
            yield self._directory / _place(identity, api, digest)
            return
        with suppress(OSError):
            for engine in sorted(self._directory.iterdir()):
                yield engine / _within(api, digest)


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


def _write(file: Path, text: str) -> None:
    """Write so that a reader sees the whole file or none."""
    file.parent.mkdir(parents=True, exist_ok=True)
    with NamedTemporaryFile(
        "w", encoding="utf-8", dir=file.parent, prefix=".", delete=False
    ) as part:
        try:
            part.write(text)
            part.close()
            os.replace(part.name, file)  # noqa: PTH105
        except OSError:
            Path(part.name).unlink(missing_ok=True)
            raise


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
