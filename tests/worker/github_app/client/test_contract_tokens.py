"""Contract case 13: tokens that end, keys that are wrong, rights that are missing."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.github_double import GithubDouble, Kind
from tests.worker.github_app.client.asking import ALL, api_of, app_of
from tests.worker.github_app.client.scripted import PEM
from worker.github_app.client import comments, repositories
from worker.github_app.client.errors import ForbiddenError, NotFoundError, UnauthorizedError


def tokens_of(double: GithubDouble) -> int:
    return sum(one.path.endswith("/access_tokens") for one in double.requests)


def test_case_13_a_token_that_ends_during_a_job_is_renewed(double: GithubDouble) -> None:
    repository = double.repository("cafe")
    pull = repository.pull(files={"a.py": "1\n"})
    api = api_of(double, repository)
    comments.create(api, "acme/cafe", pull.number, "before")
    double.expire_tokens()
    comments.create(api, "acme/cafe", pull.number, "after")
    assert [one.body for one in pull.comments()] == ["before", "after"]
    assert tokens_of(double) == 2


def test_case_13_a_token_refused_twice_ends_the_job(double: GithubDouble) -> None:
    repository = double.repository("cafe")
    pull = repository.pull(files={"a.py": "1\n"})
    double.faults.add("POST", r"/comments$", Kind.EXPIRED, times=9)
    with pytest.raises(UnauthorizedError):
        comments.create(api_of(double, repository), "acme/cafe", pull.number, "never")
    assert tokens_of(double) == 2
    assert pull.comments() == []


def test_case_13_a_token_is_renewed_before_its_end(double: GithubDouble) -> None:
    repository = double.repository("cafe")
    double.limits.token_seconds = 299
    api = api_of(double, repository)
    for _ in range(2):
        repositories.get(api, "acme/cafe")
    assert tokens_of(double) == 2


def test_case_13_a_wrong_key_is_told_with_what_to_do(double: GithubDouble, tmp_path: Path) -> None:
    other = tmp_path / "other.pem"
    other.write_bytes(PEM)
    repository = double.repository("cafe")
    with pytest.raises(UnauthorizedError) as raised:
        repositories.get(api_of(double, repository, private_key_file=other), "acme/cafe")
    assert "private_key_file" in raised.value.remedy
    assert tokens_of(double) == 1


def test_case_13_a_wrong_app_is_told_with_what_to_do(double: GithubDouble) -> None:
    with pytest.raises(UnauthorizedError) as raised:
        repositories.registration(app_of(double, app_id=1).api)
    assert "app_id" in raised.value.remedy


def test_a_token_is_as_narrow_as_asked(double: GithubDouble) -> None:
    seen = double.repository("cafe", private=True)
    hidden = double.repository("vault", private=True)
    api = app_of(double).installation(double.installation.id, seen.id, {"checks": "read"})
    assert repositories.get(api, "acme/cafe").id == seen.id
    with pytest.raises(NotFoundError):
        repositories.get(api, "acme/vault")
    (token,) = double.state.tokens.values()
    assert token.repositories == {seen.id}
    assert hidden.id not in token.repositories
    assert token.permissions == {"metadata": "read", "checks": "read"}


def test_contents_are_optional_where_the_owner_grants_only_reading(double: GithubDouble) -> None:
    repository = double.repository("cafe")
    double.installation.permissions["contents"] = "read"
    token = app_of(double).token(double.installation.id, repository.id, ALL)
    granted = {name: token.permissions[name] for name in ALL}
    assert granted == ALL | {"contents": "read"}


def test_a_repository_taken_from_the_installation_is_forbidden(double: GithubDouble) -> None:
    repository = double.repository("cafe")
    double.remove_repository(repository)
    with pytest.raises(ForbiddenError, match="does not see"):
        repositories.get(api_of(double, repository), "acme/cafe")


def test_an_installation_that_was_removed_is_not_found(double: GithubDouble) -> None:
    repository = double.repository("cafe")
    api = api_of(double, repository)
    repositories.get(api, "acme/cafe")
    double.uninstall()
    with pytest.raises(NotFoundError):
        repositories.get(api, "acme/cafe")


def test_the_app_knows_itself_and_where_it_is_installed(double: GithubDouble) -> None:
    double.repository("cafe")
    app = app_of(double)
    with app as opened:
        assert repositories.registration(opened.api).slug == "assayer"
    granted = repositories.granted(app.api, double.installation.id)
    assert granted["checks"] == "write"
