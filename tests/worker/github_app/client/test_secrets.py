"""No secret is seen in a representation, an exception or a log."""

from __future__ import annotations

import logging
import traceback
from pathlib import Path

import pytest
import requests
import urllib3

from tests.worker.github_app.client.scripted import (
    SECRET,
    Asked,
    Github,
    Reply,
    app,
    get,
    post,
    raw,
    reply,
)
from worker.github_app.client.api import Api
from worker.github_app.client.errors import GithubError


def shown(error: BaseException) -> str:
    chain = "".join(traceback.format_exception(error))
    return f"{chain} {error!r} {error} {vars(error)}"


def test_a_token_is_not_shown(github: Github, tmp_path: Path) -> None:
    token = app(github, tmp_path).token(1, 42, {"contents": "read"})
    assert token.token.get_secret_value() == f"{SECRET}1"
    assert SECRET not in f"{token!r} {token} {token.model_dump()} {token.model_dump_json()}"


def test_what_holds_tokens_does_not_show_them(github: Github, tmp_path: Path) -> None:
    held = app(github, tmp_path)
    api = held.installation(1, 42, {"checks": "write"})
    github.replies = [reply(200, {})]
    get(api, "/a")
    for thing in (held, api, *vars(held).values(), *vars(api).values()):
        assert SECRET not in repr(thing)
        assert "ghs_" not in str(getattr(thing, "__dict__", ""))


def echo(status: int) -> Reply:
    """An answer that repeats what the request was signed with."""

    def answer(request: Asked) -> urllib3.HTTPResponse:
        said = request.headers["authorization"]
        return reply(status, {"message": said, "errors": [said, {"message": said}]})

    return answer


def moved(request: Asked) -> urllib3.HTTPResponse:
    return reply(301, None, {"location": "http://evil.example/" + request.headers["authorization"]})


@pytest.mark.parametrize(
    "end",
    [
        requests.ReadTimeout("late"),
        requests.ConnectTimeout("refused"),
        requests.ConnectionError("bad"),
        raw(200, b"{"),
        moved,
        *(echo(status) for status in (400, 401, 403, 404, 406, 409, 422, 429, 500)),
    ],
)
def test_no_exception_holds_a_token(github: Github, api: Api, end: Reply) -> None:
    github.replies = [end, end]
    with pytest.raises(GithubError) as raised:
        post(api, "/a", {})
    assert SECRET in github.asked[0].headers["authorization"]
    assert SECRET not in shown(raised.value)
    assert raised.value.__cause__ is None


def test_no_log_at_any_level_holds_a_token_or_a_signature(
    github: Github, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    held = app(github, tmp_path)
    with caplog.at_level(logging.DEBUG):
        github.replies = [reply(200, {}), reply(200, {})]
        get(held.installation(1, 42, {"checks": "write"}), "/a")
        get(held.api, "/app")
    signature = github.asked[1].headers["authorization"].removeprefix("Bearer ")
    assert SECRET not in caplog.text
    assert signature not in caplog.text
    assert github.asked[0].headers["authorization"].endswith(f"{SECRET}1")
