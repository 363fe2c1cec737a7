"""Questions over HTTP, with a limit on time, size and number of tries."""

from __future__ import annotations

import json
import logging
import math
import random
import re
import ssl
import threading
import time
from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from functools import cache, cached_property
from typing import Any, NoReturn, TypeAlias, cast
from urllib.parse import quote, quote_plus

import httpx

from analyzers.vocabulary import Json, JsonObject
from worker.engines.engine import ApiRequest, NotAsked, Outage, ProviderApis, Rejected
from worker.engines.providers.provider_failures import (
    BREAKERS,
    Blame,
    Breaker,
    Fault,
    OpenCircuit,
    read_fault,
)

SHORTEST = 4
_LINE = 16
_VERSION = re.compile(r"/v\d\w*$")
_IN_ADDRESS = re.compile(r"(?<=[?&]key=)[^&\s\"']+")


class Secrets:
    """The secrets that one client sends; safe for several threads."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._spellings: tuple[str, ...] = ()

    def __repr__(self) -> str:
        """Nothing of them."""
        return "Secrets(…)"

    def add(self, secret: str) -> None:
        """Know a secret in every spelling, a private key by each long word."""
        words = secret.split()
        words = words if len(words) == 1 else [word for word in words if len(word) > _LINE]
        spelt = {form for word in words for form in _forms(word) if len(form) >= SHORTEST}
        with self._lock:
            self._spellings = tuple(
                sorted({*self._spellings, *spelt}, key=lambda form: (-len(form), form))
            )

    def redacted(self, text: str) -> str:
        """Return the text with ``…`` for every secret, and for every key in an address."""
        for spelling in self._spellings:
            text = text.replace(spelling, "…")
        return _IN_ADDRESS.sub("…", text)

    def occur_in(self, content: bytes) -> bool:
        """Return whether a reply repeats a secret."""
        return any(spelling.encode() in content for spelling in self._spellings)


def redacted_address(text: str) -> str:
    """A log line about an address without the key in it."""
    return _IN_ADDRESS.sub("…", text)


def _forms(word: str) -> set[str]:
    return {word, quote(word, safe=""), quote_plus(word), json.dumps(word)[1:-1]}


TRIES = 4
FIRST_WAIT = 0.5
LONGEST_WAIT = 10.0
LONGEST_REPLY = 60.0
LONGEST_QUESTION = 120.0
MOST_BYTES = 16 * 1024 * 1024
TIMEOUT = 30.0
MOST_REDIRECTS = 3
Upload: TypeAlias = Mapping[str, tuple[str, bytes]]
USER_AGENT = "Assayer (tests pull requests of projects that use machine learning)"


class _Redacting(logging.Filter):
    def filter(self, record: logging.LogRecord) -> bool:
        record.msg, record.args = redacted_address(record.getMessage()), ()
        return True


logging.getLogger("httpx").addFilter(_Redacting())
logging.getLogger("httpcore").setLevel(logging.WARNING)  # it would log headers


class Forbidden(httpx.TransportError):
    """An address that must not be asked, and why; asking again would not help."""


@dataclass(slots=True)
class Http:
    """One service, asked again after broken connections and errors of the moment (429, 5xx).

    A server that fails repeatedly is left alone for a while (``Breaker``).  ``redirects``, at most
    three, are followed only without a secret; ``secrets`` are never repeated, and an answer that
    repeats one is none; ``faults`` reads an error (status, body) in the provider's form.
    """

    name: str
    wait: Callable[[float], None] = time.sleep
    tries: int = TRIES
    timeout: float = TIMEOUT
    redirects: bool = False
    transport: httpx.BaseTransport | None = field(default=None, repr=False)
    secrets: Secrets = field(default_factory=Secrets, repr=False)
    faults: Callable[[int, bytes], Fault] = field(default=read_fault, repr=False)
    _client: httpx.Client | None = field(default=None, repr=False)

    def value(
        self,
        url: str,
        body: JsonObject | bytes,
        headers: Mapping[str, str],
        query: Mapping[str, str] | None = None,
    ) -> Json:
        """The JSON that answers a JSON object, or bytes as they are.  Raises as :meth:`post`."""
        content = body if isinstance(body, bytes) else None
        json_body = None if isinstance(body, bytes) else body
        request = self._opened().build_request(
            "POST", url, content=content, json=json_body, params=query, headers=headers
        )
        return self._value(request)

    def post(
        self,
        url: str,
        body: JsonObject | bytes,
        query: Mapping[str, str],
        headers: Mapping[str, str],
    ) -> JsonObject:
        """Return the JSON answer; raise ``Outage`` (naming no secret) and ``Rejected``."""
        return as_object(self.value(url, body, headers, query), self.name)

    def upload(
        self,
        url: str,
        file: Upload,
        fields: Mapping[str, Any],
        headers: Mapping[str, str],
        query: Mapping[str, str] | None = None,
    ) -> JsonObject:
        """Return the JSON object that answers a form with a file.  Raises as :meth:`post`."""
        request = self._opened().build_request(
            "POST", url, files=file, data=fields, headers=headers, params=query or None
        )
        return self._answer(request)

    def _answer(self, request: httpx.Request) -> JsonObject:
        return as_object(self._value(request), self.name)

    def _value(self, request: httpx.Request) -> Json:
        answer = json_value(self.send(request), self.name)
        if self.secrets.occur_in(json.dumps(answer, ensure_ascii=False).encode(errors="replace")):
            raise Outage(f"{self.name} gave no answer: it would repeat the credential")
        return answer

    def get(self, url: str, query: Mapping[str, str], headers: Mapping[str, str]) -> bytes:
        """Return the bytes at an address.  Raises ``Outage`` as :meth:`post`."""
        client = self._opened()
        return self.send(client.build_request("GET", url, params=query or None, headers=headers))

    def send(self, request: httpx.Request) -> bytes:
        """Return the body of the first good answer.  Raises as :meth:`post`."""
        breaker = BREAKERS.of(self.name, request.url.netloc.decode())
        deadline = time.monotonic() + LONGEST_QUESTION
        problem = ""
        for attempt in range(self.tries):
            try:
                breaker.admit()
            except OpenCircuit as circuit:
                problem = str(circuit)
                break
            reply = self._tried(request)
            if reply.problem is None:
                breaker.succeeded()
                return reply.content
            problem = self._failed(reply, breaker)
            pause = max(FIRST_WAIT * 2**attempt * random.uniform(0.8, 1.2), reply.wait)  # noqa: S311
            late = time.monotonic() + pause > deadline
            if attempt == self.tries - 1 or not reply.again or pause > LONGEST_WAIT or late:
                break
            self.wait(pause)
        raise Outage(f"{self.name} gave no answer: {problem}")

    def _failed(self, reply: _Reply, breaker: Breaker) -> str:
        fault = reply.fault
        said = self.secrets.redacted(fault.message)[:300] if fault else ""
        problem = f"{reply.problem}: {said}" if said else str(reply.problem)
        if fault and fault.blame is Blame.QUESTION:
            breaker.succeeded()
            raise Rejected(f"{self.name} rejected the question: {problem}", fault.code, said)
        breaker.failed(problem, reply.wait)
        return problem

    def _tried(self, request: httpx.Request) -> _Reply:
        """One try; whatever happens is a reply."""
        try:
            return self._once(request)
        except Forbidden as error:
            return _Reply(problem=str(error))
        except httpx.HTTPError as error:
            return _Reply(problem=type(error).__name__, again=True)

    def _once(self, request: httpx.Request) -> _Reply:
        deadline = time.monotonic() + LONGEST_REPLY
        content = bytearray()
        response = self._opened().send(request, stream=True, follow_redirects=self.redirects)
        try:
            for chunk in response.iter_bytes():
                content += chunk
                if len(content) > MOST_BYTES:
                    return _Reply(problem=f"it sent more than {MOST_BYTES} bytes")
                if time.monotonic() > deadline:
                    return _Reply(problem="it answered too slowly", again=True)
        finally:
            response.close()
        return self._judged(response, bytes(content))

    def _judged(self, response: httpx.Response, content: bytes) -> _Reply:
        status = response.status_code
        if status >= 300:
            fault = self.faults(status, content)
            again = fault.blame is Blame.MOMENT
            wait = _wait(response.headers) if again else 0.0
            return _Reply(content, f"HTTP {status}", wait, again=again, fault=fault)
        if self.secrets.occur_in(content):
            return _Reply(problem="its answer repeats the credential")
        return _Reply(content)

    def _opened(self) -> httpx.Client:
        if self._client is None:
            self._client = httpx.Client(
                timeout=self.timeout,
                headers={"user-agent": USER_AGENT},
                transport=self.transport,
                max_redirects=MOST_REDIRECTS,
                verify=_trusted(),
            )
        return self._client


@cache
def _trusted() -> ssl.SSLContext:
    """Whom we trust, read once: it takes ten milliseconds and more."""
    return httpx.create_ssl_context()


@dataclass(frozen=True, slots=True)
class _Reply:
    """The end of a try; ``wait``: the seconds that the server asks to be left alone."""

    content: bytes = b""
    problem: str | None = None
    wait: float = 0.0
    again: bool = False
    fault: Fault | None = None


def _wait(headers: httpx.Headers) -> float:
    """The seconds of a ``Retry-After``, which may be a number or a date (RFC 9110, 10.2.3)."""
    asked = headers.get("retry-after", "")
    try:
        seconds = float(asked)
    except ValueError:
        try:
            moment = parsedate_to_datetime(asked)
        except ValueError:
            return 0.0
        seconds = (moment.replace(tzinfo=moment.tzinfo or UTC) - datetime.now(UTC)).total_seconds()
    return max(0.0, seconds) if math.isfinite(seconds) else 0.0


def json_object(content: bytes, name: str) -> JsonObject:
    """Return the JSON object in a reply of the server ``name``.  Raises ``Outage``."""
    return as_object(json_value(content, name), name)


def json_value(content: bytes, name: str) -> Json:
    """Return the JSON in a reply of the server ``name``.  Raises ``Outage``."""
    try:
        return cast("Json", json.loads(content, parse_constant=_refuse))
    except (ValueError, RecursionError) as error:
        raise Outage(f"{name} answered with something that is not JSON") from error


def as_object(value: Json, name: str) -> JsonObject:
    """Return the JSON that is to be an object.  Raises ``Outage``."""
    if not isinstance(value, dict):
        raise Outage(f"{name} answered with JSON that is no object")
    return cast("JsonObject", value)


def _refuse(constant: str) -> NoReturn:
    raise ValueError(f"{constant} is not JSON")


@dataclass
class ProviderEngine(ProviderApis, ABC):
    """A provider asked at ``endpoint``; without ``credentials`` no key is sent.

    They are read when the first question is asked.  Only with ``uris`` are addresses passed on:
    the service would fetch them, with the operator's rights.
    """

    endpoint: str
    credentials: Callable[[], str] | None = field(default=None, repr=False)
    http: Http = field(default_factory=lambda: Http("the provider"), repr=False)
    uris: bool = False
    local = False
    versioned = False

    @property
    def identity(self) -> str:
        """Service and address, part of every recording's key."""
        return f"{self.provider}@{self.base}"

    @property
    def base(self) -> str:
        """The address below which it is asked, with a version where it is ``versioned``."""
        base = self.endpoint.rstrip("/")
        return base if not self.versioned or _VERSION.search(base) else f"{base}/v1"

    @abstractmethod
    def ask(self, api: str, request: ApiRequest) -> JsonObject:
        """Return the canonical answer; raise ``NoAnswer``."""

    def expect_uris(self) -> None:
        """Raise ``NotAsked`` where the service may not fetch addresses."""
        if not self.uris:
            raise NotAsked(
                f"{self.provider} would fetch the address that the code sends: allow it by"
                f' [engines."{self.provider}"] uris = true'
            )

    def authorisation(self, key: str) -> dict[str, str]:
        """Return the header that says who asks."""
        return {"authorization": f"Bearer {key}"}

    @cached_property
    def _key(self) -> dict[str, str]:
        if self.credentials is None:
            return {}
        key = self.credentials()
        self.http.secrets.add(key)
        return self.authorisation(key)
