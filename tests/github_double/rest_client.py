"""A plain client for the double's own tests."""

from __future__ import annotations

import time
from pathlib import Path
from typing import Any

import httpx
import jwt
from cryptography.hazmat.primitives import serialization
from cryptography.hazmat.primitives.asymmetric import rsa

from tests.github_double.double import APP, GithubDouble
from tests.github_double.github_users import Repo

WAIT = 30.0


class Asker:
    """Asks as an installation about one repository, or anything by a full path."""

    def __init__(self, github: GithubDouble, repo: Repo | None = None, token: str | None = None):
        self.github = github
        self.repo = repo
        self.token = token or github.token()
        self._http = httpx.Client(base_url=github.url, timeout=WAIT)

    def ask(self, method: str, path: str, body: Any = None, **headers: str) -> httpx.Response:
        """Ask; a path that begins with ``~`` is below the repository."""
        if path.startswith("~"):
            assert self.repo is not None
            path = f"/repos/{self.repo.full_name}{path[1:]}"
        named = {name.replace("_", "-"): value for name, value in headers.items()}
        everything = {"Authorization": f"Bearer {self.token}", **named}
        return self._http.request(method, path, json=body, headers=everything)

    def get(self, path: str, **headers: str) -> httpx.Response:
        return self.ask("GET", path, **headers)

    def post(self, path: str, body: Any = None) -> httpx.Response:
        return self.ask("POST", path, body if body is not None else {})

    def patch(self, path: str, body: Any) -> httpx.Response:
        return self.ask("PATCH", path, body)

    def graphql(self, query: str, **variables: Any) -> dict[str, Any]:
        answer = self.ask("POST", "/graphql", {"query": query, "variables": variables})
        assert answer.status_code == 200, answer.text
        whole: dict[str, Any] = answer.json()
        return whole


def app_token(github: GithubDouble, **changes: Any) -> str:
    """The App's JWT, with ``changes`` to its claims."""
    at = int(time.time())
    claims = {"iat": at - 30, "exp": at + 540, "iss": str(APP), **changes}
    key = Path(github.settings()["private_key_file"]).read_text()
    return jwt.encode({k: v for k, v in claims.items() if v is not None}, key, "RS256")


def foreign_key() -> str:
    """A private key that is not the App's."""
    return (
        rsa.generate_private_key(public_exponent=65537, key_size=2048)
        .private_bytes(
            serialization.Encoding.PEM,
            serialization.PrivateFormat.PKCS8,
            serialization.NoEncryption(),
        )
        .decode()
    )


def lines(*changed: int, count: int = 60) -> str:
    """A file of numbered lines, some of them changed."""
    return "".join(f"{'changed' if n in changed else 'line'} {n}\n" for n in range(1, count + 1))
