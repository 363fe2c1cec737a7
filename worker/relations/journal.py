"""What a study has found so far, on disk: one that ended in whatever way goes on from there."""

from __future__ import annotations

import fcntl
import json
import os
from collections.abc import Iterable, Iterator
from contextlib import suppress
from pathlib import Path
from types import TracebackType
from typing import Self

from analyzers.vocabulary import JsonObject
from worker.errors import MachineError

FORMAT = 1
"""Counts up whenever rows of before are no longer what we would find now."""


class Journal:
    """The rows of one study in a file, which this process alone writes.

    Rows of another study (``key``) are thrown away, and so is a last row that
    was not written whole.  Raises ``MachineError`` where another process holds it.
    """

    def __init__(self, path: Path, key: str) -> None:
        self.path = path
        self.rows: list[JsonObject] = []
        self._checked: dict[str, dict[str, None]] = {}
        path.parent.mkdir(parents=True, exist_ok=True)
        self._file = path.open("a+b")
        try:
            fcntl.flock(self._file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError as error:
            self._file.close()
            raise MachineError(
                "Another process is studying the same.", "Wait until it has ended."
            ) from error
        self._header = json.dumps({"format": FORMAT, "key": key}).encode() + b"\n"
        self._resume()

    @property
    def done(self) -> dict[str, list[str]]:
        """The names of what is done, by stage."""
        return {stage: list(names) for stage, names in self._checked.items()}

    @property
    def checked(self) -> int:
        """How much is done."""
        return sum(map(len, self._checked.values()))

    @property
    def size(self) -> int:
        """How many bytes are kept."""
        return self._file.tell()

    def add(self, rows: Iterable[JsonObject]) -> None:
        """Keep rows, whatever becomes of this process."""
        lines = [_line(row) for row in self._noted(rows)]
        if lines:
            self._file.write(b"".join(lines))
            self._file.flush()

    def of(self, kind: str) -> Iterator[JsonObject]:
        """The rows of a kind, without saying so."""
        for row in self.rows:
            if row["kind"] == kind:
                yield {name: item for name, item in row.items() if name != "kind"}

    def begin_anew(self) -> None:
        """Throw away what was found before."""
        self.rows.clear()
        self._checked.clear()
        self._file.truncate(0)
        self._file.write(self._header)
        self._file.flush()

    def forget(self) -> None:
        """Leave nothing behind: the study is over."""
        with suppress(FileNotFoundError):
            self.path.unlink()

    def close(self) -> None:
        """Let others write it."""
        self._file.close()

    def __enter__(self) -> Self:
        """Hold the journal until the block ends."""
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        """Close it."""
        self.close()

    def _resume(self) -> None:
        self._file.seek(0)
        if self._file.readline() != self._header:
            self.begin_anew()
            return
        whole = self._file.tell()
        for line in self._file:
            row = _row(line)
            if row is None:
                break
            whole += len(line)
            list(self._noted([row]))
        self._file.truncate(whole)
        self._file.seek(0, os.SEEK_END)

    def _noted(self, rows: Iterable[JsonObject]) -> Iterator[JsonObject]:
        for row in rows:
            if row["kind"] == "checked":
                names = self._checked.setdefault(str(row["stage"]), {})
                if str(row["name"]) in names:
                    continue
                names[str(row["name"])] = None
            else:
                self.rows.append(row)
            yield row


def _line(row: JsonObject) -> bytes:
    return json.dumps(row, ensure_ascii=False).encode() + b"\n"


def _row(line: bytes) -> JsonObject | None:
    """The row that a line is; ``None`` where it was not written whole."""
    if not line.endswith(b"\n"):
        return None
    try:
        found = json.loads(line)
    except ValueError:
        return None
    return found if isinstance(found, dict) and "kind" in found else None
