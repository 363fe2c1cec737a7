"""Contract case 13: tokens that end, keys that are wrong, rights that are missing."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.github_double import GithubDouble, Kind
from tests.worker.github_app.client.asking import ALL, api_of, app_of, comment, seen
from tests.worker.github_app.client.scripted import PEM
from worker.github_app.client.errors import ForbiddenError, NotFoundError, UnauthorizedError
from worker.github_app.client.objects import registration


def tokens_of(double: GithubDouble) -> int:
    return sum(one.path.endswith("/access_tokens") for one in double.requests)


def test_case_13_a_token_that_ends_during_a_job_is_renewed(double: GithubDouble) -> None:
    repository = double.repository("cafe")
    pull = repository.pull(files={"a.py": "1\n"})
    api = api_of(double, repository)
    comment(api, "acme/cafe", pull.number, "before")
    double.expire_tokens()
    comment(api, "acme/cafe", pull.number, "after")
    assert [one.body for one in pull.comments()] == ["before", "after"]
    assert tokens_of(double) == 2


def test_case_13_a_token_refused_twice_ends_the_job(double: GithubDouble) -> None:
    repository = double.repository("cafe")
    pull = repository.pull(files={"a.py": "1\n"})
    double.faults.add("POST", r"/comments$", Kind.EXPIRED, times=9)
    with pytest.raises(UnauthorizedError):
        comment(api_of(double, repository), "acme/cafe", pull.number, "never")
    assert tokens_of(double) == 2
    assert pull.comments() == []


def test_case_13_a_token_is_renewed_before_its_end(double: GithubDouble) -> None:
    repository = double.repository("cafe")
    double.limits.token_seconds = 299
    api = api_of(double, repository)
    for _ in range(2):
        seen(api, "acme/cafe")
    assert tokens_of(double) == 2


def test_case_13_a_wrong_key_is_told_with_what_to_do(double: GithubDouble, tmp_path: Path) -> None:
    other = tmp_path / "other.pem"
    other.write_bytes(PEM)
    repository = double.repository("cafe")
    with pytest.raises(UnauthorizedError) as raised:
        seen(api_of(double, repository, private_key_file=other), "acme/cafe")
    assert "private_key_file" in raised.value.remedy
    assert tokens_of(double) == 1


def test_case_13_a_wrong_app_is_told_with_what_to_do(double: GithubDouble) -> None:
    with pytest.raises(UnauthorizedError) as raised:
        registration(app_of(double, app_id=1).api)
    assert "app_id" in raised.value.remedy


def test_a_token_is_as_narrow_as_asked(double: GithubDouble) -> None:
    shown = double.repository("cafe", private=True)
    hidden = double.repository("vault", private=True)
    api = app_of(double).installation(double.installation.id, shown.id, {"checks": "read"})
    assert seen(api, "acme/cafe").id == shown.id
    with pytest.raises(NotFoundError):
        seen(api, "acme/vault")
    (token,) = double.state.tokens.values()
    assert token.repositories == {shown.id}
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
        seen(api_of(double, repository), "acme/cafe")


def test_an_installation_that_was_removed_is_not_found(double: GithubDouble) -> None:
    repository = double.repository("cafe")
    api = api_of(double, repository)
    seen(api, "acme/cafe")
    double.uninstall()
    with pytest.raises(NotFoundError):
        seen(api, "acme/cafe")


def test_the_app_knows_itself_and_where_it_is_installed(double: GithubDouble) -> None:
    double.repository("cafe")
    app = app_of(double)
    with app as opened:
        assert registration(opened.api).slug == "assayer"
    granted = app.token(double.installation.id, None, {"checks": "write"}).permissions
    assert granted["checks"] == "write"
