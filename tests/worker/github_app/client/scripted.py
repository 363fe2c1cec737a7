"""A GitHub that answers from a list and remembers what it was asked."""

from __future__ import annotations

import io
import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any
from urllib.parse import parse_qsl, urlsplit

import requests
import urllib3
from cryptography.hazmat.primitives import serialization
from cryptography.hazmat.primitives.asymmetric import rsa
from requests.adapters import BaseAdapter, HTTPAdapter

from worker.github_app.client.api import Api
from worker.github_app.client.app import App
from worker.settings.operator_settings import GithubSettings

START = datetime(2026, 11, 22, 12, 0, tzinfo=UTC)
SECRET = "ghs_thisIsTheInstallationsOwnSecret"

Asked = requests.PreparedRequest
Reply = urllib3.HTTPResponse | Exception | Callable[[Asked], urllib3.HTTPResponse]

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


def raw(status: int, content: bytes, headers: Mapping[str, str] | None = None) -> Any:
    body = io.BytesIO(content)
    return urllib3.HTTPResponse(body, headers or {}, status=status, preload_content=False)


def reply(status: int, body: Any = None, headers: Mapping[str, str] | None = None) -> Any:
    return raw(status, b"" if body is None else json.dumps(body).encode(), headers)


def get(api: Api, path: str) -> Any:
    return api.send("GET", path)


def post(api: Api, path: str, body: Any = None) -> Any:
    return api.send("POST", path, body or {})


@dataclass
class Github(BaseAdapter):
    """Gives tokens freely and everything else from ``replies``, one after the other."""

    clock: SleepingClock
    replies: list[Reply] = field(default_factory=list)
    asked: list[Asked] = field(default_factory=list)
    token_requests: list[Asked] = field(default_factory=list)
    token_replies: list[Reply] = field(default_factory=list)

    def send(self, request: Asked, *_arguments: Any, **_named: Any) -> requests.Response:
        if path_of(request).endswith("/access_tokens"):
            self.token_requests.append(request)
            given = self.token_replies.pop(0) if self.token_replies else self._token(request)
        else:
            self.asked.append(request)
            given = self.replies.pop(0)
        if isinstance(given, Exception):
            raise given
        answer = given if isinstance(given, urllib3.HTTPResponse) else given(request)
        return HTTPAdapter().build_response(request, answer)

    def close(self) -> None:
        """Nothing is open."""

    def _token(self, request: Asked) -> urllib3.HTTPResponse:
        number = len(self.token_requests)
        return self.token(f"{SECRET}{number}", permissions=body_of(request)["permissions"])

    def token(self, value: str, *, permissions: Mapping[str, str], minutes: float = 60) -> Any:
        ends = self.clock() + timedelta(minutes=minutes)
        body = {"token": value, "expires_at": ends.isoformat(), "permissions": dict(permissions)}
        return reply(201, body)


def path_of(request: Asked) -> str:
    return urlsplit(request.url or "").path


def params_of(request: Asked) -> dict[str, str]:
    return dict(parse_qsl(urlsplit(request.url or "").query))


def body_of(request: Asked) -> Any:
    return json.loads(request.body or b"null")


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
        transport=github,
        **hooks,
    )
