"""Talk with one guest: what is sent, what comes back, its questions answered on the way."""

from __future__ import annotations

import json
import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from math import inf
from typing import Any

from analyzers.vocabulary import AnswerSource, AskedInput, Exchange, JsonObject, Run
from worker.broker.api_broker import Broker
from worker.engines.engine import ApiRequest, NoAnswer
from worker.executor.probe_codec import asked_inputs
from worker.sandbox.protocol.channel import SEND_SECONDS, ChannelClosed, ChannelTimeout, decoded
from worker.sandbox.protocol.frame_shapes import BadFrame
from worker.sandbox.warm_sandbox import Guest


class GuestFailure(Exception):  # noqa: N818 - named by what happened
    """The guest broke off or broke the protocol; ``tail`` is what it printed."""


class GuestEnded(GuestFailure):
    """The guest ended or did not answer in time; ``runs`` are those that were over before."""

    runs: Sequence[Run] = ()


class BudgetSpent(GuestFailure):
    """The run's time was over before the guest answered."""


class TargetNotLoaded(Exception):  # noqa: N818 - a fact about the target, not an error of ours
    """The target cannot be loaded; the message says why."""


class GivenAnswers:
    """The answers that one guest was given; no other is ever recorded of it."""

    def __init__(self) -> None:
        self._by_api: dict[str, dict[str, list[JsonObject]]] = {}
        self._asked: dict[tuple[str, str], tuple[AskedInput, ...]] = {}
        self._sources: dict[str, AnswerSource] = {}

    def clear(self) -> None:
        """Forget them: another batch of runs begins."""
        self._by_api.clear()
        self._asked.clear()
        self._sources.clear()

    def add(self, api: str, request: ApiRequest, answer: JsonObject, source: AnswerSource) -> None:
        """Note the answer to a question."""
        self._sources[api] = source
        digest = request.digest(api)
        given = self._by_api.setdefault(api, {}).setdefault(digest, [])
        if answer not in given:
            given.append(answer)
        if (api, digest) not in self._asked:
            self._asked[api, digest] = tuple(asked_inputs(api, request))

    def asked(self, exchanges: Iterable[Exchange]) -> tuple[AskedInput, ...]:
        """Return what was asked about in confirmed exchanges."""
        return tuple(a for e in exchanges for a in self._asked.get((e.api, e.digest), ()))

    def confirmed(self, claimed: Exchange) -> Exchange | None:
        """Return the exchange as it was, our text where digests differ, or ``None``."""
        known = self._by_api.get(claimed.api, {})
        if claimed.answer in known.get(claimed.digest, ()):
            return self._sourced(claimed)
        for digest, answers in known.items():
            if any(claimed.answer in (answer, _as_received(answer)) for answer in answers):
                return self._sourced(replace(claimed, digest=digest))
        return None

    def _sourced(self, exchange: Exchange) -> Exchange:
        return replace(exchange, source=self._sources[exchange.api])


def with_script_source(exchange: Exchange, script: Iterable[Exchange]) -> Exchange:
    """Return an exchange of a scripted run with the source that its answer has in the script."""
    given = (e.source for e in script if (e.api, e.answer) == (exchange.api, exchange.answer))
    return replace(exchange, source=next(given, AnswerSource.SIMULATED))


def _as_received(answer: JsonObject) -> JsonObject:
    return decoded(json.dumps(answer).encode("ascii"))


ANSWER_SECONDS = 20.0
OUT_OF_TIME = "the time budget was spent"
LONGEST_REASON = 500


def require_time(until: float) -> None:
    """Raise ``BudgetSpent`` after ``until``, a time of ``time.monotonic``."""
    if time.monotonic() >= until:
        raise BudgetSpent(OUT_OF_TIME)


class GuestConversation:
    """A conversation with one guest; whatever breaks it off is a ``GuestFailure``.

    It ends at ``until``, a time of ``time.monotonic``, whatever the guest was given time for.
    """

    def __init__(self, guest: Guest, broker: Broker, until: float = inf) -> None:
        self._guest = guest
        self._broker = broker
        self._until = until
        self.answered = GivenAnswers()
        self.is_idle = True
        self.used: dict[str, None] = {}

    def begin(self, contents: Sequence[bytes]) -> None:
        """A batch of runs begins, which will probably ask about these files in turn."""
        self.answered.clear()
        self._broker.expect(contents)

    def send(self, message: Mapping[str, Any], seconds: float = SEND_SECONDS) -> None:
        """Say something; ``seconds`` are what the guest has to take it."""
        require_time(self._until)
        self.is_idle = False
        try:
            self._guest.channel.send(message, seconds)
        except (BadFrame, ChannelClosed, ChannelTimeout) as error:
            raise self.failure(error) from error

    def replies(
        self, seconds: float, silence: float | None = None, questions: int = 0
    ) -> Iterator[Mapping[str, Any]]:
        """Yield what the guest says, and answer its questions on the way.

        Raises ``GuestFailure`` after ``seconds`` (without engines' time), ``silence``, or more than
        ``questions``.
        """
        deadline = time.monotonic() + seconds
        while True:
            left = max(0.1, min(deadline, self._until) - time.monotonic())
            try:
                frame = self._guest.channel.receive(min(left, silence or left))
            except ChannelTimeout as error:
                require_time(self._until)
                raise self.failure(error) from error
            except (ChannelClosed, BadFrame) as error:
                raise self.failure(error) from error
            if frame["type"] == "limited":
                raise GuestEnded(frame["reason"][:LONGEST_REASON])
            if frame["type"] != "ask":
                self.used.update(dict.fromkeys(frame.get("used", ())))
                self.is_idle = frame["type"] != "ran"
                yield frame
                continue
            questions -= 1
            if questions < 0:
                raise self.failure(BadFrame("questions without end"))
            began = time.monotonic()
            answer = self._answer(frame)
            deadline += time.monotonic() - began
            self.send(answer, ANSWER_SECONDS)

    def failure(self, error: Exception) -> GuestFailure:
        """Return what broke off, with why we stopped the guest and the end of what it printed."""
        stopped = self._guest.why_stopped() if isinstance(error, ChannelClosed) else None
        tail = self._guest.stderr_tail().strip()[-500:]
        reason = stopped or self._guest.stopped or f"{type(error).__name__}: {error}"
        ended = isinstance(error, ChannelClosed | ChannelTimeout)
        made = GuestEnded if ended or self._guest.stopped else GuestFailure
        return made(reason + (f"\n{tail}" if tail else ""))

    def _answer(self, frame: Mapping[str, Any]) -> Mapping[str, Any]:
        try:
            request = ApiRequest.from_frame(frame["request"])
            answer = self._broker.answer(frame["api"], request)
        except NoAnswer as refusal:
            return {"type": "refused", "reason": str(refusal)}
        self.answered.add(frame["api"], request, answer, self._broker.source(frame["api"]))
        return {"type": "answer", "answer": answer}
