"""What a guest was really answered, to hold against what it says it was."""

from __future__ import annotations

import json
from dataclasses import replace

from analyzers.vocabulary import Exchange, JsonObject
from worker.sandbox.channel import decoded


class Answered:
    """The answers that one guest was given; no other is ever recorded of it."""

    def __init__(self) -> None:
        self._by_api: dict[str, dict[str, list[JsonObject]]] = {}

    def clear(self) -> None:
        """Forget them: another batch of runs begins."""
        self._by_api.clear()

    def add(self, api: str, digest: str, answer: JsonObject) -> None:
        """Note an answer to the question of a digest."""
        given = self._by_api.setdefault(api, {}).setdefault(digest, [])
        if answer not in given:
            given.append(answer)

    def confirmed(self, claimed: Exchange) -> Exchange | None:
        """The exchange as it was, or ``None`` where there was none of that answer.

        A guest counts a question's digest before its text becomes JSON: where
        the two differ, ours stands.
        """
        known = self._by_api.get(claimed.api, {})
        if claimed.answer in known.get(claimed.digest, ()):
            return claimed
        for digest, answers in known.items():
            if any(claimed.answer in (answer, _heard(answer)) for answer in answers):
                return replace(claimed, digest=digest)
        return None


def _heard(answer: JsonObject) -> JsonObject:
    """An answer as it comes back over the channel, which replaces lone surrogates."""
    return decoded(json.dumps(answer).encode("ascii"))
