"""What an engine is, and the two that only refuse."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

from analyzers.vocabulary import JsonObject
from worker.engines.request import ApiRequest, NotAsked


class Engine(Protocol):
    """Something that answers questions to ML APIs."""

    @property
    def identity(self) -> str:
        """Name and version: answers are recorded under it."""
        ...

    @property
    def local(self) -> bool:
        """Whether it stands in the provider's place."""
        ...

    def answers(self, api: str) -> bool:
        """Whether the API of that catalogue name is this engine's."""
        ...

    def ask(self, api: str, request: ApiRequest) -> JsonObject:
        """The canonical answer.  Raises ``NoAnswer``."""
        ...


@dataclass(frozen=True, slots=True)
class Unavailable:
    """No engine for a provider's APIs; ``reason`` says what to do about it."""

    provider: str
    reason: str
    identity: str = "none"
    local: bool = False

    def answers(self, api: str) -> bool:
        """Every API of the provider."""
        return api.rpartition(".")[0] == self.provider

    def ask(self, api: str, request: ApiRequest) -> JsonObject:
        """Raises ``NotAsked``."""
        del request
        raise NotAsked(f"no engine for {api}: {self.reason}")


OFFLINE = "it would have to be asked over the network, which is off (--offline)"
FORK = (
    "fork: not asked of paid engines until approved"
    " (a person with write access has to approve this very commit)"
)


@dataclass(frozen=True, slots=True)
class Withheld:
    """A provider that must not be asked now; what it once answered still counts."""

    engine: Engine
    reason: str
    local: bool = False

    @property
    def identity(self) -> str:
        """That of the provider."""
        return self.engine.identity

    def answers(self, api: str) -> bool:
        """What the provider answers."""
        return self.engine.answers(api)

    def ask(self, api: str, request: ApiRequest) -> JsonObject:
        """Raises ``NotAsked``."""
        del api, request
        raise NotAsked(self.reason)
