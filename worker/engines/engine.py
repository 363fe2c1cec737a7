"""Interface of an engine, and the two engines that only refuse."""

from __future__ import annotations

import base64
import binascii
import hashlib
import json
from collections.abc import Container, Mapping
from dataclasses import dataclass, field
from functools import cache
from importlib.metadata import PackageNotFoundError, version
from typing import Any, Protocol, Self, cast

from analyzers.vocabulary import Json, JsonObject

MOST_CONTENT = 20 * 1024 * 1024
MOST_TEXT = 1_000_000
MOST_URI = 4096
MOST_PARAMETERS = 16_384


class NoAnswer(Exception):  # noqa: N818 - a fact about the question, not always an error
    """No answer is available; the message says why and what to do.  Nobody's defect."""


class NotAsked(NoAnswer):
    """Nobody was asked: no engine is set, or the network is off."""


class Outage(NoAnswer):
    """A configured service failed or cannot be reached: the machine's fault."""


class Rejected(NoAnswer):
    """The service found fault with the question: ``code`` and ``said`` tell which."""

    def __init__(self, message: str, code: str = "", said: str = "") -> None:
        super().__init__(message)
        self.code = code
        self.said = said


@dataclass(frozen=True, slots=True)
class ApiRequest:
    """The content of a request: bytes of a file, a text, or the location of a file."""

    content: bytes | None = field(default=None, repr=False)
    text: str | None = None
    uri: str | None = None
    parameters: JsonObject = field(default_factory=dict[str, Json])

    def __post_init__(self) -> None:
        """Refuse what is too large.  Raises ``NoAnswer``."""
        for name, size, most in (
            ("file", len(self.content or b""), MOST_CONTENT),
            ("text", len(self.text or ""), MOST_TEXT),
            ("address", len(self.uri or ""), MOST_URI),
        ):
            if size > most:
                raise NoAnswer(f"the {name} sent to the API is larger than {most}")

    def digest(self, api: str) -> str:
        """SHA-256 of the canonical request, as the guest computes it."""
        canonical = {
            "api": api,
            "content": None if self.content is None else hashlib.sha256(self.content).hexdigest(),
            "text": self.text,
            "uri": self.uri,
            "parameters": self.parameters,
        }
        text = json.dumps(canonical, sort_keys=True, separators=(",", ":"))
        return hashlib.sha256(text.encode()).hexdigest()

    @classmethod
    def from_frame(cls, frame: object) -> Self:
        """Return the ``request`` of an ``ask`` frame from hostile code; raise ``NoAnswer``."""
        if not isinstance(frame, Mapping):
            raise NoAnswer("the question to the API is malformed")
        parts = cast("Mapping[str, Any]", frame)
        parameters = parts.get("parameters") or {}
        if not isinstance(parameters, Mapping):
            raise NoAnswer("the parameters of the question to the API are malformed")
        return cls(
            _content(parts.get("content")),
            _string(parts.get("text"), "text"),
            _string(parts.get("uri"), "uri"),
            _plain(cast("Mapping[str, Any]", parameters)),
        )


def _content(value: object) -> bytes | None:
    if value is None or isinstance(value, bytes):
        return value
    encoded = cast("Mapping[str, Any]", value).get("$bytes") if isinstance(value, Mapping) else None
    if not isinstance(encoded, str):
        raise NoAnswer("the content of the question to the API is not bytes")
    try:
        return base64.b64decode(encoded, validate=True)
    except (binascii.Error, ValueError) as error:
        raise NoAnswer("the content of the question to the API is not base64") from error


def _string(value: object, name: str) -> str | None:
    if value is None or isinstance(value, str):
        return value
    raise NoAnswer(f"the {name} of the question to the API is not a string")


def _plain(parameters: Mapping[str, Any]) -> JsonObject:
    try:
        text = json.dumps(parameters, allow_nan=False)
        if len(text) > MOST_PARAMETERS:
            raise NoAnswer("the parameters of the question to the API are too large")
        return cast("JsonObject", json.loads(text))
    except (TypeError, ValueError, RecursionError) as error:
        raise NoAnswer("the parameters of the question to the API are not JSON") from error


class Engine(Protocol):
    """Something that answers questions to ML APIs."""

    @property
    def identity(self) -> str:
        """Name and version: answers are recorded under it."""
        ...

    @property
    def local(self) -> bool:
        """Return whether it stands in the provider's place."""
        ...

    def answers(self, api: str) -> bool:
        """Return whether the API of that catalogue name is this engine's."""
        ...

    def ask(self, api: str, request: ApiRequest) -> JsonObject:
        """Return the canonical answer.  Raises ``NoAnswer``."""
        ...


class LocalEngine:
    """An engine on this machine, by a ``package``; our own part of it has a ``revision``."""

    local = True
    package: str
    apis: Container[str]
    revision = 1

    @property
    def identity(self) -> str:
        """Return package, version, and the revision of our own part."""
        return f"local-{self.package}-{_installed(self.package, self.revision)}"

    def answers(self, api: str) -> bool:
        """Return whether the engine knows how the API answers."""
        return api in self.apis


@cache
def _installed(package: str, revision: int) -> str:
    try:
        return f"{version(package)}-{revision}"
    except PackageNotFoundError:
        return "missing"


def given_text(request: ApiRequest, most: int) -> str:
    """Return the text that a local engine is asked about; raise ``NoAnswer``."""
    if request.text is None:
        raise NoAnswer("the local engine reads texts, not addresses of texts")
    if len(request.text) > most:
        raise NoAnswer(f"the local engine reads texts of at most {most} characters")
    return request.text


def expect_english(request: ApiRequest) -> None:
    """Raise ``NoAnswer`` where a text is said to be in another language."""
    asked = request.parameters.get("LanguageCode") or request.parameters.get("language")
    if asked and not str(asked).casefold().startswith("en"):
        raise NoAnswer(f"the local engine reads English, not {asked!r}")


@dataclass
class ProviderApis:
    """Whoever answers all APIs of one provider."""

    provider: str

    def answers(self, api: str) -> bool:
        """Return whether the API is the provider's."""
        return api.rpartition(".")[0] == self.provider


@dataclass
class UnavailableEngine(ProviderApis):
    """No engine for a provider's APIs; ``reason`` says what to do about it."""

    reason: str
    identity: str = "none"
    local: bool = False

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
class WithheldEngine:
    """A provider that must not be asked now; what it once answered still counts."""

    engine: Engine
    reason: str
    local: bool = False

    @property
    def identity(self) -> str:
        """Return that of the provider."""
        return self.engine.identity

    def answers(self, api: str) -> bool:
        """Return what the provider answers."""
        return self.engine.answers(api)

    def ask(self, api: str, request: ApiRequest) -> JsonObject:
        """Raises ``NotAsked``."""
        del api, request
        raise NotAsked(self.reason)
