from __future__ import annotations

import threading
from datetime import timedelta
from pathlib import Path

import pytest
import requests
import urllib3
from pydantic import SecretStr

from tests.worker.github_app.client.scripted import (
    SECRET,
    START,
    Github,
    app,
    body_of,
    get,
    path_of,
    post,
    reply,
)
from worker.github_app.client.api import Api
from worker.github_app.client.app import InstallationToken, within
from worker.github_app.client.errors import (
    ForbiddenError,
    NotFoundError,
    SuspendedError,
    UnauthorizedError,
    UnavailableError,
)

WANTED = {"checks": "write", "contents": "write"}


def installation(permissions: dict[str, str]) -> urllib3.HTTPResponse:
    return reply(200, {"id": 1, "account": None, "permissions": permissions})


def signed(github: Github) -> list[str]:
    return [request.headers["authorization"] for request in github.asked]


def test_a_token_is_asked_for_one_repository_and_the_permissions_named(
    github: Github, api: Api
) -> None:
    github.replies = [reply(200, {})]
    get(api, "/a")
    request = github.token_requests[0]
    assert path_of(request) == "/app/installations/1/access_tokens"
    assert body_of(request) == {
        "repository_ids": [42],
        "permissions": {"checks": "write"},
    }


def test_a_token_is_used_until_five_minutes_before_its_end(github: Github, api: Api) -> None:
    github.replies = [reply(200, {}) for _ in range(4)]
    for minutes in (0, 54, 2, 1):
        github.clock.pass_(60 * minutes)
        get(api, "/a")
    assert signed(github) == [f"Bearer {SECRET}{number}" for number in (1, 1, 2, 2)]


def test_apis_of_one_scope_share_a_token_and_others_do_not(github: Github, tmp_path: Path) -> None:
    asked = app(github, tmp_path)
    github.replies = [reply(200, {}) for _ in range(3)]
    for repository, permissions in ((42, WANTED), (42, WANTED), (43, WANTED)):
        get(asked.installation(1, repository, permissions), "/a")
    assert len(github.token_requests) == 2


def test_a_token_refused_during_a_job_is_renewed_once(github: Github, api: Api) -> None:
    github.replies = [reply(200, {}), reply(401, {"message": "Bad credentials"}), reply(201, {})]
    get(api, "/a")
    post(api, "/a", {})
    assert signed(github) == [f"Bearer {SECRET}{number}" for number in (1, 1, 2)]


def test_a_fresh_token_that_is_refused_too_is_the_end(github: Github, api: Api) -> None:
    github.replies = [reply(401), reply(401), reply(200)]
    with pytest.raises(UnauthorizedError) as raised:
        post(api, "/a", {})
    assert "installed" in raised.value.remedy
    assert len(github.asked) == 2


def test_a_permission_that_was_not_granted_is_left_out(github: Github, tmp_path: Path) -> None:
    asked = app(github, tmp_path)
    github.token_replies = [reply(422, {"message": "not granted"})]
    github.replies = [installation({"checks": "write", "contents": "read", "issues": "write"})]
    token = asked.token(1, 42, WANTED)
    assert token.permissions == {"checks": "write", "contents": "read"}
    assert body_of(github.token_requests[1]) == {
        "repository_ids": [42],
        "permissions": {"checks": "write", "contents": "read"},
    }


def test_a_permission_granted_later_is_had_within_minutes(github: Github, tmp_path: Path) -> None:
    asked = app(github, tmp_path)
    github.token_replies = [
        reply(422, {}),
        github.token("ghs_narrow", permissions={"checks": "write"}),
    ]
    github.replies = [installation({"checks": "write"})]
    assert "contents" not in asked.token(1, 42, WANTED).permissions
    github.clock.pass_(125)
    assert asked.token(1, 42, WANTED).permissions == WANTED


def test_an_installation_that_grants_nothing_is_no_use(github: Github, tmp_path: Path) -> None:
    github.token_replies = [reply(422, {})]
    github.replies = [installation({"metadata": "read"})]
    with pytest.raises(ForbiddenError):
        app(github, tmp_path).token(1, 42, WANTED)
    assert len(github.token_requests) == 1


def test_a_repository_that_the_installation_does_not_see_is_forbidden(
    github: Github, tmp_path: Path
) -> None:
    github.token_replies = [reply(422, {}), reply(422, {}), reply(422, {})]
    github.replies = [installation(WANTED), installation({"checks": "write"})]
    for _ in range(2):
        with pytest.raises(ForbiddenError, match="does not see repository 42"):
            app(github, tmp_path).token(1, 42, WANTED)


@pytest.mark.parametrize(
    ("answer", "kind"),
    [
        (reply(403, {"message": "This installation has been suspended"}), SuspendedError),
        (reply(403, {"message": "other words"}), SuspendedError),
        (reply(404, {"message": "Not Found"}), NotFoundError),
    ],
)
def test_a_suspended_or_removed_installation_is_said(
    github: Github, api: Api, answer: urllib3.HTTPResponse, kind: type[Exception]
) -> None:
    github.token_replies = [answer]
    with pytest.raises(kind):
        post(api, "/a", {})
    assert len(github.token_requests) == 1
    assert not github.asked


def test_asking_for_a_token_is_repeated_since_it_does_no_harm(github: Github, api: Api) -> None:
    github.token_replies = [reply(502), requests.ReadTimeout("late")]
    github.replies = [reply(201, {})]
    post(api, "/a", {})
    assert len(github.token_requests) == 3
    assert len(github.asked) == 1


def test_a_token_that_cannot_be_had_leaves_a_write_unsent(github: Github, api: Api) -> None:
    github.token_replies = [reply(502) for _ in range(4)]
    with pytest.raises(UnavailableError):
        post(api, "/a", {})
    assert not github.asked


def test_threads_of_one_scope_fetch_one_token(github: Github, api: Api) -> None:
    github.replies = [reply(200, {}) for _ in range(8)]
    threads = [threading.Thread(target=get, args=(api, "/a")) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(timeout=120)
    assert len(github.asked) == 8
    assert set(signed(github)) == {f"Bearer {SECRET}1"}


def test_what_is_wanted_is_cut_to_what_is_granted() -> None:
    assert within({"a": "write", "b": "write", "c": "read", "d": "odd"}, {}) == {}
    assert within(
        {"a": "write", "b": "write", "c": "read", "d": "odd"},
        {"a": "read", "b": "admin", "c": "write", "d": "odd"},
    ) == {"a": "read", "b": "write", "c": "read", "d": "odd"}


def test_a_write_is_not_sent_when_its_token_came_too_late(
    github: Github, api: Api, monkeypatch: pytest.MonkeyPatch
) -> None:
    moments = iter([100.0, 121.0, 200.0, 221.0])
    monkeypatch.setattr("worker.github_app.client.api.monotonic", lambda: next(moments, 300.0))
    monkeypatch.setattr("worker.github_app.client.app.Tokens.get", _given)
    with pytest.raises(UnavailableError):
        post(api, "/a", {})
    assert not github.asked
    github.replies = [reply(200, {})]
    assert get(api, "/a") == {}


def _given(*_arguments: object, **_named: object) -> InstallationToken:
    ends = START + timedelta(hours=1)
    return InstallationToken(token=SecretStr(SECRET), expires_at=ends, permissions={})
