"""The GitHub App: the one place that holds its key and installations' tokens."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Mapping
from types import TracebackType
from typing import Self

from requests.adapters import BaseAdapter

from worker.github_app.client.api import Api, Count, Surroundings, ignored
from worker.github_app.client.credentials import Signer
from worker.github_app.client.limits import Brake, Clock, utc_now
from worker.github_app.client.tokens import (
    InstallationCredentials,
    InstallationToken,
    Scope,
    Tokens,
)
from worker.github_app.client.wire import Wire
from worker.settings.operator_settings import GithubSettings


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

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self.close()
