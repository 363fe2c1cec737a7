"""Errors of GitHub, told apart by what is to be done about them.

No message holds a secret: what GitHub said is cleaned before it gets here.
"""

from __future__ import annotations

import re
from datetime import datetime

from worker.errors import MachineError


class GithubError(MachineError):
    """GitHub did not do what we asked; trying later may help.

    ``status`` is the HTTP status of its answer, ``None`` if there was none.
    """

    def __init__(self, message: str, *, status: int | None = None, remedy: str = "") -> None:
        super().__init__(message, remedy)
        self.status = status

    @property
    def outcome(self) -> str:
        """The kind of error in metrics: ``not-found`` for a ``NotFoundError``."""
        name = type(self).__name__.removesuffix("Error").removeprefix("Github") or "error"
        return re.sub(r"(?<=[a-z])(?=[A-Z])", "-", name).lower()


class UnavailableError(GithubError):
    """No usable answer, and nothing was changed by asking."""


class UncertainError(GithubError):
    """A write was sent and its end is unknown: look before you write again."""


class RateLimitedError(GithubError):
    """GitHub asks to be left alone until ``until`` (aware, UTC); nothing was done.

    ``secondary``: not the hourly number of requests, but how fast they came.
    ``guided``: GitHub itself said how long.
    """

    def __init__(
        self,
        message: str,
        *,
        until: datetime,
        status: int | None = None,
        secondary: bool = False,
        guided: bool = True,
    ) -> None:
        super().__init__(message, status=status)
        self.until = until
        self.secondary = secondary
        self.guided = guided


class ForbiddenError(GithubError):
    """The App lacks a right; asking again does not help."""


class SuspendedError(ForbiddenError):
    """The account's owner has suspended the installation."""


class UnauthorizedError(GithubError):
    """GitHub does not accept the App's key or a token, even a fresh one.

    ``served_at`` is the time on GitHub's own clock, where it told.
    """

    def __init__(
        self,
        message: str,
        *,
        status: int | None = None,
        remedy: str = "",
        served_at: datetime | None = None,
    ) -> None:
        super().__init__(message, status=status, remedy=remedy)
        self.served_at = served_at


class NotFoundError(GithubError):
    """It is not there, or the App may not see it."""


class GoneError(GithubError):
    """It was there and is gone for good, or is switched off (issues)."""


class ConflictError(GithubError):
    """Something else was there first, or stands in the way now (409)."""


class MovedError(GithubError):
    """It moved to where a token is not sent, or where a write does not follow."""


class TooLargeError(GithubError):
    """There is more than GitHub sends, or than we take."""


class RefusedError(GithubError):
    """GitHub found fault with what we sent (422); ``problems`` are its words."""

    def __init__(
        self, message: str, *, problems: tuple[str, ...] = (), status: int | None = 422
    ) -> None:
        super().__init__(message, status=status)
        self.problems = problems
