"""Only what was recorded."""

from __future__ import annotations

from analyzers.vocabulary import JsonObject
from worker.engines.recordings import ANY_ENGINE, Recordings
from worker.engines.request import ApiRequest, NoAnswer


class Replay:
    """Answers ``provider``'s APIs from recordings, whichever engine made them.

    Without recordings of its own it leaves the answer to those that the
    broker looks into before it asks an engine.
    """

    local = False
    identity = ANY_ENGINE

    def __init__(self, provider: str, recordings: Recordings | None) -> None:
        self._provider = provider
        self._recordings = recordings

    def answers(self, api: str) -> bool:
        """Every API of the provider."""
        return api.rpartition(".")[0] == self._provider

    def ask(self, api: str, request: ApiRequest) -> JsonObject:
        """The recorded answer.  Raises ``NoAnswer`` where there is none."""
        digest = request.digest(api)
        answer = self._recordings.find(self.identity, api, digest) if self._recordings else None
        if answer is None:
            raise NoAnswer(f"no answer of {api} was recorded for this input")
        return answer
