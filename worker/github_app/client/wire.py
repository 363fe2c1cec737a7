"""Sends one request and takes one bounded answer; a token stays at its origin."""

from __future__ import annotations

import json
import threading
import time
from dataclasses import replace

import httpx
from pydantic import SecretStr

from worker.github_app.client.calls import Answer, Call
from worker.github_app.client.errors import (
    GithubError,
    MovedError,
    TooLargeError,
    UnavailableError,
    UncertainError,
)

API_VERSION = "2022-11-28"
USER_AGENT = "assayer"
MOST_BYTES = 32 << 20
MOST_HOPS = 3

# nothing of the request had left us
NOT_SENT = (
    httpx.ConnectError,
    httpx.ConnectTimeout,
    httpx.PoolTimeout,
    httpx.UnsupportedProtocol,
    httpx.ProxyError,
)


class Wire:
    """The way to one API root, such as ``https://api.github.com``.

    ``timeout`` bounds, in seconds, the whole exchange but for its last step,
    and every step takes a part of it.
    """

    def __init__(
        self, api_url: str, *, timeout: float, transport: httpx.BaseTransport | None = None
    ) -> None:
        self.root = api_url.rstrip("/")
        self._origin = origin(self.root)
        self.timeout = timeout
        self._transport = transport
        self._client: httpx.Client | None = None
        self._lock = threading.Lock()

    def url(self, path: str) -> str:
        """Where a path lies; a full address must be of our origin (``MovedError``)."""
        if path.startswith("/") and not path.startswith("//"):
            return self.root + path
        if origin(path) != self._origin:
            raise MovedError("GitHub pointed to another server, where no token is sent")
        return path

    @property
    def graphql(self) -> str:
        """The address of GraphQL, on github.com or on a server of its own."""
        return self.root.removesuffix("/v3") + "/graphql"

    def exchange(self, call: Call, token: SecretStr) -> Answer:
        """The answer to a call, after redirections that it may follow.

        Reads follow them at the same origin; writes only those that GitHub
        sends *instead of* doing the work (307, 308).  Raises
        ``UnavailableError``, ``UncertainError``, ``TooLargeError``,
        ``MovedError``.
        """
        for _ in range(MOST_HOPS):
            answer = _without(token, self._once(call, token))
            target = self._target(call, answer)
            if target is None:
                return answer
            call = replace(call, url=target)
        raise MovedError(f"GitHub sent {call.name} from address to address")

    def _target(self, call: Call, answer: Answer) -> str | None:
        followed = {307, 308} if call.writes else {301, 302, 307, 308}
        place = answer.headers.get("location")
        if answer.status not in followed or not place:
            return None
        return self.url(str(httpx.URL(call.url).join(place)))

    def _once(self, call: Call, token: SecretStr) -> Answer:
        request = self._request(call, token)
        try:
            return self._received(call, request)
        except NOT_SENT as error:
            raise UnavailableError(
                f"GitHub could not be reached for {call.name} ({type(error).__name__})"
            ) from None
        except httpx.HTTPError as error:
            raise _lost(call, f"no whole answer came ({type(error).__name__})") from None

    def _received(self, call: Call, request: httpx.Request) -> Answer:
        deadline = time.monotonic() + self.timeout
        response = self._opened().send(request, stream=True, follow_redirects=False)
        content = bytearray()
        try:
            for chunk in response.iter_bytes():
                content += chunk
                if len(content) > MOST_BYTES:
                    raise _oversized(call)
                if time.monotonic() > deadline:
                    raise _lost(call, "the answer came too slowly")
        finally:
            response.close()
        return Answer(response.status_code, response.headers, bytes(content))

    def _request(self, call: Call, token: SecretStr) -> httpx.Request:
        headers = {
            "accept": call.accept,
            "authorization": f"Bearer {token.get_secret_value()}",
            "x-github-api-version": API_VERSION,
        }
        content = None
        if call.body is not None:
            headers["content-type"] = "application/json"
            content = json.dumps(call.body).encode()
        return self._opened().build_request(call.method, call.url, headers=headers, content=content)

    def _opened(self) -> httpx.Client:
        with self._lock:
            if self._client is None:
                self._client = httpx.Client(
                    timeout=_steps(self.timeout),
                    headers={"user-agent": USER_AGENT},
                    transport=self._transport,
                )
            return self._client

    def close(self) -> None:
        """Close the connections; a later call opens new ones."""
        with self._lock:
            if self._client is not None:
                self._client.close()
                self._client = None


def origin(url: str) -> tuple[str, str, int | None] | None:
    """Scheme, host and port; ``None`` for what is no plain web address."""
    try:
        parsed = httpx.URL(url)
    except httpx.InvalidURL:
        return None
    if parsed.scheme not in {"http", "https"} or not parsed.host or parsed.userinfo:
        return None
    return parsed.scheme, parsed.host, parsed.port


def _steps(timeout: float) -> httpx.Timeout:
    """GitHub gives up after 10 seconds: more than half is for waiting for its answer."""
    return httpx.Timeout(
        connect=0.15 * timeout, pool=0.1 * timeout, write=0.15 * timeout, read=0.6 * timeout
    )


def _without(token: SecretStr, answer: Answer) -> Answer:
    """An error's answer that repeats the token, without it: its words go into messages."""
    secret = token.get_secret_value().encode()
    if answer.status < 300 or secret not in answer.content:
        return answer
    return replace(answer, content=answer.content.replace(secret, b"[secret]"))


def _lost(call: Call, why: str) -> GithubError:
    kind = UncertainError if call.writes else UnavailableError
    return kind(f"GitHub was asked for {call.name}, and {why}")


def _oversized(call: Call) -> GithubError:
    kind = UncertainError if call.writes else TooLargeError
    return kind(f"GitHub answered {call.name} with more than {MOST_BYTES} bytes")
