"""A GitHub that answers from a list and remembers what it was asked."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import httpx
from cryptography.hazmat.primitives import serialization
from cryptography.hazmat.primitives.asymmetric import rsa

from worker.github_app.client.app import App
from worker.settings.operator_settings import GithubSettings

START = datetime(2026, 11, 22, 12, 0, tzinfo=UTC)
SECRET = "ghs_thisIsTheInstallationsOwnSecret"

Reply = httpx.Response | Exception | Callable[[httpx.Request], httpx.Response]

KEY = rsa.generate_private_key(public_exponent=65537, key_size=2048)
PEM = KEY.private_bytes(
    serialization.Encoding.PEM,
    serialization.PrivateFormat.TraditionalOpenSSL,
    serialization.NoEncryption(),
)


class SleepingClock:
    """A clock that only sleeping and tests move."""

    def __init__(self) -> None:
        self.at = START
        self.slept: list[float] = []

    def __call__(self) -> datetime:
        return self.at

    def sleep(self, seconds: float) -> None:
        self.slept.append(seconds)
        self.pass_(seconds)

    def pass_(self, seconds: float) -> None:
        self.at += timedelta(seconds=seconds)


def reply(
    status: int, body: Any = None, headers: Mapping[str, str] | None = None
) -> httpx.Response:
    content = b"" if body is None else json.dumps(body).encode()
    return httpx.Response(status, content=content, headers=dict(headers or {}))


@dataclass
class Github:
    """Gives tokens freely and everything else from ``replies``, one after the other."""

    clock: SleepingClock
    replies: list[Reply] = field(default_factory=list)
    asked: list[httpx.Request] = field(default_factory=list)
    token_requests: list[httpx.Request] = field(default_factory=list)
    token_replies: list[Reply] = field(default_factory=list)

    def __call__(self, request: httpx.Request) -> httpx.Response:
        if request.url.path.endswith("/access_tokens"):
            self.token_requests.append(request)
            given = self.token_replies.pop(0) if self.token_replies else self._token(request)
        else:
            self.asked.append(request)
            given = self.replies.pop(0)
        if isinstance(given, Exception):
            raise given
        return given if isinstance(given, httpx.Response) else given(request)

    def _token(self, request: httpx.Request) -> httpx.Response:
        number = len(self.token_requests)
        wanted = json.loads(request.content)["permissions"]
        return self.token(f"{SECRET}{number}", permissions=wanted)

    def token(
        self, value: str, *, permissions: Mapping[str, str], minutes: float = 60
    ) -> httpx.Response:
        ends = self.clock() + timedelta(minutes=minutes)
        body = {"token": value, "expires_at": ends.isoformat(), "permissions": dict(permissions)}
        return reply(201, body)


def settings(folder: Path, **more: Any) -> GithubSettings:
    key = folder / "app.pem"
    if not key.exists():
        key.write_bytes(PEM)
    given = {"api_url": "http://127.0.0.1:9", "app_id": 7, "private_key_file": key} | more
    return GithubSettings(**given)


def app(github: Github, folder: Path, *, count: Any = None, **more: Any) -> App:
    hooks = {} if count is None else {"count": count}
    return App(
        settings(folder, **more),
        clock=github.clock,
        sleep=github.clock.sleep,
        transport=httpx.MockTransport(github),
        **hooks,
    )
