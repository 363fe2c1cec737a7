"""Review threads: what REST cannot say or do (GraphQL)."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Literal, cast

from pydantic import Field

from worker.github_app.client.api import Api
from worker.github_app.client.errors import NotFoundError, TooLargeError
from worker.github_app.client.models import BOT, Model, read

Reason = Literal["OUTDATED", "RESOLVED", "DUPLICATE", "OFF_TOPIC"]

MOST_PAGES = 50

_COMMENTS = """
        pageInfo { hasNextPage endCursor }
        nodes {
          id
          fullDatabaseId
          body
          isMinimized
          author { __typename login }
        }
"""

LIST = f"""query Threads($owner: String!, $name: String!, $number: Int!, $after: String) {{
  repository(owner: $owner, name: $name) {{
    pullRequest(number: $number) {{
      reviewThreads(first: 50, after: $after) {{
        pageInfo {{ hasNextPage endCursor }}
        nodes {{
          id
          isResolved
          isOutdated
          path
          line
          startLine
          comments(first: 50) {{{_COMMENTS}          }}
        }}
      }}
    }}
  }}
}}"""

MORE_COMMENTS = f"""query ThreadComments($thread: ID!, $after: String) {{
  node(id: $thread) {{
    ... on PullRequestReviewThread {{
      comments(first: 100, after: $after) {{{_COMMENTS}      }}
    }}
  }}
}}"""

RESOLVE = """mutation ResolveThread($thread: ID!) {
  resolveReviewThread(input: {threadId: $thread}) { thread { id isResolved } }
}"""

UNRESOLVE = """mutation UnresolveThread($thread: ID!) {
  unresolveReviewThread(input: {threadId: $thread}) { thread { id isResolved } }
}"""

MINIMISE = """mutation MinimizeComment($comment: ID!, $reason: ReportedContentClassifiers!) {
  minimizeComment(input: {subjectId: $comment, classifier: $reason}) {
    minimizedComment { isMinimized }
  }
}"""


class ThreadComment(Model):
    """A comment in a thread; ``id`` is what REST calls it, ``node`` GraphQL.

    ``login`` is written as REST does (``assayer[bot]``), ``None`` where the
    account is gone.
    """

    node: str = Field(validation_alias="id")
    id: int | None = Field(validation_alias="fullDatabaseId")
    body: str
    login: str | None
    bot: bool
    minimised: bool = Field(validation_alias="isMinimized")


class Thread(Model):
    """A review thread; ``line`` is ``None`` at a file or when outdated.

    ``start_line`` is ``None`` where it is at one line, too.
    """

    id: str
    resolved: bool = Field(validation_alias="isResolved")
    outdated: bool = Field(validation_alias="isOutdated")
    path: str
    line: int | None
    start_line: int | None = Field(default=None, validation_alias="startLine")
    comments: tuple[ThreadComment, ...]

    def answered_by_people(self, ours: str) -> bool:
        """Return whether somebody other than ``ours`` and other bots wrote in it."""
        return any(not comment.bot and comment.login != ours for comment in self.comments)


def of_pull(api: Api, repository: str, number: int) -> tuple[Thread, ...]:
    """All threads of a pull request with all of their comments, the oldest first."""
    return tuple(_thread(api, node) for node in _nodes(api, repository, number))


def resolve(api: Api, thread: str) -> None:
    """Mark a thread as resolved; ``ForbiddenError`` where the App may not."""
    _ask(api, RESOLVE, {"thread": thread})


def unresolve(api: Api, thread: str) -> None:
    """Open a resolved thread again."""
    _ask(api, UNRESOLVE, {"thread": thread})


def minimise(api: Api, comment_node: str, reason: Reason = "RESOLVED") -> None:
    """Fold a comment, saying why."""
    _ask(api, MINIMISE, {"comment": comment_node, "reason": reason})


def _ask(api: Api, query: str, variables: dict[str, Any]) -> dict[str, Any]:
    data: dict[str, Any] = api.graphql_query(query, variables)[1]["data"]
    return data


def _nodes(api: Api, repository: str, number: int) -> Iterator[dict[str, Any]]:
    owner, _, name = repository.partition("/")
    variables: dict[str, Any] = {"owner": owner, "name": name, "number": number}
    after: str | None = None
    for _ in range(MOST_PAGES):
        data = _ask(api, LIST, variables | {"after": after})
        page = _below(data, "repository", "pullRequest", "reviewThreads")
        yield from _entries(page)
        after = _cursor(page)
        if after is None:
            return
    raise TooLargeError(f"pull request {number} has more than {MOST_PAGES} pages of threads")


def _thread(api: Api, node: dict[str, Any]) -> Thread:
    return read(Thread, node | {"comments": [_comment(entry) for entry in _comments(api, node)]})


def _comments(api: Api, node: dict[str, Any]) -> Iterator[dict[str, Any]]:
    page = _below(node, "comments")
    for _ in range(MOST_PAGES):
        yield from _entries(page)
        after = _cursor(page)
        if after is None:
            return
        data = _ask(api, MORE_COMMENTS, {"thread": node.get("id"), "after": after})
        page = _below(data, "node", "comments")
    raise TooLargeError(f"a thread has more than {MOST_PAGES} pages of comments")


def _comment(node: dict[str, Any]) -> dict[str, Any]:
    author = cast("dict[str, Any]", node.get("author") or {})
    bot = author.get("__typename") == BOT
    login = author.get("login")
    if bot and isinstance(login, str) and not login.endswith("[bot]"):
        login += "[bot]"
    return node | {"login": login, "bot": bot}


def _below(data: dict[str, Any], *keys: str) -> dict[str, Any]:
    for key in keys:
        found = data.get(key)
        if not isinstance(found, dict):
            raise NotFoundError(f"GitHub's GraphQL shows no {key}", status=200)
        data = cast("dict[str, Any]", found)
    return data


def _entries(page: dict[str, Any]) -> Iterator[dict[str, Any]]:
    """The entries that we may see: GitHub sends null for others."""
    nodes: list[Any] = page.get("nodes") or []
    yield from (cast("dict[str, Any]", node) for node in nodes if isinstance(node, dict))


def _cursor(page: dict[str, Any]) -> str | None:
    info = page.get("pageInfo") or {}
    return info.get("endCursor") if info.get("hasNextPage") else None
