"""Asking GitHub: reads are repeated, writes are sent once."""

from __future__ import annotations

import json
import random
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from time import monotonic, sleep
from typing import Any, cast
from urllib.parse import urlencode

import httpx
from pydantic import SecretStr

from worker.github_app.client.calls import DIFF, JSON, Answer, Call, Json
from worker.github_app.client.credentials import Credentials
from worker.github_app.client.errors import (
    GithubError,
    RateLimitedError,
    TooLargeError,
    UnauthorizedError,
    UnavailableError,
    UncertainError,
)
from worker.github_app.client.faults import fault
from worker.github_app.client.limits import Brake, Clock, utc_now
from worker.github_app.client.wire import Wire

TRIES = 4
FIRST_WAIT = 0.5
PER_PAGE = 100
MOST_PAGES = 100

Params = Mapping[str, "str | int | None"]
Count = Callable[[str, str], None]


def ignored(method: str, outcome: str) -> None:
    """Counts nothing: the hook of an ``Api`` that nobody measures."""


@dataclass(frozen=True)
class Surroundings:
    """What calls share, and what tests put in place of it.

    ``count`` is told of every request: its method and ``"ok"`` or the
    ``outcome`` of its error.
    """

    wire: Wire
    clock: Clock = utc_now
    sleep: Callable[[float], None] = sleep
    count: Count = ignored


class Api:
    """GitHub, asked with one kind of token.  Threads may share it.

    Every method raises ``GithubError``; see ``worker.github_app.client.errors`` for
    what each kind asks for.  Paths start with ``/`` and are already quoted;
    a full address must lie at the same origin.  A write starts within
    ``[github] timeout`` seconds and is over, one way or the other, within
    three times that.
    """

    def __init__(self, around: Surroundings, credentials: Credentials, brake: Brake) -> None:
        self._around = around
        self._credentials = credentials
        self._brake = brake

    def get(self, path: str, params: Params | None = None) -> Json:
        """What lies at ``path``, asked up to four times."""
        return _json(*self._asked("GET", _with_query(path, params)))

    def diff(self, path: str) -> str:
        """A pull request or commit as a diff; ``TooLargeError`` where GitHub has a limit."""
        _, answer = self._asked("GET", path, accept=DIFF)
        return answer.content.decode("utf-8", "replace")

    def post(self, path: str, body: Json = None) -> Json:
        """Create something; sent once."""
        return _json(*self._asked("POST", path, body, writes=True))

    def patch(self, path: str, body: Json) -> Json:
        """Change something; sent once."""
        return _json(*self._asked("PATCH", path, body, writes=True))

    def put(self, path: str, body: Json) -> Json:
        """Put something in place; sent once."""
        return _json(*self._asked("PUT", path, body, writes=True))

    def delete(self, path: str) -> None:
        """Remove something; sent once."""
        self._asked("DELETE", path, writes=True)

    def repeatable_post(self, path: str, body: Json = None) -> Json:
        """A POST that does no harm when it is done twice; repeated like a read."""
        return _json(*self._asked("POST", path, body))

    def pages(
        self,
        path: str,
        params: Params | None = None,
        *,
        key: str | None = None,
        most: int = MOST_PAGES,
    ) -> Iterator[Json]:
        """The entries of all pages, 100 a page; ``key`` names the list in each page.

        Raises ``TooLargeError`` past ``most`` pages, ``MovedError`` where
        the next page would lie elsewhere.
        """
        place = _with_query(path, {"per_page": PER_PAGE, **(params or {})})
        for _ in range(most):
            call, answer = self._asked("GET", place)
            yield from _entries(_json(call, answer), key, call)
            following = _next(answer)
            if following is None:
                return
            place = following
        raise TooLargeError(f"GitHub has more than {most} pages of {path}")

    def graphql(self, query: str, variables: Mapping[str, Json]) -> dict[str, Any]:
        """The ``data`` of a query (repeated like a read) or a mutation (sent once)."""
        call = Call(
            "POST",
            "/graphql",
            self._around.wire.graphql,
            writes=query.lstrip().startswith("mutation"),
            body={"query": query, "variables": dict(variables)},
            graphql=True,
        )
        document = _json(call, self._answer(call))
        data = document.get("data") if isinstance(document, dict) else None
        if not isinstance(data, dict):
            raise _unusable(call, "without data")
        return cast("dict[str, Any]", data)

    def _asked(
        self,
        method: str,
        place: str,
        body: Json = None,
        *,
        writes: bool = False,
        accept: str = JSON,
    ) -> tuple[Call, Answer]:
        url = self._around.wire.url(place)
        path = place if place.startswith("/") else httpx.URL(place).path
        call = Call(method, path, url, writes, body, accept)
        return call, self._answer(call)

    def _answer(self, call: Call) -> Answer:
        for attempt in range(0 if call.writes else TRIES - 1):
            try:
                return self._authorized(call)
            except UnavailableError:
                wait = FIRST_WAIT * 2**attempt * random.uniform(0.8, 1.2)  # noqa: S311
                self._around.sleep(wait)
        return self._authorized(call)

    def _authorized(self, call: Call) -> Answer:
        """The answer; a token that is refused is renewed once (a refused call did nothing)."""
        self._brake.check()
        started = monotonic()
        token = self._credentials.token()
        try:
            return self._once(call, token, started)
        except UnauthorizedError as refused:
            fresh = self._credentials.renewed(token, refused.served_at)
            if fresh is None:
                raise self._hopeless(refused) from None
        try:
            return self._once(call, fresh, started)
        except UnauthorizedError as refused:
            raise self._hopeless(refused) from None

    def _hopeless(self, refused: UnauthorizedError) -> UnauthorizedError:
        return UnauthorizedError(
            refused.message,
            status=refused.status,
            remedy=self._credentials.remedy,
            served_at=refused.served_at,
        )

    def _once(self, call: Call, token: SecretStr, started: float) -> Answer:
        if call.writes and monotonic() - started > self._around.wire.timeout:
            raise UnavailableError(f"{call.name} was not sent: a token came too late")
        try:
            answer = self._around.wire.exchange(call, token)
        except GithubError as error:
            raise self._judged(error, call) from None
        wrong = fault(call, answer, self._around.clock())
        if wrong is not None:
            raise self._judged(wrong, call)
        self._brake.release()
        self._around.count(call.method, "ok")
        return answer

    def _judged(self, error: GithubError, call: Call) -> GithubError:
        self._around.count(call.method, error.outcome)
        return self._brake.hold(error) if isinstance(error, RateLimitedError) else error


def _with_query(path: str, params: Params | None) -> str:
    given = {name: value for name, value in (params or {}).items() if value is not None}
    return f"{path}?{urlencode(given)}" if given else path


def _json(call: Call, answer: Answer) -> Json:
    if not answer.content.strip():
        return None
    try:
        return cast("Json", json.loads(answer.content))
    except (ValueError, RecursionError):
        raise _unusable(call, "with something that is not JSON") from None


def _unusable(call: Call, how: str) -> GithubError:
    kind = UncertainError if call.writes else UnavailableError
    return kind(f"GitHub answered {call.name} {how}")


def _entries(page: Json, key: str | None, call: Call) -> list[Json]:
    entries = page.get(key) if key is not None and isinstance(page, dict) else page
    if not isinstance(entries, list):
        raise _unusable(call, "with no list")
    return entries


def _next(answer: Answer) -> str | None:
    """The next page's address, of a ``Link`` header (RFC 8288)."""
    header = {"link": answer.headers.get("link", "")}
    return httpx.Response(200, headers=header).links.get("next", {}).get("url")
