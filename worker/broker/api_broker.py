"""Answers for the guest: a recording, else an engine, within the budget."""

from __future__ import annotations

import hashlib
import threading
from collections import defaultdict
from collections.abc import Callable, Iterable, Sequence
from collections.abc import Set as AbstractSet
from concurrent.futures import Future
from typing import TypeAlias

from analyzers import catalogue
from analyzers.vocabulary import AnswerSource, Input, InputKind, JsonObject
from worker.broker.recording_caches import RecordingCaches
from worker.broker.request_admission import ApiBudget, admit_request
from worker.engines.api_answers import validated_answer
from worker.engines.engine import ApiRequest, Engine, NoAnswer, NotAsked, Outage, Rejected
from worker.engines.engine_selection import Engines
from worker.engines.recordings import ANY_ENGINE, Recordings
from worker.errors import UsageError

RequestKey: TypeAlias = tuple[str, str, str]


class RequestCoalescer:
    """Questions under way, by engine, API and digest."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._pending: dict[RequestKey, Future[JsonObject]] = {}

    def coalesce(self, key: RequestKey, ask: Callable[[], JsonObject]) -> tuple[JsonObject, bool]:
        """Return the answer, or raise its error, and whether this thread asked for it."""
        with self._lock:
            flying = self._pending.get(key)
            mine: Future[JsonObject] = Future()
            if flying is None:
                self._pending[key] = mine
        if flying is not None:
            return flying.result(), False
        try:
            answer = ask()
        except BaseException as error:
            ours = isinstance(error, Exception)
            mine.set_exception(error if ours else NoAnswer("the question was interrupted"))
            raise
        else:
            mine.set_result(answer)
            return answer, True
        finally:
            with self._lock:
                del self._pending[key]


TOLERATED = 0.1
"""The share of an API's questions that may stay without an answer.

Fewer inputs widen an interval, they do not falsify it: CONTRACT.md's `error`
is for what could not be tested.
"""


class EngineOutages:
    """Questions of a run that an engine's failure left open; for several threads."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._asked: defaultdict[str, set[str]] = defaultdict(set)
        self._open: defaultdict[str, dict[str, str]] = defaultdict(dict)

    def answered(self, api: str, digest: str) -> None:
        """Note an answer, from an engine or a recording."""
        with self._lock:
            self._asked[api].add(digest)
            self._open[api].pop(digest, None)

    def failed(self, api: str, digest: str, reason: str) -> None:
        """Note that an engine failed."""
        with self._lock:
            self._asked[api].add(digest)
            self._open[api][digest] = reason

    @property
    def outages(self) -> tuple[str, ...]:
        """Return why so many questions stayed open that the run is none, each reason once."""
        with self._lock:
            found = [
                reason
                for api, reasons in self._open.items()
                if len(reasons) > TOLERATED * len(self._asked[api])
                for reason in reasons.values()
            ]
        return tuple(dict.fromkeys(found))

    def describe(self) -> tuple[str, ...]:
        """A sentence for each API with open questions."""
        with self._lock:
            return tuple(
                f"{api}: {len(reasons)} of {len(self._asked[api])} questions got no answer"
                f" ({next(reversed(reasons.values()))})"
                for api, reasons in sorted(self._open.items())
                if reasons
            )


class Broker:
    """Takes questions from hostile code; safe for several threads.

    ``budget`` bounds what engines are asked; ``apis`` are the names that may be asked.  ``calls``
    counts questions to engines, ``dollars`` their list price, ``cached`` those answered from
    recordings, ``refused`` those without an answer.
    """

    def __init__(
        self,
        engines: Engines,
        recordings: Recordings | RecordingCaches,
        budget: ApiBudget | None = None,
        apis: AbstractSet[str] | None = None,
    ) -> None:
        self._engines = engines
        self._recordings = (
            recordings if isinstance(recordings, RecordingCaches) else RecordingCaches(recordings)
        )
        self._budget = budget or ApiBudget()
        self._apis = catalogue.load_catalogue().apis.keys() if apis is None else apis
        self._coalescer = RequestCoalescer()
        self._lock = threading.Lock()
        self._used: dict[str, str] = {}
        self._rejected: dict[RequestKey, str] = {}
        self.troubles = EngineOutages()
        self.cached = 0
        self.refused = 0

    @property
    def calls(self) -> int:
        """Return how many questions went to an engine."""
        return self._budget.calls

    @property
    def over_budget(self) -> tuple[str, ...]:
        """Return why the budget refused questions of this thread, in order."""
        return self._budget.refusals

    @property
    def dollars(self) -> float:
        """Return what those cost by list price."""
        return self._budget.dollars

    def answer(self, api: str, request: ApiRequest, *, needed: bool = True) -> JsonObject:
        """Return the answer in the schema's own field names, or raise ``NoAnswer``.

        An engine's failure is no outage of the run where the answer is not ``needed``.
        """
        try:
            return self._answer(api, admit_request(api, request, self._apis), needed=needed)
        except NoAnswer:
            self._refuse()
            raise
        except UsageError as error:
            self._refuse()
            raise NoAnswer(str(error)) from error

    def supplied(self, digests: Iterable[str]) -> None:
        """Know inputs of our own by the SHA-256 of their content."""
        self._recordings.supplied(digests)

    def expect(self, contents: Sequence[bytes]) -> None:
        """Know the files that will probably be asked about next, in order."""
        self._engines.expect(contents)

    def substitute(self, api: str) -> str:
        """Return the name of a local engine that answers in the provider's place, or nothing."""
        try:
            engine = self._engines.engine(api)
        except NoAnswer:
            return ""
        return engine.identity if engine.local else ""

    def source(self, api: str) -> AnswerSource:
        """Return the origin of the answers to an API that has an engine."""
        engine = self._engines.engine(api)
        if engine.local:
            return AnswerSource.LOCAL
        recorded = engine.identity == ANY_ENGINE
        return AnswerSource.RECORDING if recorded else AnswerSource.PROVIDER

    def provided(self, api: str) -> bool:
        """Return whether the provider itself is set to answer, or recordings of it."""
        return self._engines.provided(api)

    @property
    def outages(self) -> tuple[str, ...]:
        """Return how services failed that the run could not do without, each reason once."""
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
        answer, ours = self._coalescer.coalesce(
            key, lambda: self._asked(engine, key, request, needed=needed)
        )
        if not ours:
            self._note_cached(key)
        return answer

    def _recorded(self, key: RequestKey) -> JsonObject | None:
        recorded = self._recordings.find(*key)
        if recorded is not None:
            self._note_cached(key)
        return recorded

    def _asked(
        self,
        engine: Engine,
        key: RequestKey,
        request: ApiRequest,
        *,
        needed: bool,
    ) -> JsonObject:
        with self._recordings.turn(key[2]):
            recorded = self._recorded(key)
            if recorded is not None:
                return recorded
            answer = self._paid(engine, key, request, needed=needed)
            if engine.identity != ANY_ENGINE:
                self._recordings.keep(key, _content(request), answer, durable=not engine.local)
        return answer

    def _paid(
        self, engine: Engine, key: RequestKey, request: ApiRequest, *, needed: bool
    ) -> JsonObject:
        _, api, digest = key
        cost = self._engines.cost(api, request)
        self._budget.spend(api, cost)
        try:
            answer = validated_answer(api, engine.ask(api, request))
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

    def _note_cached(self, key: RequestKey) -> None:
        with self._lock:
            self.cached += 1
        self._note(key)

    def _note(self, key: RequestKey) -> None:
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


def alternative_apis(api: str, broker: Broker) -> list[str]:
    """An API of each other provider for the same task, where the provider itself answers."""
    known = catalogue.load_catalogue().apis
    ours = known[api]
    found: dict[str, str] = {}
    for name, theirs in known.items():
        house = _house(theirs.provider)
        same = theirs.task == ours.task and house != _house(ours.provider)
        if same and broker.provided(name):
            found.setdefault(house, name)
    return list(found.values())


def plain_request(item: Input) -> ApiRequest:
    """Return what is asked about an input, with no options."""
    if item.kind is InputKind.TEXT:
        return ApiRequest(text=item.content.decode("utf-8", "replace"))
    return ApiRequest(content=item.content)


def _house(provider: str) -> str:
    return provider.partition(".")[0]
