"""Contract cases 14 to 19, 22 and 24: pull requests, lists, forks, threads, deliveries."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest

from tests.github_double import GithubDouble
from tests.worker.github_app.client.asking import api_of, app_of, statuses
from worker.github_app.client import (
    checks,
    comments,
    hooks,
    issues,
    pulls,
    repositories,
    reviews,
    threads,
)
from worker.github_app.client.errors import ForbiddenError, NotFoundError

NAME = "acme/cafe"


def test_case_14_files_of_a_diff_over_the_limits_are_listed(double: GithubDouble) -> None:
    repository = double.repository("cafe")
    pull = repository.pull(files={f"f{number}.py": "1\n" for number in range(301)})
    assert len(pulls.files(api_of(double, repository), NAME, pull.number)) == 301


def test_case_15_the_list_of_files_stops_where_github_stops(double: GithubDouble) -> None:
    repository = double.repository("cafe")
    double.limits.files = 250
    pull = repository.pull(files={f"f{number:04}.py": "1\n" for number in range(260)})
    api = api_of(double, repository)
    found = pulls.get(api, NAME, pull.number)
    listed = pulls.files(api, NAME, pull.number)
    assert (len(listed), found.changed_files) == (250, 260)


def test_case_16_every_page_of_a_list_is_read(double: GithubDouble) -> None:
    repository = double.repository("cafe")
    pull = repository.pull(files={"a.py": "1\n"})
    for number in range(230):
        pull.comment("alice", f"comment {number}")
    found = comments.of_issue(api_of(double, repository), NAME, pull.number)
    assert [one.body for one in found] == [f"comment {number}" for number in range(230)]
    assert len(statuses(double, "GET", "/comments")) == 3


def test_case_17_a_file_may_have_no_patch(double: GithubDouble) -> None:
    repository = double.repository("cafe", files={"old.py": "1\n2\n3\n"})
    files = {"a.py": "1\n", "b.png": b"\x89PNG\0\1", "old.py": None, "new.py": "1\n2\n3\n"}
    pull = repository.pull(files=files)
    found = {file.filename: file for file in pulls.files(api_of(double), NAME, pull.number)}
    assert found["a.py"].patch == "@@ -0,0 +1 @@\n+1"
    assert found["b.png"].patch is None
    assert (found["new.py"].status, found["new.py"].previous_filename) == ("renamed", "old.py")


def test_case_18_a_forks_commit_is_led_back_to_its_pull_request(
    double: GithubDouble,
) -> None:
    repository = double.repository("cafe")
    pull = repository.pull(files={"a.py": "1\n"}, user="mallory", fork=repository.fork("mallory"))
    api = api_of(double, repository)
    made = checks.create(api, NAME, pull.head, checks.Check(name="Assayer", status="queued"))
    assert checks.get(api, NAME, made.id).head_sha == pull.head
    (found,) = pulls.with_head(api, NAME, pull.head)
    assert pulls.with_head(api, NAME, pull.base) == []
    assert pulls.commits(api, NAME, pull.number) == [pull.head]
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
    assert pulls.get(api, NAME, pull.number).head.repo is None


def test_case_22_a_redelivery_keeps_its_guid(double: GithubDouble) -> None:
    repository = double.repository("cafe")
    double.deliveries.url = "http://127.0.0.1:9/nobody-listens"
    repository.pull(files={"a.py": "1\n"})
    double.deliveries.wait()
    api = app_of(double).api
    since = datetime.now(UTC) - timedelta(hours=1)
    lost = hooks.undelivered(api, since)
    assert "pull_request" in {delivery.event for delivery in lost}
    assert not any(delivery.status_code == 202 for delivery in lost)
    hooks.redeliver(api, lost[0])
    double.deliveries.wait()
    tries = [one for one in hooks.deliveries(api, since) if one.guid == lost[0].guid]
    assert {one.redelivery for one in tries} == {True, False}
    assert len({one.id for one in tries}) == 2
    with pytest.raises(NotFoundError):
        hooks.redeliver(api, hooks.HookDelivery(api, {}, {"id": 1}))


def test_case_24_an_outdated_thread_has_no_line(double: GithubDouble) -> None:
    repository = double.repository("cafe", files={"a.py": "1\n2\n3\n"})
    pull = repository.pull(files={"a.py": "1\nchanged\n3\n"})
    api = api_of(double, repository)
    line = reviews.LineComment("a.py", 2, "look")
    reviews.create(api, NAME, pull.number, commit=pull.head, body="x", comments=(line,))
    pull.push({"a.py": "1\nanother\n3\n"})
    (comment,) = comments.of_pull(api, NAME, pull.number)
    (thread,) = threads.of_pull(api, NAME, pull.number)
    assert (comment.line, comment.original_line) == (None, 2)
    assert (thread.line, thread.outdated) == (None, True)


def test_threads_are_read_answered_resolved_and_folded(double: GithubDouble) -> None:
    repository = double.repository("cafe")
    pull = repository.pull(files={"a.py": "1\n2\n3\n"})
    api = api_of(double, repository)
    line = reviews.LineComment("a.py", 3, "look", start_line=2)
    reviews.create(api, NAME, pull.number, commit=pull.head, body="x", comments=(line,))
    (thread,) = threads.of_pull(api, NAME, pull.number)
    (first,) = thread.comments
    assert (thread.path, thread.start_line, thread.line) == ("a.py", 2, 3)
    assert (first.login, first.bot) == ("assayer[bot]", True)
    assert first.id is not None
    comments.reply(api, NAME, pull.number, first.id, "and more")
    threads.resolve(api, thread.id)
    threads.minimise(api, first.node)
    (thread,) = threads.of_pull(api, NAME, pull.number)
    assert thread.resolved
    assert [comment.minimised for comment in thread.comments] == [True, False]
    assert not thread.answered_by_people("assayer[bot]")
    threads.unresolve(api, thread.id)
    assert not threads.of_pull(api, NAME, pull.number)[0].resolved


def test_threads_are_not_resolved_without_the_right(double: GithubDouble) -> None:
    repository = double.repository("cafe")
    pull = repository.pull(files={"a.py": "1\n"})
    line = reviews.LineComment("a.py", 1, "look")
    narrow = app_of(double).installation(
        double.installation.id, repository.id, {"pull_requests": "write"}
    )
    reviews.create(narrow, NAME, pull.number, commit=pull.head, body="x", comments=(line,))
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
    check = checks.Check(name="Assayer", status="queued", external_id="run-1")
    made = checks.create(api, NAME, pull.head, check)
    notes = (checks.Annotation("a.py", 1, 2, "warning", "says", title="t"),)
    output = checks.Output("title", "summary", annotations=notes)
    for _ in range(2):
        checks.update(api, NAME, made.id, checks.Check(output=output))
    done = checks.Check(
        status="completed",
        conclusion="neutral",
        started_at=start,
        completed_at=start + timedelta(seconds=5),
        actions=(checks.Action("Run 4×", "Test again with more inputs", "rerun_4x"),),
    )
    assert checks.update(api, NAME, made.id, done).conclusion == "neutral"
    checks.create(api, NAME, pull.head, checks.Check(name="Other", status="queued"))
    number = double.hub.app.id
    found = checks.of_ref(api, NAME, pull.head, name="Assayer", app=number)
    assert [(run.id, run.external_id, run.status) for run in found] == [
        (made.id, "run-1", "completed")
    ]
    assert found[0].app is not None
    assert found[0].app.id == number
    assert [note.end_line for note in found[0].get_annotations()] == [2, 2]
    assert checks.of_ref(api, NAME, pull.head, name="Assayer", app=number + 1) == []


def test_comments_are_made_edited_found_and_reacted_to(double: GithubDouble) -> None:
    repository = double.repository("cafe")
    pull = repository.pull(files={"a.py": "1\n"})
    api = api_of(double, repository)
    asked = pull.comment("alice", "/assayer help")
    for _ in range(2):
        comments.react(api, NAME, asked.id, "eyes")
    answer = comments.create(api, NAME, pull.number, "working")
    comments.edit(api, NAME, answer.id, "done")
    assert comments.get(api, NAME, answer.id).body == "done"
    on_file = comments.create_on_file(
        api, NAME, pull.number, commit=pull.head, path="a.py", body="whole"
    )
    at_line = comments.create_at_line(
        api,
        NAME,
        pull.number,
        commit=pull.head,
        comment=reviews.LineComment("a.py", 1, "line"),
    )
    comments.edit_review_comment(api, NAME, at_line.id, "edited")
    comments.react(api, NAME, at_line.id, "+1", review_comment=True)
    there = comments.of_pull(api, NAME, pull.number)
    assert [(one.id, one.body, one.subject_type, one.line) for one in there] == [
        (on_file.id, "whole", "file", None),
        (at_line.id, "edited", "line", 1),
    ]
    assert comments.get_review_comment(api, NAME, at_line.id).user is not None


def test_an_audits_issue_is_made_found_and_closed(double: GithubDouble) -> None:
    repository = double.repository("cafe")
    repository.issue("Another", "by somebody")
    api = api_of(double, repository)
    made = issues.create(api, NAME, "Audit", "text")
    issues.edit(api, NAME, made.number, {"body": "newer", "state": "closed"})
    (found,) = issues.of_author(api, NAME, "assayer[bot]")
    assert (found.number, found.body, found.state) == (made.number, "newer", "closed")
    assert issues.get(api, NAME, made.number).title == "Audit"
    with pytest.raises(NotFoundError):
        issues.get(api, NAME, 999)


def test_who_may_do_what_and_where_a_branch_ends(double: GithubDouble) -> None:
    repository = double.repository("cafe")
    repository.role("bob", "maintain")
    repository.role("alice", "write")
    api = api_of(double, repository)
    assert repositories.permission(api, NAME, "bob").level == "maintain"
    assert repositories.permission(api, NAME, "alice").allows("write")
    assert not repositories.permission(api, NAME, "bob").allows("admin")
    with pytest.raises(NotFoundError):
        repositories.permission(api, NAME, "nobody-by-that-name")
    found = repositories.get(api, NAME)
    assert (found.id, found.private, found.default_branch) == (repository.id, False, "main")
    assert repositories.branch_head(api, NAME, "main") == repository.head()
    with pytest.raises(NotFoundError):
        repositories.branch_head(api, NAME, "none")
