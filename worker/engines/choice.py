"""Which engine answers for which API, by the operator's settings."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Self
from urllib.parse import urlsplit

from worker.engines.engine import Engine, Offline, Unavailable
from worker.engines.google import ENDPOINTS, Google
from worker.engines.ocr import LocalText
from worker.engines.recordings import Recordings
from worker.engines.replay import Replay
from worker.engines.request import NoAnswer
from worker.engines.sentiment import LocalSentiment
from worker.errors import UsageError
from worker.settings.server import EngineSettings


def local_engines() -> tuple[Engine, ...]:
    """The engines on this machine; each loads its model when first asked."""
    return (LocalText(), LocalSentiment())


class Engines:
    """The engines in the order in which they are considered."""

    def __init__(self, engines: Sequence[Engine]) -> None:
        self._engines = tuple(engines)

    @classmethod
    def from_settings(cls, settings: Mapping[str, EngineSettings], *, offline: bool) -> Self:
        """The configured engine of each provider; local ones for all others.

        Raises:
            UsageError: an endpoint is no address.

        """
        local = local_engines()
        chosen: list[Engine] = []
        for provider, setting in settings.items():
            chosen.extend(_configured(provider, setting, local, offline=offline))
        unconfigured = [engine for engine in local if engine not in chosen]
        return cls((*chosen, *unconfigured))

    def engine(self, api: str) -> Engine:
        """The engine that answers ``api``.

        Raises:
            NoAnswer: there is none; the message says which setting to make.

        """
        for engine in self._engines:
            if engine.answers(api):
                return engine
        provider, _, task = api.rpartition(".")
        raise NoAnswer(
            f"no engine for {_subject(task)} ({api}):"
            f' set [engines."{provider}"] kind = "provider" and its credentials'
        )


def _configured(
    provider: str, setting: EngineSettings, local: Sequence[Engine], *, offline: bool
) -> list[Engine]:
    """The engines of a provider, the last of which answers or refuses the rest."""
    if setting.kind == "replay":
        folder = Recordings(Path(setting.endpoint), writable=False) if setting.endpoint else None
        return [Replay(provider, folder)]
    if setting.kind == "local":
        return [*local, Unavailable(provider, 'nothing on this machine can; kind = "provider" can')]
    if provider not in ENDPOINTS:
        return [Unavailable(provider, "this version cannot ask this provider")]
    engine = Google(
        provider,
        _address(provider, setting.endpoint or ENDPOINTS[provider]),
        setting.credentials.read if setting.credentials else None,
    )
    return [Offline(engine) if offline else engine]


def _address(provider: str, endpoint: str) -> str:
    try:
        parts = urlsplit(endpoint)
        good = parts.scheme in {"http", "https"} and bool(parts.hostname) and not parts.query
        good = good and (parts.port or 1) > 0
    except ValueError:
        good = False
    if not good:
        raise UsageError("is not an http(s) address", key=f'engines."{provider}".endpoint')
    return endpoint


def _subject(task: str) -> str:
    if task in {"label_detection", "detect_labels"}:
        return "image labels"
    return task.replace("_", " ")
