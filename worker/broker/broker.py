"""Answers for the guest: a recording, else an engine, within the budget."""

from __future__ import annotations

import threading
from collections.abc import Set as AbstractSet

from analyzers import catalogue
from analyzers.vocabulary import JsonObject
from worker.engines import (
    ANY_ENGINE,
    ApiRequest,
    Engine,
    Engines,
    NoAnswer,
    NotAsked,
    Outage,
    Recordings,
)
from worker.errors import UsageError


class Broker:
    """Takes questions from hostile code; safe for several threads.

    ``budget`` bounds how many questions go to engines (``None``: no bound);
    recorded answers are free.  ``apis`` are the names that may be asked, by
    default those of the catalogue.

    ``calls`` counts the questions that went to an engine, ``cached`` those
    answered from a recording, ``refused`` those without an answer.
    """

    def __init__(
        self,
        engines: Engines,
        recordings: Recordings,
        budget: int | None,
        apis: AbstractSet[str] | None = None,
    ) -> None:
        self._engines = engines
        self._recordings = recordings
        self._budget = budget
        self._apis = catalogue.load().apis.keys() if apis is None else apis
        self._lock = threading.Lock()
        self._used: dict[str, str] = {}
        self._outages: dict[str, None] = {}
        self.calls = 0
        self.cached = 0
        self.refused = 0

    def answer(self, api: str, request: ApiRequest) -> JsonObject:
        """The answer in the schema's own field names.

        Raises:
            NoAnswer: not an API of the catalogue, nothing asked, no engine,
                the budget is spent, or the engine failed.

        """
        try:
            return self._answer(api, request)
        except NoAnswer as reason:
            with self._lock:
                self.refused += 1
                if isinstance(reason, Outage):
                    self._outages[str(reason)] = None
            raise
        except UsageError as error:
            with self._lock:
                self.refused += 1
            raise NoAnswer(str(error)) from error

    def substitute(self, api: str) -> bool:
        """Whether a local engine answers in the provider's place."""
        try:
            return self._engines.engine(api).local
        except NoAnswer:
            return False

    @property
    def outages(self) -> tuple[str, ...]:
        """How configured services failed, each reason once."""
        with self._lock:
            return tuple(self._outages)

    def describe(self) -> tuple[str, ...]:
        """A sentence for each API asked so far, saying which engine answered."""
        with self._lock:
            return tuple(f"{api}: {engine}" for api, engine in sorted(self._used.items()))

    def _answer(self, api: str, request: ApiRequest) -> JsonObject:
        if not isinstance(api, str) or api not in self._apis:  # pyright: ignore[reportUnnecessaryIsInstance]
            raise NoAnswer(f"{str(api)[:80]!r} is no API of the catalogue")
        if request.content is None and request.text is None and request.uri is None:
            raise NoAnswer(f"{api} was asked nothing")
        engine = self._engines.engine(api)
        digest = request.digest(api)
        recorded = self._recordings.find(engine.identity, api, digest)
        if recorded is not None:
            with self._lock:
                self.cached += 1
                self._used[api] = _name(engine)
            return recorded
        self._spend(api)
        try:
            answer = engine.ask(api, request)
        except NotAsked:
            with self._lock:
                self.calls -= 1
            raise
        with self._lock:
            self._used[api] = _name(engine)
        if engine.identity != ANY_ENGINE:
            self._recordings.keep(engine.identity, api, digest, answer)
        return answer

    def _spend(self, api: str) -> None:
        with self._lock:
            if self._budget is not None and self.calls >= self._budget:
                raise NoAnswer(f"the budget of {self._budget} API calls is spent ({api})")
            self.calls += 1


def _name(engine: Engine) -> str:
    return "recorded answers" if engine.identity == ANY_ENGINE else engine.identity
