"""GitHub as PyGithub asks it: reads are repeated, writes are sent once."""

from __future__ import annotations

import json
import logging
import math
import random
from collections.abc import Callable
from dataclasses import dataclass
from time import monotonic, sleep
from typing import Any
from urllib.parse import quote

from github.Repository import Repository
from github.Requester import Requester
from typing_extensions import override

from worker.github_app.client.credentials import Credentials
from worker.github_app.client.errors import (
    GithubError,
    RateLimitedError,
    UnauthorizedError,
    UnavailableError,
)
from worker.github_app.client.faults import fault
from worker.github_app.client.limits import Brake, Clock, utc_now
from worker.github_app.client.wire import Answer, Call, Connection, Wire

TRIES = 4
FIRST_WAIT = 0.5
PER_PAGE = 100
MEDIA_TYPE = "application/vnd.github+json"
API_VERSION = "2022-11-28"
USER_AGENT = "assayer"

Count = Callable[[str, str], None]


# PyGithub logs answers at DEBUG, and an answer may be a token
_SILENT = logging.Logger("github", level=logging.CRITICAL + 1)


def quoted(text: str) -> str:
    """Return one segment of a path, or a whole name with its slashes escaped."""
    return quote(text, safe="")


def ignored(method: str, outcome: str) -> None:
    """Count nothing: the hook of an ``Api`` that nobody measures."""


@dataclass(frozen=True)
class Surroundings:
    """The dependencies that calls share, and that tests replace.

    ``count`` is told of every request: its method and ``"ok"`` or the
    ``outcome`` of its error.
    """

    wire: Wire
    clock: Clock = utc_now
    sleep: Callable[[float], None] = sleep
    count: Count = ignored


class Api(Requester):
    """PyGithub's requester with one kind of token.  Threads may share it.

    Every request of PyGithub's objects goes through ``requestJsonAndCheck``,
    which raises ``GithubError``; see ``worker.github_app.client.errors`` for what each
    kind asks for.  PyGithub's own retry covers no answer that breaks off and
    knows no query of GraphQL, so reads are repeated here, and it is off.  A
    write starts within ``[github] timeout`` seconds and is over, one way or
    the other, within three times that.
    """

    def __init__(self, around: Surroundings, credentials: Credentials, brake: Brake) -> None:
        super().__init__(
            auth=credentials,
            base_url=around.wire.root,
            timeout=math.ceil(around.wire.timeout),
            user_agent=USER_AGENT,
            per_page=PER_PAGE,
            verify=True,
            retry=0,
            pool_size=None,
            lazy=True,
            api_version=API_VERSION,
        )
        self._around = around
        self._credentials = credentials
        self._brake = brake

    def repository(self, full_name: str) -> Repository:
        """Return a repository that nobody asked GitHub about yet.

        Raise ``ValueError`` for what is no ``owner/name``.
        """
        owner, _, name = full_name.partition("/")
        if not owner or not name or "/" in name or {owner, name} & {".", ".."}:
            raise ValueError(f"not the name of a repository: {full_name!r}")
        return Repository(self, url=f"/repos/{quoted(owner)}/{quoted(name)}")

    def send(self, verb: str, path: str, body: Any = None) -> Any:
        """Return GitHub's answer where PyGithub has no method for it."""
        return self.requestJsonAndCheck(verb, path, input=body)[1]

    @override
    def requestJsonAndCheck(
        self,
        verb: str,
        url: str,
        parameters: dict[str, Any] | None = None,
        headers: dict[str, str] | None = None,
        input: Any | None = None,
        follow_302_redirect: bool = False,
    ) -> tuple[dict[str, Any], Any]:
        """Return headers and content of GitHub's answer; raise ``GithubError``.

        ``headers`` only ever name previews that are over.
        """
        if not url.startswith("/"):
            self._around.wire.address(url)
        call = Call(verb, url, parameters or {}, input, url == self.graphql_url)
        for attempt in range(0 if call.writes else TRIES - 1):
            try:
                return self._authorized(call)
            except UnavailableError:
                wait = FIRST_WAIT * 2**attempt * random.uniform(0.8, 1.2)  # noqa: S311
                self._around.sleep(wait)
        return self._authorized(call)

    def _authorized(self, call: Call) -> tuple[dict[str, Any], Any]:
        """Return the answer; renew a refused token once (a refused call did nothing)."""
        self._brake.check()
        started = monotonic()
        token = self._credentials.token
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
        remedy = self._credentials.remedy
        return UnauthorizedError(refused.message, status=refused.status, remedy=remedy)

    def _once(self, call: Call, token: str, started: float) -> tuple[dict[str, Any], Any]:
        if call.writes and monotonic() - started > self._around.wire.timeout:
            raise UnavailableError(f"{call.name} was not sent: a token came too late")
        try:
            told = self._told(call, token)
        except GithubError as error:
            self._around.count(call.verb, error.outcome)
            if isinstance(error, RateLimitedError):
                self._brake.hold(error)
            raise
        self._brake.release()
        self._around.count(call.verb, "ok")
        return told

    def _told(self, call: Call, token: str) -> tuple[dict[str, Any], Any]:
        """Return headers and content of one good answer."""
        headers = {"Accept": MEDIA_TYPE, "Authorization": f"Bearer {token}"}
        connection = Connection(self._around.wire, call)
        try:
            answer = Answer(
                *self.requestJson(
                    call.verb, call.url, dict(call.parameters), headers, call.body, connection
                )
            )
        except ValueError:
            raise call.lost("it answered with headers that are no numbers") from None
        wrong = fault(call, answer, self._around.clock())
        if wrong is not None:
            raise wrong
        return dict(answer.headers), _content(call, answer)


def _content(call: Call, answer: Answer) -> Any:
    """Return an answer's JSON: an object, or a list to a read."""
    if answer.status in {202, 204} and not answer.text.strip():
        return None
    try:
        content = json.loads(answer.text)
    except (ValueError, RecursionError):
        raise call.lost("it answered with something that is not JSON") from None
    if not isinstance(content, dict | list if call.verb == "GET" else dict):
        raise call.lost("it answered with something else than it describes")
    if call.graphql and not (isinstance(content, dict) and isinstance(content.get("data"), dict)):
        raise call.lost("it answered without data")
    return content


Api.injectLogger(_SILENT)
