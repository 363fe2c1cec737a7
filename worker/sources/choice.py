"""Which source grants a wish, by the task of the API and the operator's settings."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Protocol, Self

from analyzers import catalogue
from analyzers.vocabulary import Supply, Wanted
from worker.errors import UsageError
from worker.settings.server import SourceSettings
from worker.sources import drawn, rated
from worker.sources.folder import Folder
from worker.sources.kept import Kept, pictures_folder
from worker.sources.openverse import ENDPOINT, Openverse

WRITING = frozenset({"text", "document"})
FEELING = frozenset({"sentiment"})
SHOWING = frozenset({"labels", "objects", "landmarks", "logos", "caption", "faces"})
NOT_YET = frozenset({"commons", "brave"})


class Source(Protocol):
    """Something that finds or makes inputs."""

    def find(self, wanted: Wanted, count: int, seed: int) -> Supply:
        """At most ``count`` inputs whose common human reading is the wanted one."""
        ...


class Sources:
    """Text pictures and rated texts are made here; other pictures by settings."""

    def __init__(
        self,
        pictures: Source | None,
        missing: str = "",
        outages: Mapping[str, None] | None = None,
    ) -> None:
        self._pictures = pictures
        self._missing = missing
        self._outages = {} if outages is None else outages

    @property
    def outages(self) -> tuple[str, ...]:
        """How the configured services failed, each reason once."""
        return tuple(self._outages)

    @classmethod
    def from_settings(
        cls,
        settings: Mapping[str, SourceSettings],
        *,
        offline: bool,
        kept: Path | None = None,
    ) -> Self:
        """The configured sources; ``kept`` is where downloads are kept.

        Raises:
            UsageError: an unknown kind, or a folder that does not exist.

        """
        setting = settings.get("images")
        if setting is None:
            return cls(None, 'set [sources.images] kind = "openverse" or "folder"')
        if setting.kind == "folder":
            return cls(_folder(setting))
        if setting.kind == "openverse":
            folder = kept or pictures_folder()
            key = setting.key.read if setting.key else None
            source = Openverse(Kept(folder), setting.endpoint or ENDPOINT, key, offline)
            return cls(source, outages=source.outages)
        if setting.kind == "drawn":
            return cls(None, "[sources.images] only draws writing")
        if setting.kind in NOT_YET:
            return cls(None, f"this version has no source of kind {setting.kind!r}")
        raise UsageError(f"no kind of source is {setting.kind!r}", key="sources.images.kind")

    def find(self, wanted: Wanted, count: int, seed: int) -> Supply:
        """At most ``count`` inputs for a wish; the shortfall says why there are fewer.

        Raises:
            KeyError: the API is not in the catalogue.

        """
        task = wanted.task or catalogue.load()[wanted.api].task
        if task in WRITING:
            return drawn.find(wanted, count, seed)
        if task in FEELING:
            return rated.find(wanted, count, seed)
        if task not in SHOWING:
            return Supply((), f"there is no source of inputs for {wanted.api} ({task})")
        if wanted.reading is None and not wanted.other_than:
            return drawn.find(wanted, count, seed)
        if self._pictures is None:
            return Supply((), f"no source of pictures by keyword: {self._missing}")
        return self._pictures.find(wanted, count, seed)


def _folder(setting: SourceSettings) -> Folder:
    if setting.folder is None or not setting.folder.is_dir():
        raise UsageError("must name an existing folder", key="sources.images.folder")
    return Folder(setting.folder)
