"""The GitHub App: the one place that holds its key and installations' tokens."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Any, Self

from pydantic import AwareDatetime, Field, SecretStr
from requests.adapters import BaseAdapter
from typing_extensions import override

from worker.github_app.client.api import Api, Count, Surroundings, ignored
from worker.github_app.client.credentials import Credentials, Signer
from worker.github_app.client.errors import ForbiddenError, RefusedError, SuspendedError
from worker.github_app.client.limits import Brake, Clock, utc_now
from worker.github_app.client.objects import Model, read
from worker.github_app.client.wire import Wire
from worker.settings.operator_settings import GithubSettings

RENEWED_BEFORE = timedelta(minutes=5)
NARROW_FOR = timedelta(minutes=2)

Permissions = Mapping[str, str]

_RANKS = ("read", "write", "admin")


class InstallationToken(Model):
    """The token of an installation, valid until ``expires_at``; the secret is not shown."""

    token: SecretStr
    expires_at: AwareDatetime
    permissions: dict[str, str] = Field(default_factory=dict[str, str])


class _Installation(Model):
    permissions: dict[str, str]


@dataclass(frozen=True)
class Scope:
    """The scope of a token: one repository, or all that an installation sees."""

    installation: int
    repository: int | None
    permissions: frozenset[tuple[str, str]]


@dataclass
class _Place:
    lock: threading.Lock = field(default_factory=threading.Lock)
    token: InstallationToken | None = None
    until: datetime | None = None

    def good(self, now: datetime, instead_of: str | None) -> InstallationToken | None:
        """The token that is here, unless it was refused or is soon to be renewed."""
        if self.token is None or self.until is None or now >= self.until:
            return None
        return None if self.token.token.get_secret_value() == instead_of else self.token


class Tokens:
    """The tokens in use.  Threads may share it; each scope is renewed by one at a time."""

    def __init__(self, app: Api, clock: Clock) -> None:
        self._app = app
        self._clock = clock
        self._lock = threading.Lock()
        self._places: dict[Scope, _Place] = {}

    def get(self, scope: Scope, *, instead_of: str | None = None) -> InstallationToken:
        """A token with at least five minutes left, other than the refused one.

        Raises ``GithubError``: ``NotFoundError`` where the installation is
        gone, ``SuspendedError``, ``ForbiddenError`` where it does not see
        the repository or grants nothing of what is asked.
        """
        place = self._place(scope)
        with place.lock:
            token = place.good(self._clock(), instead_of)
            if token is None:
                token = self._made(scope)
                place.token, place.until = token, self._until(scope, token)
            return token

    def _until(self, scope: Scope, token: InstallationToken) -> datetime:
        end = token.expires_at - RENEWED_BEFORE
        narrow = within(dict(scope.permissions), token.permissions) != dict(scope.permissions)
        return min(end, self._clock() + NARROW_FOR) if narrow else end

    def _place(self, scope: Scope) -> _Place:
        with self._lock:
            self._places = {
                known: place
                for known, place in self._places.items()
                if place.lock.locked() or (place.until and place.until > self._clock())
            }
            return self._places.setdefault(scope, _Place())

    def _made(self, scope: Scope) -> InstallationToken:
        try:
            return self._asked(scope, dict(scope.permissions))
        except RefusedError:
            return self._narrower(scope)

    def _narrower(self, scope: Scope) -> InstallationToken:
        wanted = dict(scope.permissions)
        installation = self._app.send("GET", f"/app/installations/{scope.installation}")
        permissions = within(wanted, read(_Installation, installation).permissions)
        if not permissions:
            raise ForbiddenError(f"installation {scope.installation} grants nothing of what we ask")
        if permissions == wanted:
            raise _unseen(scope)
        try:
            return self._asked(scope, permissions)
        except RefusedError:
            raise _unseen(scope) from None

    def _asked(self, scope: Scope, permissions: Permissions) -> InstallationToken:
        body: dict[str, Any] = {"permissions": dict(permissions)}
        if scope.repository is not None:
            body["repository_ids"] = [scope.repository]
        path = f"/app/installations/{scope.installation}/access_tokens"
        try:
            return read(InstallationToken, self._app.send("POST", path, body))
        except ForbiddenError as error:
            # nothing else is forbidden here to an App that proved who it is
            raise SuspendedError(error.message, status=error.status) from None


def within(wanted: Permissions, granted: Permissions) -> dict[str, str]:
    """Return what is wanted as far as it is granted: ``write`` falls to ``read``, or away."""
    return {
        name: _lesser(level, granted[name]) for name, level in wanted.items() if name in granted
    }


def _lesser(one: str, other: str) -> str:
    known = [level for level in (one, other) if level in _RANKS]
    return min(known, key=_RANKS.index, default=one)


def _unseen(scope: Scope) -> ForbiddenError:
    return ForbiddenError(
        f"installation {scope.installation} does not see repository {scope.repository}",
        status=422,
    )


@dataclass(frozen=True)
class InstallationCredentials(Credentials):
    """The tokens of one scope, each renewed before its end."""

    tokens: Tokens
    scope: Scope
    remedy = "Check that the App is still installed there and is not suspended."

    @property
    def token(self) -> str:
        """Return the scope's token."""
        return self.tokens.get(self.scope).token.get_secret_value()

    @override
    def renewed(self, refused: str, served_at: datetime | None) -> str | None:
        """Ask for a new token in place of a refused one."""
        return self.tokens.get(self.scope, instead_of=refused).token.get_secret_value()


class App:
    """Asks GitHub as the App (``api``) or for one of its installations.

    Nothing is read or asked until the first call.  ``count`` is told of every
    request; ``clock``, ``sleep`` and ``transport`` are for tests.  Threads
    may share it.
    """

    def __init__(
        self,
        settings: GithubSettings,
        *,
        count: Count = ignored,
        clock: Clock = utc_now,
        sleep: Callable[[float], None] = time.sleep,
        transport: BaseAdapter | None = None,
    ) -> None:
        wire = Wire(settings.api_url, timeout=settings.timeout, transport=transport)
        self._around = Surroundings(wire, clock, sleep, count)
        self._lock = threading.Lock()
        self._brakes: dict[int, Brake] = {}
        signer = Signer(settings.app_id, settings.private_key_file, clock)
        self.api = Api(self._around, signer, Brake(clock))
        self._tokens = Tokens(self.api, clock)

    def installation(
        self, installation: int, repository: int | None, permissions: Mapping[str, str]
    ) -> Api:
        """GitHub as one installation sees it.

        ``repository`` (an id) narrows its token to that one, ``permissions``
        to those, such as ``{"checks": "write"}``.  What the installation does
        not grant is left out: see :meth:`token` for what it came to.
        """
        scope = Scope(installation, repository, frozenset(permissions.items()))
        credentials = InstallationCredentials(self._tokens, scope)
        return Api(self._around, credentials, self._brake(installation))

    def token(
        self, installation: int, repository: int | None, permissions: Mapping[str, str]
    ) -> InstallationToken:
        """The token itself, for git over HTTPS, with the permissions it has.

        Raises ``GithubError`` as a call would.
        """
        scope = Scope(installation, repository, frozenset(permissions.items()))
        return self._tokens.get(scope)

    def _brake(self, installation: int) -> Brake:
        with self._lock:
            return self._brakes.setdefault(installation, Brake(self._around.clock))

    def close(self) -> None:
        """Close the connections."""
        self._around.wire.session.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_exception: object) -> None:
        self.close()
