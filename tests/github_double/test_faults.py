"""What goes wrong on purpose, and what is noticed of it."""

from __future__ import annotations

import time

import httpx
import pytest

from tests.github_double import Kind
from tests.github_double.rest_client import Asker

PLACE = "~/issues/1/comments"


@pytest.fixture
def pull(github):
    return github.repository("cafe").pull(files={"a.py": "1\n"})


@pytest.fixture
def asker(github, pull):
    return Asker(github, pull.repository)


@pytest.mark.parametrize(
    ("kind", "done"),
    [
        (Kind.DROPPED, 0),
        (Kind.TIMEOUT, 0),
        (Kind.DROPPED_AFTER, 1),
    ],
)
def test_connection_is_lost_before_or_after_the_work(github, pull, asker, kind, done):
    github.faults.add("POST", "/comments$", kind, seconds=0.05)
    with pytest.raises(httpx.RemoteProtocolError):
        asker.post(PLACE, {"body": "x"})
    assert len(pull.comments()) == done
    assert [one.done for one in github.writes] == [bool(done)]
    assert asker.post(PLACE, {"body": "x"}).status_code == 201


@pytest.mark.parametrize(("kind", "done"), [("502", 0), ("503", 0), ("502 after", 1)])
def test_gateway_fails_before_or_after_the_work(github, pull, asker, kind, done):
    github.faults.add("POST", "/comments$", kind)
    answer = asker.post(PLACE, {"body": "x"})
    assert answer.status_code == int(kind[:3])
    assert len(pull.comments()) == done


def test_late_answer_comes_after_its_work(github, pull, asker):
    github.faults.add("POST", "/comments$", "late", seconds=0.3)
    start = time.monotonic()
    assert asker.post(PLACE, {"body": "x"}).status_code == 201
    assert time.monotonic() - start >= 0.3
    assert len(pull.comments()) == 1


@pytest.mark.parametrize(
    ("kind", "status", "waits"),
    [
        ("secondary", 403, "60"),
        ("secondary 429", 429, "60"),
        ("secondary without retry-after", 403, None),
    ],
)
def test_secondary_limit(github, pull, asker, kind, status, waits):
    github.faults.add("POST", "/comments$", kind, seconds=60)
    answer = asker.post(PLACE, {"body": "x"})
    assert answer.status_code == status
    assert answer.headers.get("Retry-After") == waits
    assert "secondary rate limit" in answer.json()["message"]
    assert pull.comments() == []


@pytest.mark.parametrize(("kind", "status"), [("primary", 403), ("primary 429", 429)])
def test_primary_limit_says_when_it_ends(github, asker, kind, status):
    github.faults.add("*", "/comments$", kind, seconds=30)
    answer = asker.get(PLACE)
    assert answer.status_code == status
    assert answer.headers["X-RateLimit-Remaining"] == "0"
    assert 0 < int(answer.headers["X-RateLimit-Reset"]) - time.time() <= 32


def test_who_does_not_wait_is_noticed(github, asker):
    github.faults.add("POST", "/comments$", "secondary", seconds=60)
    asker.post(PLACE, {"body": "x"})
    assert asker.post(PLACE, {"body": "x"}).status_code == 403
    assert len(github.hasty) == 1


def test_hourly_limit_is_counted(github, asker):
    github.limits.requests = 3
    codes = [asker.get("~").status_code for _ in range(4)]
    assert codes == [200, 200, 200, 403]
    assert asker.get("~").headers["X-RateLimit-Remaining"] == "0"


def test_too_much_content_in_a_minute_is_refused(github, asker):
    github.limits.content = 3
    codes = [asker.post(PLACE, {"body": "x"}).status_code for _ in range(4)]
    assert codes == [201, 201, 201, 403]


def test_token_ends_midway(github, asker):
    github.faults.add("GET", "/comments$", "expired")
    assert [asker.get(PLACE).status_code for _ in range(2)] == [401, 401]


def test_faults_come_in_order_after_others(github, asker):
    github.faults.add("GET", "/comments$", "503", skip=1, times=2)
    codes = [asker.get(PLACE).status_code for _ in range(4)]
    assert codes == [200, 503, 503, 200]
    assert github.faults.waiting == 0


def test_random_faults_are_the_same_for_a_seed(github, asker):
    def codes():
        github.faults.at_random(0.5, ("502", "503"), seed=7)
        return [asker.get(PLACE).status_code for _ in range(12)]

    assert codes() == codes()
    github.faults.clear()
    assert asker.get(PLACE).status_code == 200


def test_suspended_by_a_fault(github, asker):
    github.faults.add("*", "", "suspended")
    assert asker.get(PLACE).json()["message"] == "This installation has been suspended"


def test_time_between_writes_is_measured(github, asker):
    assert github.spacing() == float("inf")
    asker.post(PLACE, {"body": "x"})
    time.sleep(0.2)
    asker.post(PLACE, {"body": "y"})
    assert 0.2 <= github.spacing() < 20
    assert [one.body for one in github.writes] == [{"body": "x"}, {"body": "y"}]


def test_unknown_path_is_a_violation(github, asker):
    assert asker.get("~/no/such/thing").status_code == 501
    assert "does not know" in github.violations[0].what
    github.violations.clear()


@pytest.mark.parametrize(
    ("method", "path", "body"),
    [
        ("POST", PLACE, {"body": "x", "unknown": 1}),
        ("POST", PLACE, {}),
        ("POST", PLACE, {"body": 1}),
        ("GET", "~?unknown=1", None),
        ("GET", "~/pulls?state=none", None),
    ],
)
def test_what_the_description_does_not_allow_is_a_violation(github, asker, method, path, body):
    assert asker.ask(method, path, body).status_code == 422
    assert github.violations
    with pytest.raises(AssertionError, match="violations"):
        github.check()
    github.violations.clear()


def test_limits_are_told(asker):
    asker.get("~")
    told = asker.get("/rate_limit").json()
    assert told["rate"]["used"] == 2
