"""Contract cases 14 to 19, 22 and 24: pull requests, lists, forks, threads, deliveries."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from tests.github_double import GithubDouble
from tests.worker.github_app.client.asking import (
    api_of,
    app_of,
    bodies,
    planned,
    review,
    seen,
    statuses,
)
from worker.github_app.client import threads
from worker.github_app.client.errors import ForbiddenError, NotFoundError
from worker.github_app.client.objects import (
    check_run,
    check_runs,
    completed,
    listed,
    made,
    pull_request,
    pulls_with_head,
    review_comments,
)
from worker.github_app.commands.command_context import Person, find_requester
from worker.github_app.outbox.task_handlers import deliveries, undelivered
from worker.store.records import Policy

NAME = "acme/cafe"


def test_case_14_files_of_a_diff_over_the_limits_are_listed(double: GithubDouble) -> None:
    repository = double.repository("cafe")
    pull = repository.pull(files={f"f{number}.py": "1\n" for number in range(301)})
    asked = api_of(double, repository).repository(NAME).get_pull(pull.number)
    assert len(list(listed(asked.get_files(), "filename", "status"))) == 301


def test_case_15_the_list_of_files_stops_where_github_stops(double: GithubDouble) -> None:
    repository = double.repository("cafe")
    double.limits.files = 250
    pull = repository.pull(files={f"f{number:04}.py": "1\n" for number in range(260)})
    api = api_of(double, repository)
    found = pull_request(api, NAME, pull.number)
    assert (len(list(found.get_files())), found.changed_files) == (250, 260)


def test_case_16_every_page_of_a_list_is_read(double: GithubDouble) -> None:
    repository = double.repository("cafe")
    pull = repository.pull(files={"a.py": "1\n"})
    for number in range(230):
        pull.comment("alice", f"comment {number}")
    found = bodies(api_of(double, repository), NAME, pull.number)
    assert found == [f"comment {number}" for number in range(230)]
    assert len(statuses(double, "GET", "/comments")) == 3


def test_case_17_a_file_may_have_no_patch(double: GithubDouble) -> None:
    repository = double.repository("cafe", files={"old.py": "1\n2\n3\n"})
    files = {"a.py": "1\n", "b.png": b"\x89PNG\0\1", "old.py": None, "new.py": "1\n2\n3\n"}
    pull = repository.pull(files=files)
    asked = api_of(double).repository(NAME).get_pull(pull.number)
    found = {file.filename: file for file in asked.get_files()}
    assert found["a.py"].patch == "@@ -0,0 +1 @@\n+1"
    assert found["b.png"].patch is None
    assert (found["new.py"].status, found["new.py"].previous_filename) == ("renamed", "old.py")


def test_case_18_a_forks_commit_is_led_back_to_its_pull_request(
    double: GithubDouble,
) -> None:
    repository = double.repository("cafe")
    pull = repository.pull(files={"a.py": "1\n"}, user="mallory", fork=repository.fork("mallory"))
    api = api_of(double, repository)
    made = api.repository(NAME).create_check_run("Assayer", pull.head, status="queued")
    assert check_run(api, NAME, made.id).head_sha == pull.head
    (found,) = pulls_with_head(api, NAME, pull.head)
    assert pulls_with_head(api, NAME, pull.base) == []
    assert [commit.sha for commit in found.get_commits()] == [pull.head]
    assert found.number == pull.number
    assert found.head.repo is not None
    assert found.head.repo.full_name == "mallory/cafe"


def test_case_19_a_deleted_fork_leaves_a_pull_request_without_its_repository(
    double: GithubDouble,
) -> None:
    repository = double.repository("cafe")
    fork = repository.fork("mallory")
    pull = repository.pull(files={"a.py": "1\n"}, user="mallory", fork=fork)
    fork.delete("mallory")
    api = api_of(double, repository)
    assert pull_request(api, NAME, pull.number).head.repo is None


def test_case_22_a_redelivery_keeps_its_guid(double: GithubDouble) -> None:
    repository = double.repository("cafe")
    double.deliveries.url = "http://127.0.0.1:9/nobody-listens"
    repository.pull(files={"a.py": "1\n"})
    double.deliveries.wait()
    api = app_of(double).api
    since = datetime.now(UTC) - timedelta(hours=1)
    lost = undelivered(api, since)
    assert "pull_request" in {delivery.event for delivery in lost}
    assert not any(delivery.status_code == 202 for delivery in lost)
    api.send("POST", f"/app/hook/deliveries/{lost[0].id}/attempts")
    double.deliveries.wait()
    tries = [one for one in deliveries(api, since) if one.guid == lost[0].guid]
    assert {one.redelivery for one in tries} == {True, False}
    assert len({one.id for one in tries}) == 2
    with pytest.raises(NotFoundError):
        api.send("POST", "/app/hook/deliveries/1/attempts")


def test_case_24_an_outdated_thread_has_no_line(double: GithubDouble) -> None:
    repository = double.repository("cafe", files={"a.py": "1\n2\n3\n"})
    pull = repository.pull(files={"a.py": "1\nchanged\n3\n"})
    api = api_of(double, repository)
    review(api, NAME, pull, planned(2, "look"))
    pull.push({"a.py": "1\nanother\n3\n"})
    (comment,) = review_comments(api.repository(NAME).get_pull(pull.number))
    (thread,) = threads.of_pull(api, NAME, pull.number)
    assert (comment.line, comment.original_line) == (None, 2)
    assert thread.outdated


def test_threads_are_read_answered_resolved_and_folded(double: GithubDouble) -> None:
    repository = double.repository("cafe")
    pull = repository.pull(files={"a.py": "1\n2\n3\n"})
    api = api_of(double, repository)
    review(api, NAME, pull, planned(3, "look", start_line=2))
    (thread,) = threads.of_pull(api, NAME, pull.number)
    (first,) = thread.comments
    assert (first.login, first.bot) == ("assayer[bot]", True)
    assert first.id is not None
    asked = api.repository(NAME).get_pull(pull.number)
    made(asked.create_review_comment_reply(first.id, "and more"))
    threads.resolve(api, thread.id)
    threads.minimise(api, review_comments(asked)[0].node_id)
    (thread,) = threads.of_pull(api, NAME, pull.number)
    assert thread.resolved
    assert len(thread.comments) == 2
    assert not thread.answered_by_people("assayer[bot]")
    threads.unresolve(api, thread.id)
    assert not threads.of_pull(api, NAME, pull.number)[0].resolved


def test_threads_are_not_resolved_without_the_right(double: GithubDouble) -> None:
    repository = double.repository("cafe")
    pull = repository.pull(files={"a.py": "1\n"})
    narrow = app_of(double).installation(
        double.installation.id, repository.id, {"pull_requests": "write"}
    )
    review(narrow, NAME, pull, planned(1, "look"))
    (thread,) = threads.of_pull(narrow, NAME, pull.number)
    with pytest.raises(ForbiddenError):
        threads.resolve(narrow, thread.id)
    with pytest.raises(NotFoundError):
        threads.of_pull(narrow, NAME, 999)


def test_check_runs_are_made_changed_and_found_again(double: GithubDouble) -> None:
    repository = double.repository("cafe")
    pull = repository.pull(files={"a.py": "1\n2\n"})
    api = api_of(double, repository)
    start = datetime(2026, 11, 22, 12, tzinfo=UTC)
    repository_there = api.repository(NAME)
    made = repository_there.create_check_run(
        "Assayer", pull.head, status="queued", external_id="run-1"
    )
    note = {
        "path": "a.py",
        "start_line": 1,
        "end_line": 2,
        "annotation_level": "warning",
        "message": "says",
        "title": "t",
    }
    for _ in range(2):
        output: Any = {"title": "title", "summary": "summary", "annotations": [note]}
        repository_there.get_check_run(made.id).edit(output=output)
    made.edit(
        status="completed",
        conclusion="neutral",
        started_at=start,
        completed_at=start + timedelta(seconds=5),
        actions=[{"label": "Run 4×", "description": "More inputs", "identifier": "rerun_4x"}],
    )
    assert made.conclusion == "neutral"
    repository_there.create_check_run("Other", pull.head, status="queued")
    number = double.hub.app.id
    found = check_runs(api, NAME, pull.head, "Assayer", number)
    assert [(run.id, run.external_id, run.status) for run in found] == [
        (made.id, "run-1", "completed")
    ]
    assert found[0].app is not None
    assert found[0].app.id == number
    assert [note.end_line for note in found[0].get_annotations()] == [2, 2]
    assert check_runs(api, NAME, pull.head, "Assayer", number + 1) == []


def test_comments_are_made_edited_found_and_reacted_to(double: GithubDouble) -> None:
    repository = double.repository("cafe")
    pull = repository.pull(files={"a.py": "1\n"})
    api = api_of(double, repository)
    asked = pull.comment("alice", "/assayer help")
    issue = api.repository(NAME).get_issue(pull.number)
    for _ in range(2):
        issue.get_comment(asked.id).create_reaction("eyes")
    answer = made(issue.create_comment("working"))
    issue.get_comment(answer.id).edit("done")
    assert completed(issue.get_comment(answer.id), "id", "body").body == "done"
    there = api.repository(NAME).get_pull(pull.number)
    on_file = made(there.create_review_comment("whole", pull.head, "a.py", subject_type="file"))
    at_line = made(there.create_review_comment("line", pull.head, "a.py", line=1, side="RIGHT"))
    there.get_review_comment(at_line.id).edit("edited")
    there.get_review_comment(at_line.id).create_reaction("+1")
    assert [(one.id, one.body, one.subject_type, one.line) for one in review_comments(there)] == [
        (on_file.id, "whole", "file", None),
        (at_line.id, "edited", "line", 1),
    ]
    assert completed(there.get_review_comment(at_line.id), "id").user is not None


def test_who_may_do_what_and_where_a_branch_ends(double: GithubDouble) -> None:
    repository = double.repository("cafe")
    repository.role("bob", "maintain")
    repository.role("alice", "write")
    api = api_of(double, repository)

    def may(login: str, needed: str) -> bool:
        return find_requester(api, NAME, Person(login), None, Policy(commands=needed)).commands

    assert may("bob", "maintain")
    assert may("alice", "write")
    assert not may("alice", "maintain")
    assert not may("bob", "admin")
    assert not may("nobody-by-that-name", "read")
    found = seen(api, NAME)
    assert (found.id, found.private, found.default_branch) == (repository.id, False, "main")
    head = completed(api.repository(NAME).get_git_ref("heads/main"), "object.sha")
    assert head.object.sha == repository.head()
    with pytest.raises(NotFoundError):
        completed(api.repository(NAME).get_git_ref("heads/none"), "object.sha")
