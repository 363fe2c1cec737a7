"""What a guest was really answered, to hold against what it says it was."""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import replace

from analyzers.vocabulary import AnswerSource, Asked, Exchange, JsonObject
from worker.broker import ApiRequest
from worker.laboratory.asked import asked_by
from worker.sandbox.channel import decoded


class Answered:
    """The answers that one guest was given; no other is ever recorded of it."""

    def __init__(self) -> None:
        self._by_api: dict[str, dict[str, list[JsonObject]]] = {}
        self._asked: dict[tuple[str, str], tuple[Asked, ...]] = {}
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
            self._asked[api, digest] = tuple(asked_by(api, request))

    def asked(self, exchanges: Iterable[Exchange]) -> tuple[Asked, ...]:
        """What was asked about in confirmed exchanges."""
        return tuple(a for e in exchanges for a in self._asked.get((e.api, e.digest), ()))

    def confirmed(self, claimed: Exchange) -> Exchange | None:
        """The exchange as it was, or ``None`` where there was none of that answer.

        A guest counts a question's digest before its text becomes JSON: where
        the two differ, ours stands.
        """
        known = self._by_api.get(claimed.api, {})
        if claimed.answer in known.get(claimed.digest, ()):
            return self._sourced(claimed)
        for digest, answers in known.items():
            if any(claimed.answer in (answer, _heard(answer)) for answer in answers):
                return self._sourced(replace(claimed, digest=digest))
        return None

    def _sourced(self, exchange: Exchange) -> Exchange:
        return replace(exchange, source=self._sources[exchange.api])


def inherited(exchange: Exchange, script: Iterable[Exchange]) -> Exchange:
    """Return an exchange of a scripted run with the source that its answer has in the script."""
    given = (e.source for e in script if (e.api, e.answer) == (exchange.api, exchange.answer))
    return replace(exchange, source=next(given, AnswerSource.SIMULATED))


def _heard(answer: JsonObject) -> JsonObject:
    """An answer as it comes back over the channel, which replaces lone surrogates."""
    return decoded(json.dumps(answer).encode("ascii"))
