"""Selection of the source of an input, by the task of the API."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from importlib.resources import as_file, files
from pathlib import Path
from typing import Protocol

from analyzers import catalogue
from analyzers.catalogue import Api
from analyzers.vocabulary import InputKind, InputRequest, InputSupply
from worker.errors import UsageError
from worker.settings.operator_settings import SourceSettings
from worker.sources.download_cache import DownloadCache, documents_folder, pictures_folder
from worker.sources.input_folder import PICTURES, TEXTS, FolderFiles, InputFolder
from worker.sources.keyword_search import Search, SearchService
from worker.sources.picture_search import BRAVE_ENDPOINT as BRAVE
from worker.sources.picture_search import OPENVERSE_ENDPOINT as OPENVERSE
from worker.sources.picture_search import Brave, Openverse, PictureLibrary
from worker.sources.wikimedia import COMMONS_ENDPOINT as COMMONS
from worker.sources.wikimedia import WIKIPEDIA_ENDPOINT as WIKIPEDIA
from worker.sources.wikimedia import Articles, Commons, Wikipedia

WRITING = frozenset({"text", "document"})
SHOWING = frozenset({"labels", "objects", "landmarks", "logos", "caption", "faces"})
NAMING = frozenset({"entities", "entity-sentiment", "key-phrases"})
TOPICS = frozenset({"classify"})
MODERATED = frozenset({"moderation"})
PICTURES_BELOW = 10
"""Pictures that words are written upon; as many however much is wanted."""
SHIPPED = frozenset({"labels", "objects"})
"""Tasks for which pictures are shipped (``worker/data/pictures/LICENCES.md``)."""
NO_PICTURES = 'set [sources.images] kind = "openverse", "commons", "brave" or "folder"'
NO_DOCUMENTS = 'set [sources.documents] kind = "wikipedia" or "folder"'


class Source(Protocol):
    """Something that finds or makes inputs."""

    def find(self, wanted: InputRequest, count: int, seed: int) -> InputSupply:
        """Return at most ``count`` inputs of the wanted reading; longer supplies extend shorter."""
        ...


Find = Callable[[InputRequest, int, int], InputSupply]


@dataclass(frozen=True, slots=True)
class Sources:
    """Writing, speech, names and rated texts are made here; the rest comes by settings.

    ``missing`` and ``missing_documents`` say what to set, ``failed`` how services failed;
    ``shipped``: where no source of pictures is set, those that come with Assayer are taken.
    """

    pictures: Source | None = None
    missing: str = NO_PICTURES
    failed: Mapping[str, None] = field(default_factory=dict[str, None])
    documents: Source | None = None
    missing_documents: str = NO_DOCUMENTS
    shipped: bool = True

    @property
    def outages(self) -> tuple[str, ...]:
        """Return how the configured services failed, each reason once."""
        return tuple(self.failed)

    def find(self, wanted: InputRequest, count: int, seed: int) -> InputSupply:
        """Return at most ``count`` inputs; the shortfall says why fewer.  Raises ``KeyError``."""
        # what makes pictures and speech is loaded when an input is wanted
        from worker.sources import edge_cases  # noqa: PLC0415

        api = catalogue.load_catalogue()[wanted.api]
        task = wanted.task or api.task
        made = self._makers().get(task)
        if made is None:
            return InputSupply((), f"there is no source of inputs for {wanted.api} ({task})")
        if wanted.reading is None and not wanted.other_than:
            return edge_cases.find(wanted.corner, kind_of(api, task), task, count, seed)
        return made(replace(wanted, task=task), count, seed)

    def _makers(self) -> dict[str, Find]:
        from worker.sources import (  # noqa: PLC0415
            entity_sentences,
            rated_texts,
            spoken_recordings,
        )

        return {
            **dict.fromkeys(WRITING, self._written),
            **dict.fromkeys(SHOWING, self._shown),
            **dict.fromkeys(NAMING, entity_sentences.find),
            **dict.fromkeys(TOPICS, self._documents),
            **dict.fromkeys(MODERATED, self._moderated),
            "speech": spoken_recordings.find,
            "sentiment": rated_texts.find,
        }

    def _written(self, wanted: InputRequest, count: int, seed: int) -> InputSupply:
        from worker.sources import text_pictures  # noqa: PLC0415

        if wanted.reading is None or not wanted.reading.strip():
            return text_pictures.blank(count, seed)
        if wanted.upon is None:
            return text_pictures.write(wanted.reading, count, seed)
        below = replace(wanted, reading=wanted.upon, task="labels", upon=None)
        shown = self._shown(below, PICTURES_BELOW, seed)
        if not shown.inputs:
            return shown
        return text_pictures.write(wanted.reading, count, seed, shown.inputs)

    def _shown(self, wanted: InputRequest, count: int, seed: int) -> InputSupply:
        if self.pictures is not None:
            return self.pictures.find(wanted, count, seed)
        if wanted.task == "faces" and wanted.reading is not None:
            from worker.sources import face_pictures  # noqa: PLC0415

            supply = face_pictures.find(wanted, count, seed)
            if supply.inputs:
                return supply
            return InputSupply((), f"{supply.shortfall}; {self.missing}")
        if self.shipped and wanted.task in SHIPPED:
            with as_file(files("worker.data").joinpath("pictures")) as folder:
                supply = InputFolder(folder, title="Assayer").find(wanted, count, seed)
            return supply if supply.inputs else _unsupplied(f"{supply.shortfall}; {self.missing}")
        return _unsupplied(f"no source of pictures by keyword: {self.missing}")

    def _documents(self, wanted: InputRequest, count: int, seed: int) -> InputSupply:
        if self.documents is None:
            return InputSupply((), f"no source of documents by keyword: {self.missing_documents}")
        return self.documents.find(wanted, count, seed)

    def _moderated(self, wanted: InputRequest, count: int, seed: int) -> InputSupply:
        """From a folder alone: what an encyclopedia says of violence is not violent."""
        shown = kind_of(catalogue.load_catalogue()[wanted.api], "moderation") is InputKind.IMAGE
        source = self.pictures if shown else self.documents
        if isinstance(source, InputFolder):
            return source.find(wanted, count, seed)
        name = "images" if shown else "documents"
        wish = f'set [sources.{name}] kind = "folder"'
        return InputSupply((), f"no search finds what should be kept from people: {wish}")


def _unsupplied(reason: str) -> InputSupply:
    return InputSupply((), reason)


def kind_of(api: Api, task: str) -> InputKind:
    """Return what an API is asked about; by the task where the catalogue does not say."""
    if api.input is not None:
        return InputKind(api.input.kind)
    if task == "speech":
        return InputKind.AUDIO
    return InputKind.IMAGE if task in WRITING | SHOWING else InputKind.TEXT


KINDS: Mapping[str, tuple[str, ...]] = {
    "images": ("openverse", "commons", "brave", "folder", "drawn"),
    "documents": ("wikipedia", "folder"),
}


def configured_sources(
    settings: Mapping[str, SourceSettings], *, offline: bool, kept: Path | None = None
) -> Sources:
    """Return the configured sources; downloads lie in ``kept``.  Raises ``UsageError``."""
    for name, setting in settings.items():
        if setting.kind not in KINDS[name]:
            known = ", ".join(KINDS[name])
            key = f"sources.{name}.kind"
            raise UsageError(f"no kind of source is {setting.kind!r}; known are: {known}", key=key)
    failed: dict[str, None] = {}

    def searching(service: SearchService, folder: Callable[[], Path]) -> Search:
        return Search(service, DownloadCache(kept or folder()), offline, outages=failed)

    pictures, missing = _pictures(settings.get("images"), searching)
    documents = _documents(settings.get("documents"), searching)
    drawn = "images" in settings and settings["images"].kind == "drawn"
    return Sources(pictures, missing, failed, documents, NO_DOCUMENTS, shipped=not drawn)


Searching = Callable[[SearchService, Callable[[], Path]], Search]


def _pictures(setting: SourceSettings | None, searching: Searching) -> tuple[Source | None, str]:
    if setting is None:
        return None, NO_PICTURES
    if setting.kind == "drawn":
        return None, "[sources.images] only draws writing"
    if setting.kind == "folder":
        return _folder(setting, "images", PICTURES), ""
    return PictureLibrary(searching(_library(setting), pictures_folder)), ""


def _library(setting: SourceSettings) -> SearchService:
    key = setting.key.read if setting.key else None
    if setting.kind == "openverse":
        return Openverse(setting.endpoint or OPENVERSE, key)
    if setting.kind == "commons":
        return Commons(setting.endpoint or COMMONS, _contact(setting, "images"))
    if key is None:
        raise UsageError(
            "Brave wants a key: name one, as env:NAME or file:PATH", key="sources.images.key"
        )
    return Brave(key, setting.endpoint or BRAVE)


def _documents(setting: SourceSettings | None, searching: Searching) -> Source | None:
    if setting is None:
        return None
    if setting.kind == "folder":
        return _folder(setting, "documents", TEXTS)
    service = Wikipedia(setting.endpoint or WIKIPEDIA, _contact(setting, "documents"))
    return Articles(searching(service, documents_folder))


def _folder(setting: SourceSettings, name: str, files: FolderFiles) -> InputFolder:
    if setting.folder is None or not setting.folder.is_dir():
        raise UsageError("must name an existing folder", key=f"sources.{name}.folder")
    return InputFolder(setting.folder, files)


def _contact(setting: SourceSettings, name: str) -> str | None:
    if setting.contact is None and setting.endpoint is None:
        raise UsageError(
            "Wikimedia wants to know whom to write to: give a mail address or a page of yours",
            key=f"sources.{name}.contact",
        )
    return setting.contact
