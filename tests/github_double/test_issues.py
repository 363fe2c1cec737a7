"""Conversations and issues."""

from __future__ import annotations

import pytest

from tests.github_double.rest_client import Asker


@pytest.fixture
def pull(github):
    return github.repository("cafe").pull(files={"a.py": "1\n"})


@pytest.fixture
def asker(github, pull):
    return Asker(github, pull.repository)


def test_comment_is_limited_in_characters(asker):
    place = "~/issues/1/comments"
    assert asker.post(place, {"body": "é" * 65_536}).status_code == 201
    refused = asker.post(place, {"body": "x" * 65_537})
    assert refused.status_code == 422
    assert "maximum is 65536 characters" in refused.json()["errors"][0]["message"]
    assert asker.post(place, {"body": " "}).status_code == 422


def test_own_comment_comes_back_as_an_event_of_the_bot(github, asker):
    made = asker.post("~/issues/1/comments", {"body": "/assayer help"}).json()
    asker.patch(f"~/issues/comments/{made['id']}", {"body": "/assayer stop"})
    told = [(d.action, d.payload["sender"]["type"]) for d in github.deliveries.of("issue_comment")]
    assert told == [("created", "Bot"), ("edited", "Bot")]
    changes = github.deliveries.of("issue_comment", "edited")[0].payload["changes"]
    assert changes == {"body": {"from": "/assayer help"}}


def test_comments_of_people_come_as_events(github, pull):
    comment = pull.comment("bob", "/assayer rerun")
    pull.edit(comment, "/assayer stop", "bob")
    pull.delete(comment, "bob")
    assert [d.action for d in github.deliveries.of("issue_comment")] == [
        "created", "edited", "deleted",
    ]  # fmt: skip
    payload = github.deliveries.of("issue_comment", "created")[0].payload
    assert payload["issue"]["pull_request"]["url"].endswith("/pulls/1")
    assert "head" not in payload["issue"]


def test_comment_on_an_issue_is_no_pull_requests(github, pull):
    repo = pull.repository
    repo.comment(repo.issue("A question"), "bob", "/assayer help")
    payload = github.deliveries.of("issue_comment", "created")[0].payload
    assert "pull_request" not in payload["issue"]


def test_somebody_elses_comment_is_not_edited(pull, asker):
    comment = pull.comment("bob", "hello")
    assert asker.patch(f"~/issues/comments/{comment.id}", {"body": "x"}).status_code == 403


def test_missing_issue_is_not_found(asker):
    assert asker.post("~/issues/99/comments", {"body": "x"}).status_code == 404
    assert asker.get("~/issues/comments/99").status_code == 404


def test_issue_is_made_found_and_edited(pull, asker):
    body = {"title": "Audit", "body": "all well", "labels": ["assayer"]}
    made = asker.post("~/issues", body).json()
    found = asker.get("~/issues?creator=assayer[bot]&state=all&labels=assayer").json()
    assert [one["number"] for one in found] == [made["number"]]
    place = f"~/issues/{made['number']}"
    assert asker.patch(place, {"body": "new", "state": "closed"}).json()["state"] == "closed"
    assert asker.get("~/issues?creator=assayer[bot]").json() == []
    assert [issue.body for issue in pull.repository.issues()] == ["new"]


def test_pull_requests_are_issues_too(asker):
    (found,) = asker.get("~/issues").json()
    assert "pull_request" in found


def test_issues_permission_is_not_pull_requests(github, pull):
    token = github.token(permissions={"pull_requests": "write"})
    asker = Asker(github, pull.repository, token)
    issue = pull.repository.issue("A question")
    assert asker.post("~/issues/1/comments", {"body": "x"}).status_code == 201
    assert asker.post(f"~/issues/{issue.number}/comments", {"body": "x"}).status_code == 403
    assert asker.post("~/issues", {"title": "x"}).status_code == 403
