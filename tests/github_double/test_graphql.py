"""Review threads by GraphQL."""

from __future__ import annotations

import pytest

from tests.github_double.rest_client import Asker, lines

THREADS = """query($after: String, $first: Int = 50) {
  repository(owner: "acme", name: "cafe") { pullRequest(number: 1) {
    reviewThreads(first: $first, after: $after) {
      nodes { id isResolved isOutdated line path
        comments(first: 10) { nodes { id fullDatabaseId isMinimized author { login } } } }
      pageInfo { hasNextPage endCursor } } } } }"""
RESOLVE = """mutation($id: ID!) {
  resolveReviewThread(input: {threadId: $id}) { thread { isResolved } } }"""
MINIMIZE = """mutation($id: ID!) {
  minimizeComment(input: {subjectId: $id, classifier: OUTDATED}) {
    minimizedComment { isMinimized minimizedReason } } }"""


@pytest.fixture
def pull(github):
    repo = github.repository("cafe", files={"a.py": lines()})
    return repo.pull(files={"a.py": lines(5, 40)})


@pytest.fixture
def asker(github, pull):
    made = Asker(github, pull.repository)
    comments = [{"path": "a.py", "line": n, "side": "RIGHT", "body": f"{n}"} for n in (5, 40)]
    made.post("~/pulls/1/reviews", {"event": "COMMENT", "comments": comments})
    return made


def threads(asker, **variables):
    answer = asker.graphql(THREADS, **variables)
    return answer["data"]["repository"]["pullRequest"]["reviewThreads"]


def test_threads_are_listed_with_their_comments(pull, asker):
    pull.reply(pull.threads()[0], "bob", "really?")
    pull.push({"a.py": lines(5)})
    first, second = threads(asker)["nodes"]
    assert [c["author"]["login"] for c in first["comments"]["nodes"]] == ["assayer", "bob"]
    assert (first["line"], first["isOutdated"]) == (5, False)
    assert (second["line"], second["isOutdated"]) == (None, True)


def test_threads_come_in_pages(asker):
    first = threads(asker, first=1)
    assert first["pageInfo"]["hasNextPage"]
    rest = threads(asker, first=1, after=first["pageInfo"]["endCursor"])
    assert not rest["pageInfo"]["hasNextPage"]
    assert first["nodes"][0]["id"] != rest["nodes"][0]["id"]


def test_thread_is_resolved_and_its_comment_minimised(pull, asker):
    node = threads(asker)["nodes"][0]
    assert asker.graphql(RESOLVE, id=node["id"])["data"]
    minimised = asker.graphql(MINIMIZE, id=node["comments"]["nodes"][0]["id"])
    told = minimised["data"]["minimizeComment"]["minimizedComment"]
    assert told == {"isMinimized": True, "minimizedReason": "outdated"}
    assert [thread.resolved for thread in pull.threads()] == [True, False]
    assert [one.method for one in asker.github.writes][-2:] == ["POST", "POST"]


def test_sticky_comment_is_minimised(pull, asker):
    made = asker.post("~/issues/1/comments", {"body": "all of it"}).json()
    assert asker.graphql(MINIMIZE, id=made["node_id"])["data"]
    assert pull.comments()[0].minimized == "OUTDATED"


def test_resolving_needs_contents(github, pull, asker):
    node = threads(asker)["nodes"][0]
    token = github.token(permissions={"pull_requests": "write"})
    answer = Asker(github, pull.repository, token).graphql(RESOLVE, id=node["id"])
    assert answer["errors"][0]["type"] == "FORBIDDEN"
    assert answer["errors"][0]["message"] == "Resource not accessible by integration"
    assert not pull.threads()[0].resolved


def test_unknown_node_is_told(asker):
    for node in ("PRRT_MQ", "nonsense"):
        assert asker.graphql(RESOLVE, id=node)["errors"][0]["type"] == "NOT_FOUND"


def test_private_repository_is_hidden(github):
    hidden = github.repository("elsewhere/cafe", private=True)
    query = 'query { repository(owner: "elsewhere", name: "cafe") { id } }'
    answer = Asker(github, hidden).graphql(query)
    assert answer["data"]["repository"] is None
    assert answer["errors"][0]["type"] == "NOT_FOUND"


@pytest.mark.parametrize(
    "query",
    [
        "query { nothing }",
        "query {",
        'query { node(id: "x") { id nope } }',
        "query { node { id } }",
    ],
)
def test_wrong_query_is_a_violation(github, asker, query):
    assert "errors" in asker.graphql(query)
    assert [one.where for one in github.violations] == ["graphql"]
    github.violations.clear()


def test_connection_wants_a_size_of_at_most_100(asker):
    assert threads(asker, first=100)
    answer = asker.graphql(THREADS, first=101)
    assert answer["errors"][0]["type"] == "EXCESSIVE_PAGINATION"
