"""A circuit breaker: whoever fails again and again is left alone for a while.

Own code: of the published ones, pybreaker holds a lock over each call, so that
questions would queue, and circuitbreaker lets every thread probe at once.
"""

from __future__ import annotations

import json
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from enum import Enum, auto
from typing import Any, cast

_AGAIN = frozenset({408, 429, 500, 502, 503, 504})
_AT_FAULT = frozenset({400, 413, 415, 422})
_SPENT = "insufficient_quota"
_AWS_AGAIN = frozenset(
    {
        "InternalFailure",
        "InternalServerError",
        "InternalServerException",
        "LimitExceededException",
        "ProvisionedThroughputExceededException",
        "RequestLimitExceeded",
        "ServiceUnavailable",
        "ServiceUnavailableException",
        "SlowDown",
        "Throttling",
        "ThrottlingException",
        "TooManyRequestsException",
    }
)
_AWS_ACCESS = frozenset(
    {
        "AccessDenied",
        "AccessDeniedException",
        "ExpiredToken",
        "ExpiredTokenException",
        "IncompleteSignature",
        "IncompleteSignatureException",
        "InvalidClientTokenId",
        "InvalidSignatureException",
        "MissingAuthenticationToken",
        "MissingAuthenticationTokenException",
        "NotAuthorized",
        "OptInRequired",
        "RequestExpired",
        "SignatureDoesNotMatch",
        "SubscriptionRequiredException",
        "UnknownOperationException",
        "UnrecognizedClientException",
    }
)


class Blame(Enum):
    """The question's fault; the moment's (ask again); or the service's and its operator's."""

    QUESTION = auto()
    MOMENT = auto()
    SERVICE = auto()


@dataclass(frozen=True, slots=True)
class Fault:
    """The error that a reply states: the provider's name for it, and its message."""

    blame: Blame
    code: str = ""
    message: str = ""


def read_fault(status: int, content: bytes) -> Fault:
    """An error as Google, Azure and OpenAI write it: ``{"error": {"code", "message"}}``."""
    error = _object(_object(_parsed(content)).get("error"))
    code, message = str(error.get("code") or ""), str(error.get("message") or "")
    if status in _AGAIN and code != _SPENT:
        return Fault(Blame.MOMENT, code, message)
    at_fault = status in _AT_FAULT and "api key" not in message.casefold()
    return Fault(Blame.QUESTION if at_fault else Blame.SERVICE, code, message)


def read_aws_fault(status: int, content: bytes) -> Fault:
    """Read an error of AWS JSON 1.1: ``{"__type": "…#Name", "message"}``."""
    error = _object(_parsed(content))
    code = str(error.get("__type") or "").rpartition("#")[2].partition(":")[0]
    text = str(error.get("message") or error.get("Message") or "")
    message = f"{code}: {text}" if code and text else code or text
    if code in _AWS_AGAIN or (status in _AGAIN and code not in _AWS_ACCESS):
        return Fault(Blame.MOMENT, code, message)
    at_fault = status in _AT_FAULT and code not in _AWS_ACCESS
    return Fault(Blame.QUESTION if at_fault else Blame.SERVICE, code, message)


def _parsed(content: bytes) -> object:
    try:
        return json.loads(content)
    except (ValueError, RecursionError):
        return None


def _object(value: object) -> dict[str, Any]:
    return cast("dict[str, Any]", value) if isinstance(value, dict) else {}


FAILURES = 4
MOST_SERVERS = 1000
SECONDS = 30.0
LONGEST = 300.0


class OpenCircuit(Exception):  # noqa: N818 - a state, and why
    """Nobody is to ask now; the message says until when and why."""


class Breaker:
    """Guards one server; safe for several threads.

    After ``failures`` in a row it opens for ``seconds``, then lets one try through, whose failure
    doubles the time up to ``LONGEST``.
    """

    def __init__(
        self,
        failures: int = FAILURES,
        seconds: float = SECONDS,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._failures = failures
        self._seconds = seconds
        self._clock = clock
        self._lock = threading.Lock()
        self._failed = 0
        self._opened = 0
        self._until = 0.0
        self._probing = False
        self._problem = ""

    def admit(self) -> None:
        """Return when a try may go out; report its end.  Raises ``OpenCircuit``."""
        with self._lock:
            if not self._opened:
                return
            left = self._until - self._clock()
            if left > 0 or self._probing:
                raise OpenCircuit(self._said(left))
            self._probing = True

    def succeeded(self) -> None:
        """Note that the server answered a try: the circuit is closed."""
        with self._lock:
            self._failed = self._opened = 0
            self._probing = False

    def failed(self, problem: str, wait: float = 0.0) -> None:
        """Note a failed try, and how many seconds the server asked to be left alone."""
        with self._lock:
            self._failed += 1
            self._problem = problem
            if self._probing or self._failed >= self._failures or wait > self._seconds:
                pause = max(self._seconds * 2**self._opened, wait)
                self._opened = min(self._opened + 1, 8)
                self._until = self._clock() + min(pause, LONGEST)
                self._probing = False

    @property
    def closed(self) -> bool:
        """Return whether nothing is known against the server."""
        return not self._failed and not self._opened

    def _said(self, left: float) -> str:
        if left <= 0:
            return f"it is being tried again after {self._failed} failures: {self._problem}"
        until = datetime.now(UTC) + timedelta(seconds=left)
        return f"left alone until {until:%H:%M:%S} UTC after {self._problem}"


class Breakers:
    """One breaker for each asker and server; safe for threads, at most ``MOST_SERVERS``."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._known: dict[tuple[str, str], Breaker] = {}

    def of(self, name: str, server: str) -> Breaker:
        """Return the breaker of what is called ``name`` at ``server``."""
        with self._lock:
            if len(self._known) >= MOST_SERVERS and (name, server) not in self._known:
                known = {key: each for key, each in self._known.items() if not each.closed}
                self._known = dict(list(known.items())[-(MOST_SERVERS // 2) :])
            return self._known.setdefault((name, server), Breaker())

    def reset(self) -> None:
        """Forget all."""
        with self._lock:
            self._known.clear()


BREAKERS = Breakers()
"""Those of this process: what one run has learnt of a server, the next need not."""
