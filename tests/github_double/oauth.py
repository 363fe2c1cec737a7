"""Logging in by GitHub: the App's OAuth pages, with state, PKCE and codes that work once.

https://docs.github.com/en/apps/creating-github-apps/authenticating-with-a-github-app/generating-a-user-access-token-for-a-github-app
"""

from __future__ import annotations

import base64
import hashlib
import secrets
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import parse_qsl, urlencode

from tests.github_double.responses import Answer
from tests.github_double.service import Request
from tests.github_double.state import State
from tests.github_double.tokens import credentials

CLIENT_ID, CLIENT_SECRET = "Iv23double", "a client secret of the double"
PATHS = ("/login/oauth/authorize", "/login/oauth/access_token", "/user")


@dataclass(frozen=True)
class Leave:
    """An authorisation: who gave it, the address and the challenge it is for."""

    login: str
    redirect_uri: str
    challenge: str


@dataclass
class OAuth:
    """The pages; ``person`` is who sits at the browser, ``None``: nobody who gives leave."""

    state: State
    person: str | None = "alice"
    codes: dict[str, Leave] = field(default_factory=dict)
    tokens: dict[str, str] = field(default_factory=dict)

    def answer(self, request: Request) -> Answer:
        if request.path == "/user":
            return self._user(request)
        if request.path.endswith("authorize"):
            return self._authorize(dict(request.query))
        return self._token(dict(parse_qsl(request.body.decode())))

    def _authorize(self, asked: dict[str, str]) -> Answer:
        if asked.get("client_id") != CLIENT_ID:
            return Answer(404, "Not Found", kind="text/html")
        back = {"state": asked.get("state", "")}
        if self.person is None:
            back["error"] = "access_denied"
        else:
            back["code"] = secrets.token_hex(10)
            challenge = asked.get("code_challenge", "")
            if asked.get("code_challenge_method") != "S256":
                challenge = ""
            self.codes[back["code"]] = Leave(self.person, asked["redirect_uri"], challenge)
        return Answer(302, "", {"Location": f"{asked['redirect_uri']}?{urlencode(back)}"})

    def _token(self, sent: dict[str, str]) -> Answer:
        if (sent.get("client_id"), sent.get("client_secret")) != (CLIENT_ID, CLIENT_SECRET):
            return Answer(200, {"error": "incorrect_client_credentials"})
        leave = self.codes.pop(sent.get("code", ""), None)
        if leave is None or not self._proved(leave, sent.get("code_verifier", "")):
            return Answer(200, {"error": "bad_verification_code"})
        if sent.get("redirect_uri") != leave.redirect_uri:
            return Answer(200, {"error": "redirect_uri_mismatch"})
        token = f"ghu_{secrets.token_hex(18)}"
        self.tokens[token] = leave.login
        return Answer(200, {"access_token": token, "token_type": "bearer", "scope": ""})

    @staticmethod
    def _proved(leave: Leave, verifier: str) -> bool:
        digest = hashlib.sha256(verifier.encode()).digest()
        return base64.urlsafe_b64encode(digest).decode().rstrip("=") == leave.challenge

    def _user(self, request: Request) -> Answer:
        login: Any = self.tokens.get(credentials(request.headers.get("Authorization")))
        if login is None:
            return Answer(401, {"message": "Bad credentials"})
        account = self.state.account(login)
        return Answer(200, {"login": account.login, "id": account.id, "type": account.type})
