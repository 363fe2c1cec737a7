"""Where tables that are built here lie, and how they get there whole."""

from __future__ import annotations

import json
import platform
import sys
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path

from platformdirs import user_state_path

from analyzers.relations import shelves
from analyzers.relations.sheets import line
from analyzers.vocabulary import JsonObject
from worker.relations.journal import FORMAT
from worker.temporary import replacement


def platform_name() -> str:
    """The platform for which a table holds: ``linux-x86_64``."""
    return f"{sys.platform}-{platform.machine()}"


def folder() -> Path:
    """Where tables for this platform and in our format lie."""
    return user_state_path("assayer") / "relations" / f"{platform_name()}-{FORMAT}"


def use_built() -> None:
    """Let tables that were built here be found, as those that are shipped are."""
    shelves.add(folder() / "tables")


@dataclass(frozen=True, slots=True)
class Shelf:
    """The place of the table of one version of a library."""

    library: str
    version: str

    @property
    def name(self) -> str:
        """What the table is called: ``torch-2.13.0+cpu``."""
        return f"{self.library}-{self.version}"

    @property
    def folder(self) -> Path:
        """The folder of its files."""
        return folder() / "tables" / self.name

    def journal(self, task: str, digest: str) -> Path:
        """The file in which a study of it is kept while it goes on."""
        return folder() / "journals" / f"{self.name}-{task}-{digest}.jsonl"

    def about(self) -> JsonObject:
        """How the table was made; empty where there is none, or only parts of one."""
        try:
            found = json.loads((self.folder / shelves.ABOUT).read_text("utf-8"))
        except (OSError, ValueError):
            return {}
        return found if isinstance(found, dict) else {}

    def put(self, files: Mapping[str, Iterable[JsonObject]], about: JsonObject) -> None:
        """Write the table: what says that it is whole goes first and comes last."""
        (self.folder / shelves.ABOUT).unlink(missing_ok=True)
        for name, rows in files.items():
            self._write(name, "".join(map(line, rows)))
        self._write(shelves.ABOUT, json.dumps(about, indent=2) + "\n")
        shelves.forget()

    def _write(self, name: str, text: str) -> None:
        with replacement(self.folder / name, folder()) as part:
            part.write(text.encode())
