"""Journal of a study on disk: one that ended in whatever way goes on from there."""

from __future__ import annotations

import fcntl
import json
import os
import platform
import sys
from collections.abc import Iterable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Self

from platformdirs import user_state_path

from analyzers.relations import table_folders
from analyzers.relations.relation_tables import line
from analyzers.vocabulary import JsonObject
from worker.errors import MachineError
from worker.system.temporary_files import replacement

FORMAT = 1
"""Counts up whenever rows of before are no longer what we would find now."""


class StudyJournal:
    """The rows of one study in a file; other studies' and broken rows are thrown away.

    Raises ``MachineError`` where another process holds it.
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
        """Return how much is done."""
        return sum(map(len, self._checked.values()))

    @property
    def size(self) -> int:
        """Return how many bytes are kept."""
        return self._file.tell()

    def add(self, rows: Iterable[JsonObject]) -> None:
        """Keep rows, whatever becomes of this process."""
        lines = [json.dumps(row, ensure_ascii=False).encode() + b"\n" for row in self._noted(rows)]
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

    def __exit__(self, *_exception: object) -> None:
        """Close it."""
        self.close()

    def _resume(self) -> None:
        self._file.seek(0)
        if self._file.readline() != self._header:
            self.begin_anew()
            return
        whole = self._file.tell()
        for raw_line in self._file:
            row = _row(raw_line)
            if row is None:
                break
            whole += len(raw_line)
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


def _row(raw_line: bytes) -> JsonObject | None:
    """The row that a line is; ``None`` where it was not written whole."""
    if not raw_line.endswith(b"\n"):
        return None
    try:
        found = json.loads(raw_line)
    except ValueError:
        return None
    return found if isinstance(found, dict) and "kind" in found else None


def platform_name() -> str:
    """The platform for which a table holds: ``linux-x86_64``."""
    return f"{sys.platform}-{platform.machine()}"


def folder() -> Path:
    """Return where tables for this platform and in our format lie."""
    return user_state_path("assayer") / "relations" / f"{platform_name()}-{FORMAT}"


def use_built_tables() -> None:
    """Let tables that were built here be found, as those that are shipped are."""
    table_folders.add(built_tables_folder())


def built_tables_folder() -> Path:
    """Return where tables that were built here lie."""
    return folder() / "tables"


@dataclass(frozen=True, slots=True)
class TableCache:
    """The place of the table of one version of a library."""

    library: str
    version: str

    @property
    def name(self) -> str:
        """Return what the table is called: ``torch-2.13.0+cpu``."""
        return f"{self.library}-{self.version}"

    @property
    def folder(self) -> Path:
        """The folder of its files."""
        return folder() / "tables" / self.name

    def journal(self, task: str, digest: str) -> Path:
        """The file in which a study of it is kept while it goes on."""
        return folder() / "journals" / f"{self.name}-{task}-{digest}.jsonl"

    def about(self) -> JsonObject:
        """Return how the table was made; empty where there is none, or only parts of one."""
        try:
            found = json.loads((self.folder / table_folders.ABOUT).read_text("utf-8"))
        except (OSError, ValueError):
            return {}
        return found if isinstance(found, dict) else {}

    def put(self, files: Mapping[str, Iterable[JsonObject]], about: JsonObject) -> None:
        """Write the table: what says that it is whole goes first and comes last."""
        (self.folder / table_folders.ABOUT).unlink(missing_ok=True)
        for name, rows in files.items():
            self._write(name, "".join(map(line, rows)))
        self._write(table_folders.ABOUT, json.dumps(about, indent=2) + "\n")
        table_folders.clear_caches()

    def _write(self, name: str, text: str) -> None:
        with replacement(self.folder / name, folder()) as part:
            part.write(text.encode())
