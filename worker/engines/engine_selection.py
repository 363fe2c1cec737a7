"""Selection of the engine that answers for an API, by the operator's settings."""

from __future__ import annotations

import os
import threading
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path
from typing import Self

from analyzers.catalogue.api_catalogue import provider_limits
from analyzers.vocabulary import JsonObject
from worker.engines.engine import (
    FORK,
    OFFLINE,
    ApiRequest,
    Engine,
    NoAnswer,
    UnavailableEngine,
    WithheldEngine,
)
from worker.engines.recordings import ANY_ENGINE, Recordings, ReplayEngine
from worker.settings.operator_settings import EngineSettings

MOST_THREADS = 4


class PrefetchingEngine:
    """A local engine for several threads that begins before it is asked.

    Whoever asks about one of the ``expected`` files in turn will ask about those that follow.
    """

    local = True

    def __init__(self, engine: Engine, threads: int | None = None) -> None:
        self._engine = engine
        self._threads = threads or min(MOST_THREADS, len(os.sched_getaffinity(0)))
        self._pool = ThreadPoolExecutor(self._threads, f"ahead-{engine.identity}")
        self._lock = threading.Lock()
        self._expected: tuple[bytes, ...] = ()
        self._begun: dict[str, Future[JsonObject]] = {}

    @property
    def identity(self) -> str:
        """Return that of the engine."""
        return self._engine.identity

    def answers(self, api: str) -> bool:
        """Return what the engine answers."""
        return self._engine.answers(api)

    def expect(self, contents: Sequence[bytes]) -> None:
        """Know the files that come next, in order; those expected before come no more."""
        with self._lock:
            for begun in self._begun.values():
                begun.cancel()
            self._begun.clear()
            self._expected = tuple(dict.fromkeys(contents))

    def ask(self, api: str, request: ApiRequest) -> JsonObject:
        """Return the engine's answer, begun before or now.  Raises ``NoAnswer``."""
        mine = self._answering(api, request) if self._threads > 1 else None
        return self._engine.ask(api, request) if mine is None else mine.result()

    def _answering(self, api: str, request: ApiRequest) -> Future[JsonObject] | None:
        with self._lock:
            if request.content is None or request.content not in self._expected:
                return None
            place = self._expected.index(request.content)
            for content in self._expected[place : place + self._threads + 1]:
                like = replace(request, content=content)
                key = like.digest(api)
                if key not in self._begun:
                    self._begun[key] = self._pool.submit(self._engine.ask, api, like)
            return self._begun.pop(request.digest(api))


# whose APIs an engine answers, where they are another's
_ASKED_OF = {"azure.openai": "openai"}


def local_engines() -> tuple[Engine, ...]:
    """Return the engines on this machine; each loads its model when first asked."""
    # a check that asks none of them does without their libraries
    from worker.engines.local.entity_recognition import LocalEntities  # noqa: PLC0415
    from worker.engines.local.face_detection import LocalFaces  # noqa: PLC0415
    from worker.engines.local.label_detection import LocalLabels  # noqa: PLC0415
    from worker.engines.local.sentiment_analysis import (  # noqa: PLC0415
        LocalSentiment,
        LocalSentimentLabels,
    )
    from worker.engines.local.speech_recognition import LocalSpeech  # noqa: PLC0415
    from worker.engines.local.text_recognition import LocalText  # noqa: PLC0415

    return (
        PrefetchingEngine(LocalText()),
        LocalSentiment(),
        LocalSentimentLabels(),
        LocalEntities(),
        LocalSpeech(),
        LocalFaces(),
        PrefetchingEngine(LocalLabels()),
    )


class Engines:
    """The engines in order of consideration; ``prices`` are micro-dollars a unit.

    Where a function gives them, they are made when the first of them is needed.
    """

    def __init__(
        self,
        engines: Sequence[Engine] | Callable[[], Sequence[Engine]],
        prices: Mapping[str, int] | None = None,
    ) -> None:
        self._given = engines
        self._making = threading.Lock()
        self._made: tuple[Engine, ...] | None = None
        self._prices = dict(prices or {})

    @property
    def _engines(self) -> tuple[Engine, ...]:
        with self._making:
            if self._made is None:
                self._made = tuple(self._given() if callable(self._given) else self._given)
            return self._made

    @classmethod
    def from_settings(
        cls, settings: Mapping[str, EngineSettings], *, offline: bool, approved: bool = True
    ) -> Self:
        """Return the engines by settings, only local unless ``approved``; raise ``UsageError``."""
        reason = OFFLINE if offline else None if approved else FORK
        configured = [
            (setting.kind == "local", _configured(provider, setting, reason))
            for provider, setting in settings.items()
        ]

        def in_order() -> Sequence[Engine]:
            local = local_engines()
            chosen: list[Engine] = [] if approved else [*local]
            for is_local, engine in configured:
                chosen += [*local, engine] if is_local else [engine]
            return [*chosen, *(engine for engine in local if engine not in chosen)]

        prices = {
            _ASKED_OF.get(provider, provider): round(setting.price * 1_000_000)
            for provider, setting in reversed([*settings.items()])
            if setting.price is not None
        }
        return cls(in_order, prices)

    def cost(self, api: str, request: ApiRequest) -> int | None:
        """Return what a question costs in micro-dollars; ``None`` where nobody knows."""
        engine = self.engine(api)
        if engine.local or engine.identity == ANY_ENGINE:
            return 0
        own = self._prices.get(api.rpartition(".")[0])
        known = provider_limits(api) if own is None else replace(provider_limits(api), price=own)
        return known.cost(len(request.content or b""), len(request.text or ""))

    def engine(self, api: str) -> Engine:
        """Return the engine that answers ``api``; raise ``NoAnswer`` with the setting to make."""
        for engine in self._engines:
            if engine.answers(api):
                return engine
        provider, _, task = api.rpartition(".")
        subject = _subject(task)
        extra = ", or pip install 'assayer[vision]'" if subject == LABELS else ""
        raise NoAnswer(
            f"no engine for {subject} ({api}):"
            f' set [engines."{provider}"] kind = "provider" and its credentials{extra}'
        )

    def expect(self, contents: Sequence[bytes]) -> None:
        """Let engines that can begin before they are asked know what comes next."""
        for engine in self._engines:
            if isinstance(engine, PrefetchingEngine):
                engine.expect(contents)

    def provided(self, api: str) -> bool:
        """Return whether an engine that is not local answers ``api`` and may be asked."""
        engine = next((engine for engine in self._engines if engine.answers(api)), None)
        refuses = isinstance(engine, UnavailableEngine | WithheldEngine)
        return engine is not None and not engine.local and not refuses


def _configured(provider: str, setting: EngineSettings, withheld: str | None) -> Engine:
    """Return the engine that a setting asks for, after those on this machine for ``local``."""
    if setting.kind == "replay":
        folder = Recordings(Path(setting.endpoint), writable=False) if setting.endpoint else None
        return ReplayEngine(provider, folder)
    if setting.kind == "local":
        return UnavailableEngine(provider, 'nothing on this machine can; kind = "provider" can')
    from worker.engines.providers.provider_engines import provider_engine  # noqa: PLC0415

    engine = provider_engine(provider, setting)
    if engine is None:
        return UnavailableEngine(provider, "this version cannot ask this provider")
    return engine if withheld is None else WithheldEngine(engine, withheld)


LABELS = "image labels"


def _subject(task: str) -> str:
    if task in {"label_detection", "detect_labels", "tag_image", "image_classification"}:
        return LABELS
    return task.replace("_", " ")
