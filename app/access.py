"""Access of visitors to runs."""

from __future__ import annotations

import hashlib
import hmac
import threading
import time
from collections import OrderedDict, deque
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from http import HTTPStatus

from flask import Request
from werkzeug.datastructures import WWWAuthenticate
from werkzeug.exceptions import Forbidden, TooManyRequests, Unauthorized

from app.github_login import GithubLogin
from worker.errors import UsageError
from worker.report.page_links import LinkSigner

MAX_FAILURES = 10
WINDOW_SECONDS = 60.0
MAX_ADDRESSES = 1000


class TooManyFailuresError(Exception):
    """An address has failed too often; ``seconds`` until it may try again."""

    def __init__(self, seconds: float) -> None:
        super().__init__(f"too many failed logins; try again in {seconds:.0f} s")
        self.seconds = seconds


class Operators:
    """The people who may see every page.

    ``lines`` are ``user:password``, one a line; empty lines and those that
    start with ``#`` are left out.  Raises ``UsageError`` for any other,
    without repeating it.
    """

    def __init__(self, lines: str, clock: Callable[[], float] = time.monotonic) -> None:
        self._known = tuple(_digest(*pair) for pair in _pairs(lines.splitlines()))
        self._failures = LoginFailures(clock)

    def admit(self, user: str, password: str, address: str) -> bool:
        """Tell whether the two belong to an operator, in constant time.

        Raises ``TooManyFailuresError`` where ``address`` has failed ten times
        within a minute, whatever it says.
        """
        self._failures.check(address)
        said = _digest(user, password)
        admitted = any([hmac.compare_digest(known, said) for known in self._known])  # noqa: C419 every one is compared
        if not admitted:
            self._failures.note(address)
        return admitted


class LoginFailures:
    """The times of recent failures of each address."""

    def __init__(self, clock: Callable[[], float]) -> None:
        self._clock = clock
        self._lock = threading.Lock()
        self._moments: OrderedDict[str, deque[float]] = OrderedDict()

    def check(self, address: str) -> None:
        """Raise ``TooManyFailuresError`` for an address that must wait."""
        now = self._clock()
        with self._lock:
            moments = self._moments.get(address, deque[float]())
            while moments and moments[0] <= now - WINDOW_SECONDS:
                moments.popleft()
            if len(moments) >= MAX_FAILURES:
                raise TooManyFailuresError(moments[0] + WINDOW_SECONDS - now)

    def note(self, address: str) -> None:
        """Note a failure, now; the addresses that failed longest ago are forgotten."""
        with self._lock:
            self._moments.setdefault(address, deque(maxlen=MAX_FAILURES)).append(self._clock())
            self._moments.move_to_end(address)
            while len(self._moments) > MAX_ADDRESSES:
                self._moments.popitem(last=False)


def _pairs(lines: Iterable[str]) -> list[tuple[str, str]]:
    written = [line.strip() for line in lines]
    pairs = [line.partition(":") for line in written if line and not line.startswith("#")]
    if not all(user and password for user, _, password in pairs):
        raise UsageError("a line of the operators is not user:password", key="app.access")
    return [(user, password) for user, _, password in pairs]


def _digest(user: str, password: str) -> bytes:
    return hashlib.sha256(f"{user}:{password}".encode("utf-8", "surrogatepass")).digest()


LOGIN = "login"
"""The query that asks for an operator's login."""


@dataclass(frozen=True, slots=True)
class Access:
    """Signed links, operators' tokens and their logins by GitHub; ``None``: not configured."""

    links: LinkSigner | None = None
    operators: Operators | None = None
    github: GithubLogin | None = None

    def require(self, run_id: str, request: Request) -> None:
        """Return when the request may see a private run, or end it with 401, 403 or 429."""
        if self._is_linked(run_id, request) or self.is_operator(request):
            return
        raise Forbidden

    def is_operator(self, request: Request) -> bool:
        """Tell whether an operator asks; ends a wrong login, or one asked for, with 401."""
        if self.github is not None and self.github.signed_in():
            return True
        given = request.authorization
        if self.operators is None:
            return False
        if given is None or given.type != "basic":
            if LOGIN in request.args:
                raise _challenge()
            return False
        try:
            admitted = self.operators.admit(
                given.username or "", given.password or "", request.remote_addr or ""
            )
        except TooManyFailuresError as error:
            raise TooManyRequests(retry_after=int(error.seconds) + 1) from error
        if not admitted:
            raise _challenge()
        return True

    def _is_linked(self, run_id: str, request: Request) -> bool:
        expires, sig = request.args.get("expires", ""), request.args.get("sig", "")
        return self.links is not None and self.links.open(run_id, expires, sig, time.time())


def _challenge() -> Unauthorized:
    asked = WWWAuthenticate("basic", {"realm": "Assayer", "charset": "UTF-8"})
    return Unauthorized(HTTPStatus.UNAUTHORIZED.description, www_authenticate=asked)
