"""Logging in by GitHub: OAuth of the App with state and PKCE, and a session of some hours."""

from __future__ import annotations

import base64
import hashlib
import hmac
import logging
import re
import secrets
import time
from dataclasses import dataclass
from http import HTTPStatus
from typing import Any
from urllib.parse import urlencode

import httpx
from flask import Blueprint, abort, redirect, request, session
from werkzeug.exceptions import BadGateway, Forbidden
from werkzeug.wrappers import Response

SESSION_SECONDS = 8 * 3600
LOGIN_SECONDS = 600
MOST_BYTES = 65_536
_LOCAL = re.compile(r"/(?![/\\])[\x21-\x7e]{0,500}")
_ATTEMPT, _OPERATOR, _LOGIN = "attempt", "operator", "login"

_log = logging.getLogger(__name__)


class NotAnOperatorError(Forbidden):
    """The refusal of a person who may not see more than everybody."""

    description = (
        "Your account is not among this server's operators, or you did not let GitHub name you."
        " Private reports open through the links in their checks and comments."
    )


@dataclass(frozen=True, slots=True)
class GithubLogin:
    """The App's OAuth client; ``operators`` are ids of people, which outlive their logins."""

    client_id: str
    client_secret: str
    operators: frozenset[int]
    web_url: str
    api_url: str
    public_url: str

    @property
    def callback(self) -> str:
        """Return the address that GitHub sends people back to."""
        return f"{self.public_url.rstrip('/')}/login/callback"

    def authorize_url(self, state: str, verifier: str) -> str:
        """Return GitHub's page that asks a person for leave."""
        digest = hashlib.sha256(verifier.encode()).digest()
        query = {
            "client_id": self.client_id,
            "redirect_uri": self.callback,
            "state": state,
            "code_challenge": base64.urlsafe_b64encode(digest).decode().rstrip("="),
            "code_challenge_method": "S256",
            "allow_signup": "false",
        }
        return f"{self.web_url}/login/oauth/authorize?{urlencode(query)}"

    def person(self, code: str, verifier: str) -> tuple[int, str]:
        """Return the id and login of who gave leave; raise ``BadGateway`` where GitHub fails.

        The token is used for this one question and kept nowhere.
        """
        sent = {
            "client_id": self.client_id,
            "client_secret": self.client_secret,
            "code": code,
            "redirect_uri": self.callback,
            "code_verifier": verifier,
        }
        with httpx.Client(timeout=10, headers={"Accept": "application/json"}) as client:
            token = _answer(client, "POST", f"{self.web_url}/login/oauth/access_token", data=sent)
            given = {"Authorization": f"Bearer {token.get('access_token', '')}"}
            person = _answer(client, "GET", f"{self.api_url}/user", headers=given)
        if not isinstance(person.get("id"), int) or not isinstance(person.get("login"), str):
            raise BadGateway
        return person["id"], person["login"]

    def signed_in(self) -> bool:
        """Tell whether the request's session is of somebody who is an operator still."""
        return session.get(_OPERATOR) in self.operators

    @property
    def name(self) -> str | None:
        """Return the login of who is signed in."""
        return session.get(_LOGIN) if self.signed_in() else None


def session_key(secret: bytes) -> bytes:
    """Return the key that sessions are signed with."""
    return hmac.new(secret, b"assayer: sessions", hashlib.sha256).digest()


def _answer(client: httpx.Client, method: str, url: str, **options: Any) -> dict[str, Any]:
    try:
        with client.stream(method, url, **options) as answer:
            body = b""
            for part in answer.iter_bytes():
                body += part
                if len(body) > MOST_BYTES:
                    raise BadGateway
            found = httpx.Response(answer.status_code, content=body).json()
    except (httpx.HTTPError, ValueError) as error:
        _log.warning("GitHub did not answer a login: %s", type(error).__name__)
        raise BadGateway from None
    if answer.status_code != HTTPStatus.OK or not isinstance(found, dict) or "error" in found:
        _log.warning("GitHub refused a login with status %d", answer.status_code)
        raise BadGateway
    return found


def routes(login: GithubLogin) -> Blueprint:
    """Return ``/login``, ``/login/callback`` and ``/logout``."""
    blueprint = Blueprint("github_login", __name__)

    def begin() -> Response:
        state, verifier = secrets.token_urlsafe(32), secrets.token_urlsafe(48)
        attempt = {
            "state": state,
            "verifier": verifier,
            "next": _local(request.args.get("next", "/")),
            "until": time.time() + LOGIN_SECONDS,
        }
        session.clear()
        session.permanent = True
        session[_ATTEMPT] = attempt
        return redirect(login.authorize_url(state, verifier))

    def finish() -> Response:
        attempt = session.pop(_ATTEMPT, None)
        state = request.args.get("state", "")
        if not attempt or not hmac.compare_digest(attempt["state"].encode(), state.encode()):
            abort(HTTPStatus.BAD_REQUEST)
        if time.time() > attempt["until"]:
            abort(HTTPStatus.BAD_REQUEST)
        if "code" not in request.args:
            raise NotAnOperatorError
        person, name = login.person(request.args["code"], attempt["verifier"])
        if person not in login.operators:
            raise NotAnOperatorError
        session.clear()
        session.permanent = True
        session[_OPERATOR], session[_LOGIN] = person, name
        return redirect(attempt["next"])

    def end() -> Response:
        session.clear()
        return redirect("/")

    blueprint.add_url_rule("/login", view_func=begin, endpoint="begin")
    blueprint.add_url_rule("/login/callback", view_func=finish, endpoint="finish")
    blueprint.add_url_rule("/logout", view_func=end, endpoint="end", methods=["POST"])
    return blueprint


def _local(address: str) -> str:
    """Return an address of this server, or its root."""
    return address if _LOCAL.fullmatch(address) else "/"
