from __future__ import annotations

from pathlib import Path

import pytest
import requests
import urllib3

from tests.worker.github_app.client.scripted import (
    SECRET,
    Github,
    app,
    body_of,
    get,
    params_of,
    path_of,
    post,
    raw,
    reply,
)
from worker.github_app.client import wire
from worker.github_app.client.api import TRIES, Api
from worker.github_app.client.errors import (
    ConflictError,
    ForbiddenError,
    GithubError,
    GoneError,
    MovedError,
    NotFoundError,
    RefusedError,
    SuspendedError,
    TooLargeError,
    UnavailableError,
    UncertainError,
)
from worker.github_app.client.objects import listed, review_comments


def test_a_read_is_repeated_until_it_is_answered(github: Github, api: Api) -> None:
    github.replies = [reply(502), requests.ReadTimeout("late"), reply(200, {"id": 1})]
    assert get(api, "/app") == {"id": 1}
    assert len(github.asked) == 3
    assert github.clock.slept == sorted(github.clock.slept)


def test_a_read_is_given_up_after_four_tries(github: Github, api: Api) -> None:
    github.replies = [reply(503) for _ in range(10)]
    with pytest.raises(UnavailableError) as raised:
        get(api, "/app")
    assert raised.value.status == 503
    assert len(github.asked) == TRIES


@pytest.mark.parametrize(
    "end",
    [
        reply(500),
        reply(502),
        reply(504),
        requests.ReadTimeout("late"),
        requests.ConnectionError("closed"),
        requests.exceptions.ChunkedEncodingError("reset"),
    ],
)
def test_a_write_with_an_unknown_end_is_sent_once(
    github: Github, api: Api, end: urllib3.HTTPResponse | Exception
) -> None:
    github.replies = [end, reply(201, {"id": 1})]
    with pytest.raises(UncertainError):
        post(api, "/repos/o/r/check-runs", {"name": "Assayer"})
    assert len(github.asked) == 1


@pytest.mark.parametrize("end", [requests.ConnectTimeout("late"), requests.exceptions.ProxyError()])
def test_a_write_that_never_left_is_known_not_to_be_done(
    github: Github, api: Api, end: Exception
) -> None:
    github.replies = [end]
    with pytest.raises(UnavailableError):
        api.send("PATCH", "/repos/o/r/check-runs/1", {"status": "completed"})
    assert len(github.asked) == 1


def test_a_write_answered_with_something_else_than_json_is_uncertain(
    github: Github, api: Api
) -> None:
    github.replies = [raw(201, b"<html>")]
    with pytest.raises(UncertainError):
        post(api, "/repos/o/r/issues/1/comments", {"body": "x"})


def test_every_write_of_every_method_is_sent_once(github: Github, api: Api) -> None:
    github.replies = [reply(502) for _ in range(4)]
    verbs = ["POST", "PATCH", "PUT", "DELETE"]
    for verb in verbs:
        with pytest.raises(UncertainError):
            api.send(verb, "/a", {})
    assert [request.method for request in github.asked] == verbs


def test_requests_say_who_asks_for_what(github: Github, api: Api) -> None:
    github.replies = [reply(200, {})]
    get(api, "/repos/o/r")
    headers = github.asked[0].headers
    assert headers["user-agent"].startswith("assayer")
    assert headers["accept"] == "application/vnd.github+json"
    assert headers["x-github-api-version"] == "2022-11-28"
    assert headers["authorization"] == f"Bearer {SECRET}1"


@pytest.mark.parametrize(
    ("status", "body", "kind"),
    [
        (403, {"message": "Resource not accessible by integration"}, ForbiddenError),
        (403, {"message": "This installation has been suspended"}, SuspendedError),
        (403, None, ForbiddenError),
        (404, {"message": "Not Found"}, NotFoundError),
        (406, {"message": "Sorry, the diff exceeded …"}, TooLargeError),
        (403, {"message": "too big", "errors": [{"code": "too_large"}]}, TooLargeError),
        (409, {"message": "Git Repository is empty."}, ConflictError),
        (410, {"message": "Issues are disabled for this repo"}, GoneError),
        (400, {"message": "Problems parsing JSON"}, GithubError),
    ],
)
def test_an_answers_status_decides_what_went_wrong(
    github: Github, api: Api, status: int, body: object, kind: type[GithubError]
) -> None:
    github.replies = [reply(status, body)]
    with pytest.raises(GithubError) as raised:
        get(api, "/repos/o/r")
    assert type(raised.value) is kind
    assert raised.value.status == status
    assert len(github.asked) == 1


@pytest.mark.parametrize(
    ("errors", "problems"),
    [
        (["Path could not be resolved"], ("Path could not be resolved",)),
        (
            [{"resource": "CheckRun", "code": "custom", "field": "summary", "message": "too long"}],
            ("CheckRun summary custom: too long",),
        ),
        ([{"resource": "Label", "code": "invalid", "field": "color"}], ("Label color invalid",)),
        ("one string", ("one string",)),
        ([None, 3, {}, "kept"], ("kept",)),
        (None, ("Validation Failed",)),
    ],
)
def test_a_refusal_lists_its_problems(
    github: Github, api: Api, errors: object, problems: tuple[str, ...]
) -> None:
    body = {"message": "Validation Failed"} | ({} if errors is None else {"errors": errors})
    github.replies = [reply(422, body)]
    with pytest.raises(RefusedError) as raised:
        post(api, "/repos/o/r/pulls/1/reviews", {})
    assert raised.value.problems == problems
    assert all(problem in str(raised.value) for problem in problems)


def test_what_github_says_becomes_one_short_line(github: Github, api: Api) -> None:
    github.replies = [reply(400, {"message": "a\n\x1b[31mb\x00" + "c" * 5000})]
    with pytest.raises(GithubError) as raised:
        get(api, "/repos/o/r")
    assert "a [31mb ccc" in raised.value.message
    assert raised.value.message.isprintable()
    assert len(raised.value.message) < 700


def test_an_answer_over_the_size_limit_is_not_taken(
    github: Github, api: Api, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(wire, "MOST_BYTES", 1000)
    github.replies = [raw(200, b"x" * 1001) for _ in range(2)]
    with pytest.raises(TooLargeError):
        get(api, "/repos/o/r")
    with pytest.raises(UncertainError):
        post(api, "/repos/o/r/check-runs", {})


def test_pages_follow_link_to_the_end(github: Github, api: Api) -> None:
    link = '<http://127.0.0.1:9/x?page=2>; rel="next", <http://127.0.0.1:9/x?page=2>; rel="last"'
    pages = [reply(200, [{"sha": "a"}, {"sha": "b"}], {"link": link}), reply(200, [{"sha": "c"}])]
    github.replies = [*pages]
    commits = listed(api.repository("o/r").get_pull(1).get_commits(), "sha")
    assert [commit.sha for commit in commits] == ["a", "b", "c"]
    assert params_of(github.asked[0]) == {"per_page": "100"}
    assert github.asked[1].url == "http://127.0.0.1:9/x?page=2"


def test_pages_stop_at_their_bound(github: Github, api: Api) -> None:
    link = {"link": '<http://127.0.0.1:9/x?page=2>; rel="next"'}
    github.replies = [reply(200, [{"sha": "a"}], link) for _ in range(5)]
    with pytest.raises(TooLargeError):
        list(listed(api.repository("o/r").get_pull(1).get_commits(), "sha", most=3))
    assert len(github.asked) == 4


def test_entries_of_a_list_are_not_asked_for_one_by_one(github: Github, api: Api) -> None:
    github.replies = [reply(200, [{"id": 1, "node_id": "C", "body": "", "path": "a.py"}])]
    (found,) = review_comments(api.repository("o/r").get_pull(1))
    assert (found.in_reply_to_id, found.line, found.user) == (None, None, None)
    assert len(github.asked) == 1


@pytest.mark.parametrize(
    "elsewhere",
    [
        "http://127.0.0.1:10/x",
        "https://127.0.0.1:9/x",
        "http://evil.example/x",
        "http://a@127.0.0.1:9/x",
        "file:///etc/passwd",
        "//evil.example/x",
        "http://x:port/",
    ],
)
def test_a_link_to_another_server_is_refused(github: Github, api: Api, elsewhere: str) -> None:
    github.replies = [reply(200, [{"sha": "a"}], {"link": f'<{elsewhere}>; rel="next"'})]
    with pytest.raises(MovedError):
        list(api.repository("o/r").get_pull(1).get_commits())
    assert len(github.asked) == 1


@pytest.mark.parametrize("status", [301, 302, 307, 308])
def test_a_read_follows_a_renamed_repository(github: Github, api: Api, status: int) -> None:
    place = {"location": "http://127.0.0.1:9/repositories/42/pulls/1"}
    github.replies = [reply(status, None, place), reply(200, {"number": 1})]
    assert get(api, "/repos/old/name/pulls/1") == {"number": 1}
    assert path_of(github.asked[1]) == "/repositories/42/pulls/1"
    assert github.asked[1].headers["authorization"] == f"Bearer {SECRET}1"


def test_a_write_follows_only_where_github_did_not_do_it(github: Github, api: Api) -> None:
    place = {"location": "/repositories/42/check-runs"}
    github.replies = [reply(307, None, place), reply(201, {"id": 1}), reply(301, None, place)]
    assert post(api, "/repos/old/name/check-runs", {"name": "a"}) == {"id": 1}
    assert github.asked[1].method == "POST"
    assert body_of(github.asked[1]) == {"name": "a"}
    with pytest.raises(MovedError):
        post(api, "/repos/old/name/check-runs", {"name": "a"})


@pytest.mark.parametrize("place", ["http://evil.example/x", "//evil.example/x"])
def test_no_redirection_carries_the_token_elsewhere(github: Github, api: Api, place: str) -> None:
    github.replies = [reply(301, None, {"location": place})]
    with pytest.raises(MovedError):
        get(api, "/repos/o/r")
    assert len(github.asked) == 1


def test_a_redirection_to_no_address_is_no_answer(github: Github, api: Api) -> None:
    github.replies = [reply(301, None, {"location": "http://x:port/"})]
    with pytest.raises(MovedError):
        get(api, "/repos/o/r")


def test_redirections_in_a_circle_end(github: Github, api: Api) -> None:
    github.replies = [reply(301, None, {"location": "/repos/o/r"}) for _ in range(20)]
    with pytest.raises(MovedError):
        get(api, "/repos/o/r")
    assert len(github.asked) < 10


@pytest.mark.parametrize(
    ("root", "rest", "graphql"),
    [
        ("http://127.0.0.1:9", "/repos/o/r", "/graphql"),
        ("http://127.0.0.1:9/", "/repos/o/r", "/graphql"),
        ("http://127.0.0.1:9/api/v3", "/api/v3/repos/o/r", "/api/graphql"),
        ("http://127.0.0.1:9/api/v3/", "/api/v3/repos/o/r", "/api/graphql"),
    ],
)
def test_an_api_may_lie_below_a_path(
    github: Github, tmp_path: Path, root: str, rest: str, graphql: str
) -> None:
    api = app(github, tmp_path, api_url=root).installation(1, None, {"checks": "read"})
    github.replies = [reply(200, {}), reply(200, {"data": {"viewer": {}}})]
    get(api, "/repos/o/r")
    assert api.graphql_query("query { viewer { login } }", {})[1]["data"] == {"viewer": {}}
    assert [path_of(request) for request in github.asked] == [rest, graphql]


@pytest.mark.parametrize(
    ("errors", "kind"),
    [
        ([{"type": "NOT_FOUND", "message": "gone"}], NotFoundError),
        ([{"type": "FORBIDDEN", "message": "no"}], ForbiddenError),
        ([{"message": "no such field", "extensions": {"code": "undefinedField"}}], RefusedError),
        ([{"type": "UNPROCESSABLE", "message": "no"}], RefusedError),
        ([{"message": "Something went wrong"}], UncertainError),
        ("?", UncertainError),
    ],
)
def test_graphql_errors_are_told_apart_by_their_type(
    github: Github, api: Api, errors: object, kind: type[GithubError]
) -> None:
    github.replies = [reply(200, {"data": None, "errors": errors})]
    with pytest.raises(kind):
        api.graphql_query("mutation M { x }", {})
    assert len(github.asked) == 1


def test_a_graphql_query_is_repeated_and_a_mutation_is_not(github: Github, api: Api) -> None:
    github.replies = [reply(502), reply(200, {"data": {"a": 1}}), reply(502)]
    assert api.graphql_query("query Q { a }", {})[1]["data"] == {"a": 1}
    with pytest.raises(UncertainError):
        api.graphql_query("mutation M { a }", {})
    assert len(github.asked) == 3


def test_graphql_without_data_is_no_answer(github: Github, api: Api) -> None:
    github.replies = [reply(200, []) for _ in range(4)]
    with pytest.raises(UnavailableError):
        api.graphql_query("query Q { a }", {})


def test_every_request_is_counted_by_method_and_outcome(github: Github, tmp_path: Path) -> None:
    counted: list[tuple[str, str]] = []

    def count(method: str, outcome: str) -> None:
        counted.append((method, outcome))

    api = app(github, tmp_path, count=count).installation(1, None, {"checks": "write"})
    github.replies = [reply(502), reply(200, {}), reply(422, {}), reply(502), reply(403, {})]
    get(api, "/a")
    for _ in range(3):
        with pytest.raises(GithubError):
            post(api, "/a", {})
    assert counted == [
        ("POST", "ok"),
        ("GET", "unavailable"),
        ("GET", "ok"),
        ("POST", "refused"),
        ("POST", "uncertain"),
        ("POST", "forbidden"),
    ]
