"""Answers for the guest: a recording, else an engine, within the budget."""

from __future__ import annotations

import hashlib
import threading
from collections.abc import Iterable, Sequence
from collections.abc import Set as AbstractSet

from analyzers import catalogue
from analyzers.vocabulary import AnswerSource, JsonObject
from worker.broker.admission import admitted
from worker.broker.budget import Budget
from worker.broker.flights import Flights, Key
from worker.broker.shelves import Shelves
from worker.broker.troubles import Troubles
from worker.engines import (
    ANY_ENGINE,
    ApiRequest,
    Engine,
    Engines,
    NoAnswer,
    NotAsked,
    Outage,
    Recordings,
    Rejected,
)
from worker.engines.answers import checked
from worker.errors import UsageError


class Broker:
    """Takes questions from hostile code; safe for several threads.

    ``budget`` bounds what engines are asked; recorded answers are free.
    ``apis`` are the names that may be asked, by default those of the
    catalogue.

    ``calls`` counts the questions that went to an engine, ``dollars`` is their
    list price, ``cached`` counts those answered from a recording, ``refused``
    those without an answer.
    """

    def __init__(
        self,
        engines: Engines,
        recordings: Recordings | Shelves,
        budget: Budget | None = None,
        apis: AbstractSet[str] | None = None,
    ) -> None:
        self._engines = engines
        self._shelves = recordings if isinstance(recordings, Shelves) else Shelves(recordings)
        self._budget = budget or Budget()
        self._apis = catalogue.load().apis.keys() if apis is None else apis
        self._flights = Flights()
        self._lock = threading.Lock()
        self._used: dict[str, str] = {}
        self._rejected: dict[Key, str] = {}
        self.troubles = Troubles()
        self.cached = 0
        self.refused = 0

    @property
    def calls(self) -> int:
        """How many questions went to an engine."""
        return self._budget.calls

    @property
    def over_budget(self) -> tuple[str, ...]:
        """Why the budget refused questions, in order."""
        return self._budget.refusals

    @property
    def dollars(self) -> float:
        """What those cost by list price."""
        return self._budget.dollars

    def answer(self, api: str, request: ApiRequest, *, needed: bool = True) -> JsonObject:
        """The answer in the schema's own field names.

        An engine's failure is no outage of the run where the answer is not
        ``needed`` to test the code.

        Raises:
            NoAnswer: not an API of the catalogue, not what it takes, no
                engine, the budget is spent, or the engine failed.

        """
        try:
            return self._answer(api, admitted(api, request, self._apis), needed=needed)
        except NoAnswer:
            self._refuse()
            raise
        except UsageError as error:
            self._refuse()
            raise NoAnswer(str(error)) from error

    def supplied(self, digests: Iterable[str]) -> None:
        """Know inputs of our own by the SHA-256 of their content."""
        self._shelves.supplied(digests)

    def expect(self, contents: Sequence[bytes]) -> None:
        """Know the files that will probably be asked about next, in order."""
        self._engines.expect(contents)

    def substitute(self, api: str) -> bool:
        """Whether a local engine answers in the provider's place."""
        try:
            return self._engines.engine(api).local
        except NoAnswer:
            return False

    def source(self, api: str) -> AnswerSource:
        """Return the origin of the answers to an API that has an engine."""
        engine = self._engines.engine(api)
        if engine.local:
            return AnswerSource.LOCAL
        recorded = engine.identity == ANY_ENGINE
        return AnswerSource.RECORDING if recorded else AnswerSource.PROVIDER

    def provided(self, api: str) -> bool:
        """Whether the provider itself is set to answer, or recordings of it."""
        return self._engines.provided(api)

    @property
    def outages(self) -> tuple[str, ...]:
        """How services failed that the run could not do without, each reason once."""
        return self.troubles.outages

    def describe(self) -> tuple[str, ...]:
        """Sentences on the APIs asked so far: which engine answered, and how often not."""
        with self._lock:
            used = tuple(f"{api}: {engine}" for api, engine in sorted(self._used.items()))
        return (*used, *self.troubles.describe())

    def _answer(self, api: str, request: ApiRequest, *, needed: bool) -> JsonObject:
        engine = self._engines.engine(api)
        key = (engine.identity, api, request.digest(api))
        answer = self._recorded(key)
        if answer is not None:
            return answer
        if key in self._rejected:
            raise Rejected(self._rejected[key])
        answer, ours = self._flights.fly(
            key, lambda: self._asked(engine, key, request, needed=needed)
        )
        if not ours:
            self._note_cached(key)
        return answer

    def _recorded(self, key: Key) -> JsonObject | None:
        recorded = self._shelves.find(*key)
        if recorded is not None:
            self._note_cached(key)
        return recorded

    def _asked(
        self,
        engine: Engine,
        key: Key,
        request: ApiRequest,
        *,
        needed: bool,
    ) -> JsonObject:
        """The engine's answer, or the one that another process has just recorded."""
        with self._shelves.turn(key[2]):
            recorded = self._recorded(key)
            if recorded is not None:
                return recorded
            answer = self._paid(engine, key, request, needed=needed)
            if engine.identity != ANY_ENGINE:
                self._shelves.keep(key, _content(request), answer, durable=not engine.local)
        return answer

    def _paid(self, engine: Engine, key: Key, request: ApiRequest, *, needed: bool) -> JsonObject:
        _, api, digest = key
        cost = self._engines.cost(api, request)
        self._budget.spend(api, cost)
        try:
            answer = checked(api, engine.ask(api, request))
        except NotAsked:
            self._budget.refund(cost)
            raise
        except Rejected as rejected:
            self._rejected[key] = str(rejected)
            raise
        except Outage as outage:
            if needed:
                self.troubles.failed(api, digest, str(outage))
            raise
        self._note(key)
        return answer

    def _note_cached(self, key: Key) -> None:
        with self._lock:
            self.cached += 1
        self._note(key)

    def _note(self, key: Key) -> None:
        identity, api, digest = key
        with self._lock:
            self._used[api] = "recorded answers" if identity == ANY_ENGINE else identity
        self.troubles.answered(api, digest)

    def _refuse(self) -> None:
        with self._lock:
            self.refused += 1


def _content(request: ApiRequest) -> str:
    """The SHA-256 of what the question is about."""
    text = (request.text or "").encode("utf-8", "surrogatepass")
    return hashlib.sha256(text if request.content is None else request.content).hexdigest()
