"""Contract cases 5, 6, 9 to 12: what is written, and what refuses it."""

from __future__ import annotations

import time
from datetime import UTC, datetime, timedelta

import pytest

from tests.github_double import GithubDouble, Kind
from tests.worker.github_app.client.asking import (
    ALL,
    api_of,
    app_of,
    bodies,
    comment,
    planned,
    review,
    seen,
    statuses,
)
from worker.github_app.client.app import App
from worker.github_app.client.errors import (
    ForbiddenError,
    RateLimitedError,
    RefusedError,
    SuspendedError,
    UnavailableError,
    UncertainError,
)
from worker.github_app.client.objects import listed, pull_request, review_comments
from worker.settings.operator_settings import GithubSettings

CODE = "".join(f"value_{number} = {number}\n" for number in range(1, 31))


def changed(*lines: int) -> str:
    rows = CODE.splitlines()
    for line in lines:
        rows[line - 1] = f"changed = {line}"
    return "\n".join(rows) + "\n"


def test_case_5_a_line_outside_the_diff_refuses_the_whole_review(double: GithubDouble) -> None:
    repository = double.repository("cafe", files={"a.py": CODE})
    pull = repository.pull(files={"a.py": changed(15)})
    api = api_of(double, repository)
    with pytest.raises(RefusedError) as raised:
        review(api, "acme/cafe", pull, planned(15, "good"), planned(30, "bad"))
    assert len(raised.value.problems) == 1
    assert pull.review_comments() == []
    made = review(api, "acme/cafe", pull, planned(15, "good"))
    asked = api.repository("acme/cafe").get_pull(pull.number)
    (line,) = listed(asked.get_single_review_comments(made.id), "id", "body")
    (standing,) = review_comments(asked)
    assert (line.id, line.body, standing.line) == (standing.id, "good", 15)


def test_case_6_a_range_of_one_line_is_taken_and_one_over_hunks_refused(
    double: GithubDouble,
) -> None:
    repository = double.repository("cafe", files={"a.py": CODE})
    pull = repository.pull(files={"a.py": changed(3, 4, 25)})
    api = api_of(double, repository)
    with pytest.raises(RefusedError):
        review(api, "acme/cafe", pull, planned(25, "over", start_line=3))
    review(api, "acme/cafe", pull, planned(4, "one", start_line=4), planned(4, "two", start_line=3))
    there = review_comments(api.repository("acme/cafe").get_pull(pull.number))
    found = {c.body: c.start_line for c in there}
    assert found == {"one": None, "two": 3}


def test_case_9_a_leftover_pending_review_is_found_and_removed(double: GithubDouble) -> None:
    repository = double.repository("cafe", files={"a.py": CODE})
    pull = repository.pull(files={"a.py": changed(15)})
    api = api_of(double, repository)
    path = f"/repos/acme/cafe/pulls/{pull.number}/reviews"
    api.send("POST", path, {"commit_id": pull.head})
    with pytest.raises(RefusedError):
        review(api, "acme/cafe", pull)
    (left,) = listed(api.repository("acme/cafe").get_pull(pull.number).get_reviews(), "id", "state")
    assert left.state == "PENDING"
    api.send("DELETE", f"{path}/{left.id}")
    assert review(api, "acme/cafe", pull).id


@pytest.mark.parametrize("kind", [Kind.BAD_GATEWAY_AFTER, Kind.DROPPED_AFTER])
def test_case_10_a_write_whose_answer_was_lost_is_uncertain_and_not_repeated(
    double: GithubDouble, kind: Kind
) -> None:
    repository = double.repository("cafe")
    pull = repository.pull(files={"a.py": "1\n"})
    double.faults.add("POST", r"/comments$", kind, times=9)
    api = api_of(double, repository)
    with pytest.raises(UncertainError):
        comment(api, "acme/cafe", pull.number, "once")
    assert bodies(api, "acme/cafe", pull.number) == ["once"]
    assert len(statuses(double, "POST", "/comments")) == 1


def test_case_10_a_write_that_times_out_is_uncertain_whether_done_or_not(
    double: GithubDouble,
) -> None:
    repository = double.repository("cafe")
    pull = repository.pull(files={"a.py": "1\n"})
    double.faults.add("POST", r"/comments$", Kind.LATE, seconds=3)
    double.faults.add("POST", r"/comments$", Kind.TIMEOUT, seconds=3)
    api = api_of(double, repository, timeout=2)
    seen(api, "acme/cafe")
    for body in ("done", "not done"):
        with pytest.raises(UncertainError):
            comment(api, "acme/cafe", pull.number, body)
    assert bodies(api, "acme/cafe", pull.number) == ["done"]


@pytest.mark.parametrize("kind", [Kind.BAD_GATEWAY, Kind.UNAVAILABLE, Kind.DROPPED])
def test_case_10_a_read_is_repeated_and_a_write_before_the_work_is_not(
    double: GithubDouble, kind: Kind
) -> None:
    repository = double.repository("cafe")
    pull = repository.pull(files={"a.py": "1\n"})
    api = api_of(double, repository)
    double.faults.add("GET", r"/pulls/\d+$", kind, times=2)
    assert pull_request(api, "acme/cafe", pull.number).head.sha == pull.head
    double.faults.add("GET", r"/pulls/\d+$", kind, times=4)
    with pytest.raises(UnavailableError):
        pull_request(api, "acme/cafe", pull.number)
    double.faults.add("POST", r"/comments$", kind)
    with pytest.raises(UncertainError):
        comment(api, "acme/cafe", pull.number, "never")
    assert pull.comments() == []


@pytest.mark.parametrize("kind", [Kind.SECONDARY, Kind.SECONDARY_429, Kind.PRIMARY])
def test_case_11_a_limit_is_waited_out_without_asking_meanwhile(
    double: GithubDouble, kind: Kind
) -> None:
    repository = double.repository("cafe")
    pull = repository.pull(files={"a.py": "1\n"})
    now = [datetime.now(UTC)]
    app = App(GithubSettings(**double.settings()), clock=lambda: now[0])
    api = app.installation(double.installation.id, repository.id, ALL)
    double.faults.add("POST", r"/comments$", kind, seconds=1)
    with pytest.raises(RateLimitedError) as raised:
        comment(api, "acme/cafe", pull.number, "text")
    pause = raised.value.until - now[0]
    assert timedelta(seconds=1) <= pause <= timedelta(seconds=60)
    with pytest.raises(RateLimitedError):
        pull_request(api, "acme/cafe", pull.number)
    time.sleep(pause.total_seconds() + 0.1)
    now[0] += pause
    comment(api, "acme/cafe", pull.number, "text")
    assert [one.body for one in pull.comments()] == ["text"]
    assert double.hasty == []


def test_case_11_a_secondary_limit_without_retry_after_lasts_a_minute(
    double: GithubDouble,
) -> None:
    repository = double.repository("cafe")
    pull = repository.pull(files={"a.py": "1\n"})
    double.faults.add("POST", r"/comments$", Kind.SECONDARY_BARE)
    before = datetime.now(UTC)
    with pytest.raises(RateLimitedError) as raised:
        comment(api_of(double, repository), "acme/cafe", pull.number, "text")
    assert raised.value.secondary
    assert raised.value.until >= before + timedelta(seconds=60)
    assert pull.comments() == []


def test_case_12_a_missing_permission_is_never_tried_again(double: GithubDouble) -> None:
    repository = double.repository("cafe")
    pull = repository.pull(files={"a.py": "1\n"})
    app = app_of(double)
    api = app.installation(double.installation.id, repository.id, {"checks": "read"})
    with pytest.raises(ForbiddenError) as raised:
        api.repository("acme/cafe").create_check_run("Assayer", pull.head, status="queued")
    assert "permission" in raised.value.remedy
    assert statuses(double, "POST", "/check-runs") == [403]


def test_a_suspended_installation_is_told_before_and_after_it_has_a_token(
    double: GithubDouble,
) -> None:
    repository = double.repository("cafe")
    app = app_of(double)
    api = app.installation(double.installation.id, repository.id, ALL)
    seen(api, "acme/cafe")
    double.suspend()
    with pytest.raises(SuspendedError):
        seen(api, "acme/cafe")
    with pytest.raises(SuspendedError):
        seen(api_of(double, repository), "acme/cafe")


def test_a_renamed_repository_is_read_and_written_by_its_old_name(double: GithubDouble) -> None:
    repository = double.repository("cafe")
    pull = repository.pull(files={"a.py": "1\n"})
    api = api_of(double, repository)
    repository.rename("bistro")
    assert seen(api, "acme/cafe").full_name == "acme/bistro"
    assert pull_request(api, "acme/cafe", pull.number).head.sha == pull.head
    made = comment(api, "acme/cafe", pull.number, "still here")
    asked = api.repository("acme/cafe").get_issue(pull.number)
    asked.get_comment(made.id).edit("edited")
    assert [one.body for one in pull.comments()] == ["edited"]
