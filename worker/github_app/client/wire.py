"""Exchanges with GitHub over requests: bounded in time and size, and only with GitHub."""

from __future__ import annotations

import time
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from typing import Any
from urllib.parse import urljoin, urlsplit

import requests
import urllib3
from github.Requester import HTTPSRequestsConnectionClass, Requester, RequestsResponse
from requests.adapters import BaseAdapter, HTTPAdapter
from typing_extensions import override

from worker.github_app.client.errors import (
    GithubError,
    MovedError,
    TooLargeError,
    UnavailableError,
    UncertainError,
)


@dataclass(frozen=True, slots=True)
class Call:
    """A request; ``writes``: sending it twice is not the same as sending it once."""

    verb: str
    url: str
    parameters: Mapping[str, Any]
    body: Any
    graphql: bool

    @property
    def writes(self) -> bool:
        """Tell a write from a GET, a query of GraphQL and a request for a token."""
        if self.graphql:
            return str(self.body["query"]).lstrip().startswith("mutation")
        return self.verb != "GET" and not self.url.endswith("/access_tokens")

    @property
    def name(self) -> str:
        """Method and path, without a query."""
        return f"{self.verb} {urlsplit(self.url).path}"

    def lost(self, why: str) -> GithubError:
        """Return the error for a request without an answer that can be used."""
        kind = UncertainError if self.writes else UnavailableError
        return kind(f"GitHub was asked for {self.name}, and {why}")


@dataclass(frozen=True, slots=True)
class Answer:
    """The status, headers (names in lower case) and text of GitHub's answer."""

    status: int
    headers: Mapping[str, str]
    text: str

    @property
    def served_at(self) -> datetime | None:
        """The time on GitHub's own clock."""
        return moment(self.headers.get("date", ""))


def moment(text: str) -> datetime | None:
    """Return an HTTP date as an aware time; ``None`` if it is none."""
    try:
        at = parsedate_to_datetime(text)
    except (ValueError, OverflowError):
        return None
    return at.replace(tzinfo=at.tzinfo or UTC)


MOST_BYTES = 32 << 20
MOST_HOPS = 3
CHUNK = 1 << 16
CONNECTIONS = 32


class Wire:
    """The connections to one API root, such as ``https://api.github.com``.

    ``timeout`` bounds, in seconds, an exchange but for its last step, and
    every step takes a part of it: GitHub gives up after 10 seconds, so most
    is left to wait for its answer.
    """

    def __init__(
        self, api_url: str, *, timeout: float, transport: BaseAdapter | None = None
    ) -> None:
        self.root = api_url.rstrip("/")
        self.timeout = timeout
        self.steps = (0.15 * timeout, 0.6 * timeout)
        self.session = requests.Session()
        self.session.auth = Requester.noopAuth
        adapter = transport or HTTPAdapter(max_retries=0, pool_maxsize=CONNECTIONS)
        for scheme in ("https://", "http://"):
            self.session.mount(scheme, adapter)

    def address(self, place: str) -> str:
        """Return where a path lies; raise ``MovedError`` for an address of another server."""
        address = urljoin(self.root, place)
        if _origin(address) != _origin(self.root):
            raise MovedError("GitHub pointed to another server, where no token is sent")
        return address


class Answered(RequestsResponse):
    """A whole answer.  PyGithub's own reads without a limit and guesses the encoding."""

    def __init__(self, response: requests.Response, content: bytes) -> None:
        super().__init__(response)
        self._content = content

    @override
    def read(self) -> str:
        """Return the answer's text."""
        return self._content.decode("utf-8", "replace")


class Connection(HTTPSRequestsConnectionClass):
    """One exchange.

    PyGithub's own connection is shared by threads and keeps the request that
    is under way in its attributes, so one thread may send another's.  It
    knows no limits of size and duration.  PyGithub follows redirects for
    ever, to other ports too, repeats a POST after 301, and takes 302, 307
    and 308 for success.
    """

    def __init__(self, wire: Wire, call: Call) -> None:
        self._wire = wire
        self._call = call
        self._deadline = time.monotonic() + wire.timeout
        self.token = ""

    @override
    def request(
        self, verb: str, url: str, input: Any, headers: dict[str, str], stream: bool = False
    ) -> None:
        """Take what to send."""
        self.verb, self.input, self.headers, self.stream = verb, input, headers, stream
        self.url = self._wire.address(url)
        self.token = headers["Authorization"].partition(" ")[2]

    @override
    def getresponse(self) -> RequestsResponse:
        """Return GitHub's answer after redirects.

        Follow those of reads, and of writes those that GitHub sends instead
        of doing the work (307, 308).  Raise ``UnavailableError``,
        ``UncertainError``, ``TooLargeError`` and ``MovedError``.
        """
        for _ in range(MOST_HOPS):
            answer = self._exchanged()
            if not 300 <= answer.status < 400:
                return answer
            self.url = self._target(answer)
        raise MovedError(f"GitHub sent {self._call.name} from address to address")

    @override
    def close(self) -> None:
        """Leave the session open: it belongs to all connections."""

    def _target(self, answer: RequestsResponse) -> str:
        followed = {307, 308} if self._call.writes else {301, 302, 307, 308}
        place = answer.headers.get("location")
        if answer.status not in followed or not place:
            told = f"GitHub answered {self._call.name} with {answer.status}"
            raise MovedError(told, status=answer.status)
        return self._wire.address(urljoin(self.url, place))

    def _exchanged(self) -> Answered:
        try:
            response = self._wire.session.request(
                self.verb,
                self.url,
                data=self.input,
                headers=self.headers,
                timeout=self._wire.steps,
                allow_redirects=False,
                stream=True,
            )
            with response:
                content = self._content(response)
        except (requests.RequestException, urllib3.exceptions.HTTPError) as error:
            raise self._failed(error) from None
        if response.status_code >= 300:
            content = content.replace(self.token.encode(), b"[secret]")
        return Answered(response, content)

    def _content(self, response: requests.Response) -> bytes:
        content = bytearray()
        while chunk := response.raw.read1(CHUNK, decode_content=True):
            content += chunk
            if len(content) > MOST_BYTES:
                kind = UncertainError if self._call.writes else TooLargeError
                raise kind(f"GitHub answered {self._call.name} with more than {MOST_BYTES} bytes")
            if time.monotonic() > self._deadline:
                raise self._call.lost("the answer came too slowly")
        return bytes(content)

    def _failed(self, error: Exception) -> GithubError:
        said = type(error).__name__
        reason = getattr(error.args[0] if error.args else None, "reason", None)
        unsent = isinstance(error, (requests.ConnectTimeout, requests.exceptions.ProxyError))
        if unsent or isinstance(reason, urllib3.exceptions.NewConnectionError):
            return UnavailableError(f"GitHub could not be reached for {self._call.name} ({said})")
        return self._call.lost(f"no whole answer came ({said})")


def _origin(url: str) -> tuple[str, str | None, int | None] | None:
    """Return scheme, host and port; ``None`` for what is no plain web address."""
    try:
        parts = urlsplit(url)
        port = parts.port
    except ValueError:
        return None
    if parts.scheme not in {"http", "https"} or not parts.hostname or "@" in parts.netloc:
        return None
    return parts.scheme, parts.hostname, port or {"http": 80, "https": 443}[parts.scheme]
