"""Files that will probably be asked about next are looked at while the code still runs."""

from __future__ import annotations

import os
import threading
from collections.abc import Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import replace

from analyzers.vocabulary import JsonObject
from worker.engines.engine import Engine
from worker.engines.request import ApiRequest

MOST_THREADS = 4


class Ahead:
    """A local engine that several threads may ask, and that begins before it is asked.

    Whoever asks about one of the ``expected`` files in turn will ask the same
    about those that follow: as many of them as there are ``threads`` are begun,
    on as many processors.  What nobody asks for then is never heard of.
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
        """That of the engine."""
        return self._engine.identity

    def answers(self, api: str) -> bool:
        """What the engine answers."""
        return self._engine.answers(api)

    def expect(self, contents: Sequence[bytes]) -> None:
        """Know the files that come next, in order; those expected before come no more."""
        with self._lock:
            for begun in self._begun.values():
                begun.cancel()
            self._begun.clear()
            self._expected = tuple(dict.fromkeys(contents))

    def ask(self, api: str, request: ApiRequest) -> JsonObject:
        """The engine's answer, begun before or now.  Raises ``NoAnswer``."""
        mine = self._answering(api, request) if self._threads > 1 else None
        return self._engine.ask(api, request) if mine is None else mine.result()

    def _answering(self, api: str, request: ApiRequest) -> Future[JsonObject] | None:
        """The answer that is on its way, and those after it begun."""
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
