"""Questions over HTTP, with a limit on time, size and number of tries."""

from __future__ import annotations

import json
import logging
import random
import re
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, cast

import httpx

from analyzers.vocabulary import JsonObject
from worker.engines.request import Outage

TRIES = 4
FIRST_WAIT = 0.5
LONGEST_WAIT = 10.0
LONGEST_REPLY = 60.0
REST = 30.0
MOST_BYTES = 16 * 1024 * 1024
TIMEOUT = 30.0
_AGAIN = frozenset({408, 429, 500, 502, 503, 504})
_SECRET = re.compile(r"(?<=[?&]key=)[^&\s\"']+")
USER_AGENT = "Assayer (tests pull requests of projects that use machine learning)"


class _Redacting(logging.Filter):
    """Takes keys out of the addresses that httpx logs."""

    def filter(self, record: logging.LogRecord) -> bool:
        record.msg, record.args = _SECRET.sub("…", record.getMessage()), ()
        return True


logging.getLogger("httpx").addFilter(_Redacting())


@dataclass(slots=True)
class Http:
    """One server, asked again after 429, 5xx and broken connections.

    One that gave no answer after all tries is left alone for ``REST`` seconds:
    whoever has many questions need not wait for each.
    ``name`` says in messages who is asked; ``wait`` sleeps (seconds);
    ``redirects`` are followed only where no secret is sent.
    """

    name: str
    wait: Callable[[float], None] = time.sleep
    tries: int = TRIES
    timeout: float = TIMEOUT
    redirects: bool = False
    _client: httpx.Client | None = field(default=None, repr=False)
    _resting: dict[str, tuple[float, str]] = field(
        default_factory=dict[str, tuple[float, str]], repr=False
    )

    def post(
        self, url: str, body: JsonObject, query: Mapping[str, str], headers: Mapping[str, str]
    ) -> JsonObject:
        """The JSON object that answers a JSON object.

        Raises:
            Outage: no usable answer after all tries; neither the address
                nor a secret is part of the message.

        """
        request = self._opened().build_request(
            "POST", url, json=body, params=query, headers=headers
        )
        return json_object(self.send(request), self.name)

    def get(self, url: str, query: Mapping[str, str], headers: Mapping[str, str]) -> bytes:
        """The bytes at an address.  Raises ``Outage`` as :meth:`post`."""
        client = self._opened()
        return self.send(client.build_request("GET", url, params=query or None, headers=headers))

    def send(self, request: httpx.Request) -> bytes:
        """The body of the first good answer.  Raises ``Outage``."""
        until, problem = self._resting.get(request.url.netloc.decode(), (0.0, ""))
        if time.monotonic() < until:
            raise Outage(f"{self.name} gave no answer: {problem}")
        for attempt in range(self.tries):
            pause = FIRST_WAIT * 2**attempt * random.uniform(0.8, 1.2)  # noqa: S311
            try:
                reply = self._once(request)
            except httpx.HTTPError as error:
                problem = type(error).__name__
            else:
                if reply.status < 300:
                    return reply.content
                problem = f"HTTP {reply.status}{_explained(reply.content)}"
                pause = max(pause, reply.wait)
                if reply.status not in _AGAIN or pause > LONGEST_WAIT:
                    break
            if attempt < self.tries - 1:
                self.wait(pause)
        else:
            self._resting[request.url.netloc.decode()] = time.monotonic() + REST, problem
        raise Outage(f"{self.name} gave no answer: {problem}")

    def _once(self, request: httpx.Request) -> _Reply:
        deadline = time.monotonic() + LONGEST_REPLY
        content = bytearray()
        response = self._opened().send(request, stream=True, follow_redirects=self.redirects)
        try:
            for chunk in response.iter_bytes():
                content += chunk
                if len(content) > MOST_BYTES:
                    raise Outage(f"{self.name} sent more than {MOST_BYTES} bytes")
                if time.monotonic() > deadline:
                    raise httpx.ReadTimeout("too slow", request=request)
        finally:
            response.close()
        return _Reply(response.status_code, _wait(response.headers), bytes(content))

    def _opened(self) -> httpx.Client:
        if self._client is None:
            self._client = httpx.Client(timeout=self.timeout, headers={"user-agent": USER_AGENT})
        return self._client


@dataclass(frozen=True, slots=True)
class _Reply:
    """``wait``: the seconds that the server asks to wait before the next try."""

    status: int
    wait: float
    content: bytes


def _wait(headers: httpx.Headers) -> float:
    try:
        return max(0.0, float(headers.get("retry-after", "0")))
    except ValueError:
        return 0.0


def json_object(content: bytes, name: str) -> JsonObject:
    """The JSON object in a reply of the server ``name``.  Raises ``Outage``."""
    try:
        value = json.loads(content)
    except (ValueError, RecursionError) as error:
        raise Outage(f"{name} answered with something that is not JSON") from error
    if not isinstance(value, dict):
        raise Outage(f"{name} answered with JSON that is no object")
    return cast("JsonObject", value)


def _explained(content: bytes) -> str:
    """The message of an error in Google's form, shortened."""
    try:
        message: Any = json.loads(content)["error"]["message"]
    except (ValueError, LookupError, TypeError, RecursionError):
        return ""
    return f": {_SECRET.sub('…', str(message))[:300]}"
