"""Who may ask for what."""

from __future__ import annotations

import time

import jwt
import pytest

from tests.github_double.rest_client import Asker, app_token, foreign_key


def granted(github, body=None, token=None):
    path = f"/app/installations/{github.installation.id}/access_tokens"
    return Asker(github, token=token or app_token(github)).post(path, body)


def test_app_proves_itself_by_its_key(github):
    answer = Asker(github, token=app_token(github)).get("/app")
    assert (answer.status_code, answer.json()["slug"]) == (200, "assayer")


def test_jwt_of_another_key_is_refused(github):
    at = int(time.time())
    claims = {"iat": at, "exp": at + 300, "iss": "4711"}
    answer = Asker(github, token=jwt.encode(claims, foreign_key(), "RS256")).get("/app")
    assert answer.status_code == 401
    assert answer.json()["message"] == "A JSON web token could not be decoded"


@pytest.mark.parametrize(
    "claims",
    [
        {"exp": int(time.time()) - 10},
        {"exp": int(time.time()) + 3600},
        {"iat": int(time.time()) + 3600},
        {"iss": "1"},
        {"exp": None},
    ],
)
def test_jwt_with_wrong_claims_is_refused(github, claims):
    assert Asker(github, token=app_token(github, **claims)).get("/app").status_code == 401


def test_jwt_without_signature_is_refused(github):
    at = int(time.time())
    bare = jwt.encode({"iat": at, "exp": at + 300, "iss": "4711"}, None, "none")
    assert Asker(github, token=bare).get("/app").status_code == 401


def test_app_token_opens_no_repository(github):
    repo = github.repository("cafe")
    assert Asker(github, repo, app_token(github)).get("~").status_code == 401


def test_installation_token_does_not_open_the_app(github):
    assert Asker(github).get("/app").status_code == 401


def test_token_is_narrowed_to_a_repository(github):
    seen, hidden = github.repository("seen", private=True), github.repository("hid", private=True)
    body = {"repository_ids": [seen.id], "permissions": {"contents": "read"}}
    answer = granted(github, body).json()
    assert answer["permissions"] == {"metadata": "read", "contents": "read"}
    assert Asker(github, seen, answer["token"]).get("~").status_code == 200
    assert Asker(github, hidden, answer["token"]).get("~").status_code == 404


def test_token_is_narrowed_to_permissions(github):
    repo = github.repository("cafe")
    token = granted(github, {"permissions": {"contents": "read"}}).json()["token"]
    body = {"name": "Assayer", "head_sha": repo.head()}
    answer = Asker(github, repo, token).post("~/check-runs", body)
    assert answer.status_code == 403
    assert answer.json()["message"] == "Resource not accessible by integration"


def test_permission_that_the_installation_lacks_is_not_granted(github):
    del github.installation.permissions["contents"]
    assert granted(github, {"permissions": {"contents": "write"}}).status_code == 422


def test_repository_elsewhere_is_not_granted(github):
    other = github.repository("elsewhere/cafe")
    assert granted(github, {"repository_ids": [other.id]}).status_code == 422


def test_expired_token_is_refused(github):
    asker = Asker(github, github.repository("cafe"))
    github.expire_tokens()
    answer = asker.get("~")
    assert (answer.status_code, answer.json()["message"]) == (401, "Bad credentials")


def test_suspended_installation_gets_nothing(github):
    asker = Asker(github, github.repository("cafe"))
    github.suspend()
    assert asker.get("~").status_code == 403
    assert granted(github).status_code == 403
    github.unsuspend()
    assert asker.get("~").status_code == 200


def test_removed_installation_is_not_found(github):
    asker = Asker(github, github.repository("cafe"))
    github.uninstall()
    assert granted(github).status_code == 404
    assert asker.get("~").status_code == 401


def test_public_repository_elsewhere_is_read_and_not_written(github):
    other = github.repository("elsewhere/cafe")
    asker = Asker(github, other)
    assert asker.get("~").status_code == 200
    body = {"name": "Assayer", "head_sha": other.head()}
    assert asker.post("~/check-runs", body).status_code == 403


@pytest.mark.parametrize(
    ("role", "permission"),
    [("admin", "admin"), ("maintain", "write"), ("write", "write"), ("triage", "read")],
)
def test_permission_is_told_as_github_does(github, role, permission):
    repo = github.repository("cafe", private=True)
    repo.role("bob", role)
    answer = Asker(github, repo).get("~/collaborators/bob/permission").json()
    assert (answer["permission"], answer["role_name"]) == (permission, role)


def test_strangers_read_what_is_public(github):
    public, private = github.repository("open"), github.repository("closed", private=True)
    github.user("eve")
    found = [
        Asker(github, repo).get("~/collaborators/eve/permission").json()["permission"]
        for repo in (public, private)
    ]
    assert found == ["read", "none"]
    assert Asker(github, public).get("~/collaborators/nobody/permission").status_code == 404


def test_renamed_repository_redirects(github):
    repo = github.repository("cafe")
    repo.rename("bistro")
    asker = Asker(github, repo)
    moved = asker.get("/repos/acme/cafe")
    assert moved.status_code == 301
    place = moved.headers["Location"].removeprefix(github.url)
    assert asker.get(place).json()["full_name"] == "acme/bistro"


def test_installation_lists_its_repositories(github):
    repo = github.repository("cafe")
    github.repository("elsewhere/cafe")
    found = Asker(github).get("/installation/repositories").json()
    assert [one["id"] for one in found["repositories"]] == [repo.id]
