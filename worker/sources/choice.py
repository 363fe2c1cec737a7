"""Which source grants a wish, by the task of the API."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from typing import Protocol

from analyzers import catalogue
from analyzers.catalogue import Api
from analyzers.vocabulary import InputKind, Supply, Wanted
from worker.sources import corners, drawn, entities, faces, rated, spoken
from worker.sources.folder import Folder

WRITING = frozenset({"text", "document"})
SHOWING = frozenset({"labels", "objects", "landmarks", "logos", "caption", "faces"})
NAMING = frozenset({"entities", "entity-sentiment", "key-phrases"})
TOPICS = frozenset({"classify"})
MODERATED = frozenset({"moderation"})
PICTURES_BELOW = 10
"""Pictures that words are written upon; as many however much is wanted."""
NO_PICTURES = 'set [sources.images] kind = "openverse", "commons", "brave" or "folder"'
NO_DOCUMENTS = 'set [sources.documents] kind = "wikipedia" or "folder"'


class Source(Protocol):
    """Something that finds or makes inputs."""

    def find(self, wanted: Wanted, count: int, seed: int) -> Supply:
        """At most ``count`` inputs whose common human reading is the wanted one.

        A longer supply of the same wish and seed begins with a shorter one.
        """
        ...


Find = Callable[[Wanted, int, int], Supply]


@dataclass(frozen=True, slots=True)
class Sources:
    """Writing, speech, names and rated texts are made here; the rest comes by settings.

    ``missing`` and ``missing_documents`` say what to set where there is no
    source of pictures or of documents; ``failed`` how services did, each
    reason once.
    """

    pictures: Source | None = None
    missing: str = NO_PICTURES
    failed: Mapping[str, None] = field(default_factory=dict[str, None])
    documents: Source | None = None
    missing_documents: str = NO_DOCUMENTS

    @property
    def outages(self) -> tuple[str, ...]:
        """How the configured services failed, each reason once."""
        return tuple(self.failed)

    def find(self, wanted: Wanted, count: int, seed: int) -> Supply:
        """At most ``count`` inputs for a wish; the shortfall says why there are fewer.

        Raises:
            KeyError: the API is not in the catalogue.

        """
        api = catalogue.load()[wanted.api]
        task = wanted.task or api.task
        made = self._makers().get(task)
        if made is None:
            return Supply((), f"there is no source of inputs for {wanted.api} ({task})")
        if wanted.reading is None and not wanted.other_than:
            return corners.find(wanted.corner, kind_of(api, task), task, count, seed)
        return made(replace(wanted, task=task), count, seed)

    def _makers(self) -> dict[str, Find]:
        """What grants wishes of each task."""
        return {
            **dict.fromkeys(WRITING, self._written),
            **dict.fromkeys(SHOWING, self._shown),
            **dict.fromkeys(NAMING, entities.find),
            **dict.fromkeys(TOPICS, self._documents),
            **dict.fromkeys(MODERATED, self._moderated),
            "speech": spoken.find,
            "sentiment": rated.find,
        }

    def _written(self, wanted: Wanted, count: int, seed: int) -> Supply:
        if wanted.reading is None or not wanted.reading.strip():
            return drawn.blank(count, seed)
        if wanted.upon is None:
            return drawn.write(wanted.reading, count, seed)
        below = replace(wanted, reading=wanted.upon, task="labels", upon=None)
        shown = self._shown(below, PICTURES_BELOW, seed)
        if not shown.inputs:
            return shown
        return drawn.write(wanted.reading, count, seed, shown.inputs)

    def _shown(self, wanted: Wanted, count: int, seed: int) -> Supply:
        if self.pictures is not None:
            return self.pictures.find(wanted, count, seed)
        if wanted.task == "faces" and wanted.reading is not None:
            supply = faces.find(wanted, count, seed)
            if supply.inputs:
                return supply
            return Supply((), f"{supply.shortfall}; {self.missing}")
        return Supply((), f"no source of pictures by keyword: {self.missing}")

    def _documents(self, wanted: Wanted, count: int, seed: int) -> Supply:
        if self.documents is None:
            return Supply((), f"no source of documents by keyword: {self.missing_documents}")
        return self.documents.find(wanted, count, seed)

    def _moderated(self, wanted: Wanted, count: int, seed: int) -> Supply:
        """From a folder alone: what an encyclopedia says of violence is not violent."""
        shown = kind_of(catalogue.load()[wanted.api], "moderation") is InputKind.IMAGE
        source = self.pictures if shown else self.documents
        if isinstance(source, Folder):
            return source.find(wanted, count, seed)
        name = "images" if shown else "documents"
        wish = f'set [sources.{name}] kind = "folder"'
        return Supply((), f"no search finds what should be kept from people: {wish}")


def kind_of(api: Api, task: str) -> InputKind:
    """What an API is asked about; by the task where the catalogue does not say."""
    if api.input is not None:
        return InputKind(api.input.kind)
    if task == "speech":
        return InputKind.AUDIO
    return InputKind.IMAGE if task in WRITING | SHOWING else InputKind.TEXT
