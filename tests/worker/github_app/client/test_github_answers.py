"""What we send and understand, where the answer's shape is the point."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from github.NamedUser import NamedUser

from tests.worker.github_app.client.scripted import Github, app, body_of, params_of, path_of, reply
from worker.github_app.client import threads
from worker.github_app.client.api import Api
from worker.github_app.client.errors import (
    NotFoundError,
    TooLargeError,
    UnavailableError,
    UncertainError,
)
from worker.github_app.client.objects import is_bot, made, pull_request, registration
from worker.github_app.commands.command_context import Permission, Person, find_requester
from worker.github_app.outbox.task_handlers import undelivered
from worker.github_app.publishing.audit_issue import standing_audit
from worker.github_app.publishing.comment_marks import AUDIT, marked
from worker.github_app.publishing.review_comment_plan import PlannedComment
from worker.github_app.publishing.review_comments import line_comment
from worker.store.records import Policy

WHEN = "2026-11-22T12:00:00Z"
SIDE = {"ref": "main", "sha": "a" * 40, "repo": {"id": 42, "full_name": "o/r", "private": False}}
PULL = {"number": 3, "state": "open", "head": SIDE, "base": SIDE, "updated_at": WHEN, "user": None}


def sent(github: Github, number: int = 0) -> Any:
    return body_of(github.asked[number])


def test_a_range_of_one_line_is_sent_as_that_line() -> None:
    one = line_comment(PlannedComment("f", "a.py", "b", 7, start_line=7))
    more = line_comment(PlannedComment("f", "a.py", "b", 7, start_line=5))
    assert "start_line" not in one
    assert "position" not in one
    assert (more["start_line"], more["start_side"], more["line"]) == (5, "RIGHT", 7)


def test_accounts_and_forks_that_are_gone_are_none(github: Github, api: Api) -> None:
    gone = PULL | {"head": SIDE | {"repo": None}}
    github.replies = [reply(200, gone)]
    pull = pull_request(api, "o/r", 3)
    assert pull.user is None
    assert pull.head.repo is None
    assert pull.state == "open"


@pytest.mark.parametrize(
    "broken",
    [
        {},
        None,
        PULL | {"number": "3"},
        PULL | {"head": None},
        PULL | {"updated_at": "soon"},
    ],
)
def test_an_answer_that_is_not_as_described_is_no_answer(
    github: Github, api: Api, broken: object
) -> None:
    github.replies = [reply(200, broken) for _ in range(4)]
    with pytest.raises(UnavailableError):
        pull_request(api, "o/r", 3)


def test_a_write_whose_answer_is_not_as_described_is_uncertain(github: Github, api: Api) -> None:
    github.replies = [reply(201, {"id": "5"})]
    with pytest.raises(UncertainError):
        made(api.repository("o/r").get_issue(3).create_comment("text"))
    assert len(github.asked) == 1


@pytest.mark.parametrize("name", ["", "o", "o/", "/r", "o/r/x", "../r", "o/.."])
def test_what_is_no_repository_is_never_asked_for(github: Github, api: Api, name: str) -> None:
    with pytest.raises(ValueError, match="not the name"):
        api.repository(name)
    assert not github.asked


def test_names_in_paths_are_quoted(github: Github, api: Api) -> None:
    level = {"permission": "write", "role_name": "write"}
    target = {"object": {"sha": "b" * 40}, "url": "x"}
    github.replies = [reply(200, level), reply(200, target), reply(200, level)]
    find_requester(api, "o/r", Person("x/../../y?z#"), None, Policy())
    assert api.repository("o/r").get_git_ref("heads/fix/a b?#").object.sha == "b" * 40
    find_requester(api, "o/r", Person("helper[bot]"), None, Policy())
    assert [path_of(request) for request in github.asked] == [
        "/repos/o/r/collaborators/x%2F..%2F..%2Fy%3Fz%23/permission",
        "/repos/o/r/git/ref/heads/fix/a%20b%3F%23",
        "/repos/o/r/collaborators/helper%5Bbot%5D/permission",
    ]


@pytest.mark.parametrize(
    ("permission", "role", "level"),
    [
        ("admin", "admin", "admin"),
        ("write", "maintain", "maintain"),
        ("write", "write", "write"),
        ("read", "triage", "triage"),
        ("write", "our own role", "write"),
        ("none", None, "none"),
        ("odd", "odd", "none"),
    ],
)
def test_the_finest_known_level_counts(permission: str, role: str | None, level: str) -> None:
    found = Permission(permission=permission, role_name=role)
    assert found.level == level
    assert found.allows("write") is (level in {"write", "maintain", "admin"})


def test_the_app_knows_itself(github: Github, tmp_path: Path) -> None:
    api = app(github, tmp_path).api
    known = {"id": 7, "slug": "assayer", "permissions": {"checks": "write"}, "events": ["push"]}
    github.replies = [reply(200, known)]
    assert registration(api).slug == "assayer"


def test_an_audits_issue_is_no_pull_request(github: Github, api: Api) -> None:
    issue = {"number": 1, "state": "open", "title": "Audit", "body": marked("text", AUDIT)}
    other = issue | {"number": 2, "pull_request": {"url": "x"}}
    github.replies = [reply(200, [other, issue | {"number": 3, "body": None}, issue])]
    found = standing_audit(api.repository("o/r"), "assayer[bot]")
    assert found is not None
    assert found.number == 1
    assert params_of(github.asked[0])["creator"] == "assayer[bot]"


def attempt(number: int, guid: str, code: int, minute: int) -> dict[str, Any]:
    return {
        "id": number,
        "guid": guid,
        "delivered_at": f"2026-11-22T11:{minute:02}:00Z",
        "redelivery": False,
        "status": "OK",
        "status_code": code,
        "event": "push",
        "action": None,
        "installation_id": None,
        "repository_id": None,
    }


def test_only_events_that_never_arrived_are_undelivered(github: Github, tmp_path: Path) -> None:
    since = datetime(2026, 11, 22, 11, 10, tzinfo=UTC)
    tries = [
        attempt(9, "later", 502, 50),
        attempt(8, "came", 502, 45),
        attempt(7, "came", 202, 40),
        attempt(6, "never", 0, 35),
        attempt(5, "never", 504, 30),
        attempt(4, "old", 502, 5),
        attempt(3, "older", 502, 4),
    ]
    github.replies = [reply(200, tries, {"link": '<http://127.0.0.1:9/x>; rel="next"'})]
    found = undelivered(app(github, tmp_path).api, since)
    assert [(delivery.id, delivery.guid) for delivery in found] == [(6, "never"), (9, "later")]
    assert len(github.asked) == 1


def connection(nodes: list[Any], cursor: str | None = None) -> dict[str, Any]:
    return {
        "nodes": nodes,
        "pageInfo": {"hasNextPage": cursor is not None, "endCursor": cursor},
    }


def said(number: int, login: str | None, kind: str = "User") -> dict[str, Any]:
    author = None if login is None else {"__typename": kind, "login": login}
    identity = {"id": f"C{number}", "fullDatabaseId": str(number)}
    return identity | {"body": "text", "isMinimized": False, "author": author}


def thread(name: str, comments_of: dict[str, Any], **more: Any) -> dict[str, Any]:
    fields = {"id": name, "isResolved": False, "isOutdated": False, "path": "a.py", "line": 3}
    return fields | {"comments": comments_of} | more


def page_of(nodes: list[Any], cursor: str | None = None) -> Any:
    threads_of = {"reviewThreads": connection(nodes, cursor)}
    return reply(200, {"data": {"repository": {"pullRequest": threads_of}}})


def test_threads_come_whole_over_pages_of_threads_and_comments(github: Github, api: Api) -> None:
    big = 3_000_000_000
    long = thread("T1", connection([said(big, "assayer", "Bot")], "c1"), startLine=2)
    rest = {"data": {"node": {"comments": connection([said(2, "someone"), None])}}}
    outdated = thread("T2", connection([said(3, None)]), isOutdated=True, line=None)
    github.replies = [page_of([long], "t1"), reply(200, rest), page_of([None, outdated])]
    first, second = threads.of_pull(api, "o/r", 3)
    assert [(comment.id, comment.login, comment.bot) for comment in first.comments] == [
        (big, "assayer[bot]", True),
        (2, "someone", False),
    ]
    assert first.answered_by_people("assayer[bot]")
    assert (second.outdated, second.comments[0].login) == (True, None)
    variables = [sent(github, number)["variables"] for number in range(3)]
    assert [given["after"] for given in variables] == [None, "c1", "t1"]


def test_a_thread_of_bots_has_no_answer_of_people(github: Github, api: Api) -> None:
    bots = [said(1, "assayer", "Bot"), said(2, "helper", "Bot")]
    github.replies = [page_of([thread("T", connection(bots))])]
    (found,) = threads.of_pull(api, "o/r", 3)
    assert not found.answered_by_people("assayer[bot]")


def test_threads_without_end_are_too_many(github: Github, api: Api) -> None:
    github.replies = [page_of([], "again") for _ in range(threads.MOST_PAGES)]
    with pytest.raises(TooLargeError):
        threads.of_pull(api, "o/r", 3)


def test_a_thread_without_end_is_too_long(github: Github, api: Api) -> None:
    again = {"data": {"node": {"comments": connection([], "again")}}}
    github.replies = [page_of([thread("T1", connection([], "again"))])]
    github.replies += [reply(200, again) for _ in range(threads.MOST_PAGES)]
    with pytest.raises(TooLargeError):
        threads.of_pull(api, "o/r", 3)


@pytest.mark.parametrize(
    ("login", "kind", "bot"),
    [("alice", "User", False), ("helper[bot]", "Bot", True), ("old[bot]", "User", True)],
)
def test_bots_are_told_from_people(api: Api, login: str, kind: str, bot: bool) -> None:
    assert is_bot(NamedUser(api, {}, {"login": login, "type": kind})) is bot


def test_threads_of_a_pull_that_is_not_there(github: Github, api: Api) -> None:
    github.replies = [reply(200, {"data": {"repository": {"pullRequest": None}}})]
    with pytest.raises(NotFoundError):
        threads.of_pull(api, "o/r", 3)


def test_threads_that_are_not_as_described_are_no_answer(github: Github, api: Api) -> None:
    github.replies = [page_of([thread("T", connection([]), isResolved=None)])]
    with pytest.raises(UnavailableError):
        threads.of_pull(api, "o/r", 3)


def test_threads_are_resolved_and_comments_folded_by_mutations(github: Github, api: Api) -> None:
    github.replies = [reply(200, {"data": {"x": {}}}) for _ in range(3)]
    threads.resolve(api, "T1")
    threads.unresolve(api, "T1")
    threads.minimise(api, "C1")
    assert [sent(github, number)["variables"]["input"] for number in range(3)] == [
        {"threadId": "T1"},
        {"threadId": "T1"},
        {"subjectId": "C1", "classifier": "RESOLVED"},
    ]
    assert all(sent(github, number)["query"].startswith("mutation") for number in range(3))
