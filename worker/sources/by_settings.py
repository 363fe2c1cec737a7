"""The sources that an operator's settings name."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path

from worker.errors import UsageError
from worker.settings.server import SourceSettings
from worker.sources.brave import ENDPOINT as BRAVE
from worker.sources.brave import Brave
from worker.sources.choice import NO_DOCUMENTS, NO_PICTURES, Source, Sources
from worker.sources.commons import ENDPOINT as COMMONS
from worker.sources.commons import Commons
from worker.sources.folder import PICTURES, TEXTS, Files, Folder
from worker.sources.kept import Kept, documents_folder, pictures_folder
from worker.sources.library import Library
from worker.sources.openverse import ENDPOINT as OPENVERSE
from worker.sources.openverse import Openverse
from worker.sources.search import Search, Service
from worker.sources.wikipedia import ENDPOINT as WIKIPEDIA
from worker.sources.wikipedia import Articles, Wikipedia

KINDS: Mapping[str, tuple[str, ...]] = {
    "images": ("openverse", "commons", "brave", "folder", "drawn"),
    "documents": ("wikipedia", "folder"),
}


def configured(
    settings: Mapping[str, SourceSettings], *, offline: bool, kept: Path | None = None
) -> Sources:
    """The configured sources; ``kept`` is where downloads are kept.

    Raises:
        UsageError: an unknown kind, a folder that does not exist, or a
            setting that a kind needs.

    """
    for name, setting in settings.items():
        if setting.kind not in KINDS[name]:
            known = ", ".join(KINDS[name])
            key = f"sources.{name}.kind"
            raise UsageError(f"no kind of source is {setting.kind!r}; known are: {known}", key=key)
    failed: dict[str, None] = {}

    def searching(service: Service, folder: Callable[[], Path]) -> Search:
        return Search(service, Kept(kept or folder()), offline, outages=failed)

    pictures, missing = _pictures(settings.get("images"), searching)
    documents = _documents(settings.get("documents"), searching)
    return Sources(pictures, missing, failed, documents, NO_DOCUMENTS)


Searching = Callable[[Service, Callable[[], Path]], Search]


def _pictures(setting: SourceSettings | None, searching: Searching) -> tuple[Source | None, str]:
    if setting is None:
        return None, NO_PICTURES
    if setting.kind == "drawn":
        return None, "[sources.images] only draws writing"
    if setting.kind == "folder":
        return _folder(setting, "images", PICTURES), ""
    return Library(searching(_library(setting), pictures_folder)), ""


def _library(setting: SourceSettings) -> Service:
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


def _folder(setting: SourceSettings, name: str, files: Files) -> Folder:
    if setting.folder is None or not setting.folder.is_dir():
        raise UsageError("must name an existing folder", key=f"sources.{name}.folder")
    return Folder(setting.folder, files)


def _contact(setting: SourceSettings, name: str) -> str | None:
    """Who asks, which Wikimedia's own servers want to know (its User-Agent policy)."""
    if setting.contact is None and setting.endpoint is None:
        raise UsageError(
            "Wikimedia wants to know whom to write to: give a mail address or a page of yours",
            key=f"sources.{name}.contact",
        )
    return setting.contact
