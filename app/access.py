"""Who may see a run."""

from __future__ import annotations

import time
from dataclasses import dataclass
from http import HTTPStatus

from flask import Request
from werkzeug.datastructures import WWWAuthenticate
from werkzeug.exceptions import Forbidden, TooManyRequests, Unauthorized

from app.operators import Operators, TooManyFailuresError
from worker.links import Links

LOGIN = "login"
"""The query that asks for an operator's login."""


@dataclass(frozen=True, slots=True)
class Access:
    """Signed links and operators' logins; ``None`` where none is configured."""

    links: Links | None = None
    operators: Operators | None = None

    def require(self, run_id: str, request: Request) -> None:
        """Return when the request may see a private run, or end it with 401, 403 or 429."""
        if self._is_linked(run_id, request) or self.is_operator(request):
            return
        raise Forbidden

    def is_operator(self, request: Request) -> bool:
        """Tell whether an operator asks; ends a wrong login, or one asked for, with 401."""
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
