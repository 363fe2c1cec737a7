from __future__ import annotations

from datetime import timedelta
from email.utils import format_datetime
from pathlib import Path

import pytest

from tests.worker.github_app.client.scripted import START, Github, app, get, post, reply
from worker.github_app.client.api import Api
from worker.github_app.client.errors import ForbiddenError, RateLimitedError

SECONDARY = {"message": "You have exceeded a secondary rate limit and have been blocked."}
EXHAUSTED = {"x-ratelimit-remaining": "0"}


def reset(seconds: float) -> dict[str, str]:
    return EXHAUSTED | {"x-ratelimit-reset": str(int(START.timestamp() + seconds))}


@pytest.mark.parametrize(
    ("status", "body", "headers", "seconds", "secondary"),
    [
        (403, {"message": "API rate limit exceeded"}, reset(1200), 1200, False),
        (429, None, reset(1200), 1200, False),
        (403, None, EXHAUSTED, 60, False),
        (403, None, reset(-500), 1, False),
        (403, None, reset(10**9), 7200, False),
        (403, SECONDARY, {"retry-after": "30"}, 30, True),
        (403, {"message": "reworded"}, {"retry-after": "30"}, 30, True),
        (403, SECONDARY, {"retry-after": "30"} | reset(1200), 30, True),
        (403, SECONDARY, {"retry-after": "0"}, 1, True),
        (403, SECONDARY, {"retry-after": "soon"}, 60, True),
        (403, SECONDARY, {}, 60, True),
        (403, SECONDARY, {"x-ratelimit-remaining": "4000"}, 60, True),
        (403, {"message": "You have triggered an abuse detection mechanism."}, {}, 60, True),
        (429, None, {}, 60, True),
        (429, None, {"retry-after": "99999999999999999999"}, 7200, True),
    ],
)
def test_a_rate_limit_says_until_when(
    github: Github,
    api: Api,
    status: int,
    body: object,
    headers: dict[str, str],
    seconds: int,
    secondary: bool,
) -> None:
    github.replies = [reply(status, body, headers)]
    with pytest.raises(RateLimitedError) as raised:
        post(api, "/repos/o/r/check-runs", {})
    assert raised.value.until == START + timedelta(seconds=seconds)
    assert raised.value.secondary is secondary
    assert raised.value.status == status
    assert len(github.asked) == 1


def test_a_retry_after_may_be_a_date(github: Github, api: Api) -> None:
    headers = {
        "retry-after": format_datetime(START + timedelta(seconds=90)),
        "date": format_datetime(START),
    }
    github.replies = [reply(429, None, headers)]
    with pytest.raises(RateLimitedError) as raised:
        get(api, "/a")
    assert raised.value.until == START + timedelta(seconds=90)


def test_a_reset_is_counted_by_githubs_own_clock(github: Github, api: Api) -> None:
    served = {"date": format_datetime(START + timedelta(seconds=300))}
    github.replies = [reply(403, None, reset(400) | served)]
    with pytest.raises(RateLimitedError) as raised:
        get(api, "/a")
    assert raised.value.until == START + timedelta(seconds=100)


def test_a_403_of_another_kind_is_no_limit(github: Github, api: Api) -> None:
    github.replies = [reply(403, {"message": "no"}, {"x-ratelimit-remaining": "4999"})]
    with pytest.raises(ForbiddenError):
        get(api, "/a")


def test_nothing_is_sent_while_a_limit_lasts(github: Github, tmp_path: Path) -> None:
    asked = app(github, tmp_path)
    one = asked.installation(1, 42, {"checks": "write"})
    same = asked.installation(1, 43, {"issues": "write"})
    other = asked.installation(2, 44, {"checks": "write"})
    github.replies = [reply(429, None, {"retry-after": "30"}), reply(200, {}), reply(200, {})]
    with pytest.raises(RateLimitedError):
        post(one, "/a", {})
    with pytest.raises(RateLimitedError) as raised:
        get(same, "/a")
    assert raised.value.until == START + timedelta(seconds=30)
    get(other, "/a")
    assert len(github.asked) == 2
    github.clock.pass_(31)
    get(same, "/a")


def test_limits_without_a_time_last_longer_in_a_row(github: Github, api: Api) -> None:
    pauses: list[float] = []
    github.replies = [reply(403, SECONDARY) for _ in range(7)]
    github.replies += [reply(200, {}), reply(403, SECONDARY)]
    for _ in range(7):
        pauses.append(_pause(github, api))
    get(api, "/a")
    pauses.append(_pause(github, api))
    assert pauses == [60, 120, 240, 480, 960, 960, 960, 60]


def _pause(github: Github, api: Api) -> float:
    with pytest.raises(RateLimitedError) as raised:
        get(api, "/a")
    pause = (raised.value.until - github.clock()).total_seconds()
    github.clock.pass_(pause)
    return pause


def test_a_graphql_limit_lasts_until_its_reset(github: Github, api: Api) -> None:
    body = {"errors": [{"type": "RATE_LIMITED", "message": "API rate limit exceeded"}]}
    github.replies = [reply(200, body, reset(900))]
    with pytest.raises(RateLimitedError) as raised:
        api.graphql_query("query Q { a }", {})
    assert raised.value.until == START + timedelta(seconds=900)
