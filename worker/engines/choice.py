"""Which engine answers for which API, by the operator's settings."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Self

from analyzers.catalogue.terms import terms
from worker.engines.ahead import Ahead
from worker.engines.engine import FORK, OFFLINE, Engine, Unavailable, Withheld
from worker.engines.entities import LocalEntities
from worker.engines.faces import LocalFaces
from worker.engines.moods import LocalMoods
from worker.engines.ocr import LocalText
from worker.engines.providers import provider_engine
from worker.engines.recordings import ANY_ENGINE, Recordings
from worker.engines.replay import Replay
from worker.engines.request import ApiRequest, NoAnswer
from worker.engines.sentiment import LocalSentiment
from worker.engines.speech import LocalSpeech
from worker.settings.server import EngineSettings

# whose APIs an engine answers, where they are another's
_ASKED_OF = {"azure.openai": "openai"}


def local_engines() -> tuple[Engine, ...]:
    """The engines on this machine; each loads its model when first asked."""
    return (
        Ahead(LocalText()),
        LocalSentiment(),
        LocalMoods(),
        LocalEntities(),
        LocalSpeech(),
        LocalFaces(),
    )


class Engines:
    """The engines in the order in which they are considered.

    ``prices`` are the operator's own, in micro-dollars a unit by provider,
    instead of the list prices.
    """

    def __init__(self, engines: Sequence[Engine], prices: Mapping[str, int] | None = None) -> None:
        self._engines = tuple(engines)
        self._prices = dict(prices or {})

    @classmethod
    def from_settings(
        cls, settings: Mapping[str, EngineSettings], *, offline: bool, approved: bool = True
    ) -> Self:
        """The configured engine of each provider; local ones for all others.

        For code that is not ``approved`` local ones go before all others, and
        no provider is asked.

        Raises:
            UsageError: an endpoint is no address, or a setting is missing.

        """
        local = local_engines()
        chosen: list[Engine] = [] if approved else [*local]
        reason = OFFLINE if offline else None if approved else FORK
        for provider, setting in settings.items():
            chosen.extend(_configured(provider, setting, local, reason))
        unconfigured = [engine for engine in local if engine not in chosen]
        prices = {
            _ASKED_OF.get(provider, provider): round(setting.price * 1_000_000)
            for provider, setting in reversed([*settings.items()])
            if setting.price is not None
        }
        return cls((*chosen, *unconfigured), prices)

    def cost(self, api: str, request: ApiRequest) -> int | None:
        """What a question costs in micro-dollars; ``None`` where nobody knows."""
        engine = self.engine(api)
        if engine.local or engine.identity == ANY_ENGINE:
            return 0
        own = self._prices.get(api.rpartition(".")[0])
        known = terms(api) if own is None else replace(terms(api), price=own)
        return known.cost(len(request.content or b""), len(request.text or ""))

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

    def expect(self, contents: Sequence[bytes]) -> None:
        """Let engines that can begin before they are asked know what comes next."""
        for engine in self._engines:
            if isinstance(engine, Ahead):
                engine.expect(contents)

    def provided(self, api: str) -> bool:
        """Whether an engine that is not local answers ``api`` and may be asked."""
        engine = next((engine for engine in self._engines if engine.answers(api)), None)
        refuses = isinstance(engine, Unavailable | Withheld)
        return engine is not None and not engine.local and not refuses


def _configured(
    provider: str, setting: EngineSettings, local: Sequence[Engine], withheld: str | None
) -> list[Engine]:
    """The engines of a provider, the last of which answers or refuses the rest.

    ``withheld`` says why the provider itself must not be asked.
    """
    if setting.kind == "replay":
        folder = Recordings(Path(setting.endpoint), writable=False) if setting.endpoint else None
        return [Replay(provider, folder)]
    if setting.kind == "local":
        return [*local, Unavailable(provider, 'nothing on this machine can; kind = "provider" can')]
    engine = provider_engine(provider, setting)
    if engine is None:
        return [Unavailable(provider, "this version cannot ask this provider")]
    return [engine if withheld is None else Withheld(engine, withheld)]


def _subject(task: str) -> str:
    if task in {"label_detection", "detect_labels"}:
        return "image labels"
    return task.replace("_", " ")
