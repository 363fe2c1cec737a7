"""Rate limits: how to tell one, how long it lasts, and not to ask meanwhile."""

from __future__ import annotations

import math
import threading
from collections.abc import Callable
from datetime import UTC, datetime, timedelta

from worker.github_app.client.errors import RateLimitedError
from worker.github_app.client.wire import Answer, moment

LEAST_UNGUIDED = 60.0
MOST_UNGUIDED = 960.0
MOST_SECONDS = 7200.0
LEAST_SECONDS = 1.0

Clock = Callable[[], datetime]


def utc_now() -> datetime:
    """The present moment, aware, in UTC."""
    return datetime.now(UTC)


def limited(answer: Answer, said: str, now: datetime) -> RateLimitedError | None:
    """The rate limit that an answer tells of, if it does.

    Status and headers decide; GitHub's wording (``said``) only where a
    secondary limit comes without any header.
    """
    if answer.status not in {403, 429}:
        return None
    told = answer.status == 429 or _exhausted(answer) or _retry_after(answer, now) is not None
    worded = "rate limit" in said.lower() or "abuse detection" in said.lower()
    return limit_of(answer, said, now) if told or worded else None


def limit_of(answer: Answer, said: str, now: datetime) -> RateLimitedError:
    """Return how long a rate limit lasts: ``Retry-After``, else the reset, else a minute."""
    exhausted = _exhausted(answer)
    asked = _retry_after(answer, now)
    seconds = asked if asked is not None else _reset(answer, now) if exhausted else None
    pause = min(max(LEAST_UNGUIDED if seconds is None else seconds, LEAST_SECONDS), MOST_SECONDS)
    return RateLimitedError(
        f"GitHub asks to wait {math.ceil(pause)} seconds: {said or 'rate limit'}",
        until=now + timedelta(seconds=pause),
        status=answer.status,
        secondary=asked is not None or not exhausted,
        guided=seconds is not None,
    )


def _exhausted(answer: Answer) -> bool:
    return str(answer.headers.get("x-ratelimit-remaining", "")) == "0"


def _retry_after(answer: Answer, now: datetime) -> float | None:
    """The seconds of ``Retry-After``, a number or a date (RFC 9110, 10.2.3)."""
    asked = answer.headers.get("retry-after", "").strip()
    if asked.isascii() and asked.isdigit():
        return float(asked[:9])
    at = moment(asked)
    return None if at is None else (at - (answer.served_at or now)).total_seconds()


def _reset(answer: Answer, now: datetime) -> float | None:
    """The seconds until the number of requests starts anew, by GitHub's clock."""
    text = answer.headers.get("x-ratelimit-reset", "")
    if not (text.isascii() and text.isdigit()):
        return None
    return float(text[:12]) - (answer.served_at or now).timestamp()


class Brake:
    """Keeps one installation's calls back while GitHub asks for it.

    Limits that come without a time last longer each time in a row: 60
    seconds, twice that, and so on, at most 16 minutes.
    """

    def __init__(self, clock: Clock = utc_now) -> None:
        self._clock = clock
        self._lock = threading.Lock()
        self._until: datetime | None = None
        self._in_a_row = 0

    def check(self) -> None:
        """Raises ``RateLimitedError`` while a limit lasts; nothing is sent then."""
        with self._lock:
            until = self._until
        if until is not None and self._clock() < until:
            raise RateLimitedError("GitHub asked to wait, so nothing was sent", until=until)

    def hold(self, error: RateLimitedError) -> RateLimitedError:
        """Remember a limit; the error to raise, with the time that holds."""
        with self._lock:
            if not error.guided:
                seconds = min(LEAST_UNGUIDED * 2**self._in_a_row, MOST_UNGUIDED)
                self._in_a_row = min(self._in_a_row + 1, 10)
                error.until = self._clock() + timedelta(seconds=seconds)
            self._until = max(error.until, self._until or error.until)
        return error

    def release(self) -> None:
        """A call was answered: the row of limits is broken."""
        with self._lock:
            self._in_a_row = 0
