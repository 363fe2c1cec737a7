"""Review threads: what REST cannot say or do (GraphQL)."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any, cast

from pydantic import Field

from worker.github_app.client.api import Api
from worker.github_app.client.errors import NotFoundError, TooLargeError
from worker.github_app.client.objects import BOT, Model, read

MOST_PAGES = 50

_COMMENTS = """
        pageInfo { hasNextPage endCursor }
        nodes {
          fullDatabaseId
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


class ThreadComment(Model):
    """A comment in a thread, ``id`` as REST calls it.

    ``login`` is written as REST does (``assayer[bot]``), ``None`` where the
    account is gone.
    """

    id: int | None = Field(validation_alias="fullDatabaseId")
    login: str | None
    bot: bool


class Thread(Model):
    """A review thread with its comments."""

    id: str
    resolved: bool = Field(validation_alias="isResolved")
    outdated: bool = Field(validation_alias="isOutdated")
    comments: tuple[ThreadComment, ...]

    def answered_by_people(self, ours: str) -> bool:
        """Return whether somebody other than ``ours`` and other bots wrote in it."""
        return any(not comment.bot and comment.login != ours for comment in self.comments)


def of_pull(api: Api, repository: str, number: int) -> tuple[Thread, ...]:
    """Return all threads of a pull request with all of their comments, the oldest first."""
    owner, _, name = repository.partition("/")
    variables = {"owner": owner, "name": name, "number": number}

    def page(after: str | None) -> dict[str, Any]:
        data = _ask(api, LIST, variables | {"after": after})
        return _below(data, "repository", "pullRequest", "reviewThreads")

    threads = _entries(f"pull request {number}", page)
    return tuple(read(Thread, node | {"comments": _comments(api, node)}) for node in threads)


def resolve(api: Api, thread: str) -> None:
    """Mark a thread as resolved; raise ``ForbiddenError`` where the App may not."""
    api.graphql_named_mutation("resolveReviewThread", {"threadId": thread}, "thread { id }")


def unresolve(api: Api, thread: str) -> None:
    """Open a resolved thread again."""
    api.graphql_named_mutation("unresolveReviewThread", {"threadId": thread}, "thread { id }")


def minimise(api: Api, comment_node: str) -> None:
    """Fold a comment as resolved."""
    folded = {"subjectId": comment_node, "classifier": "RESOLVED"}
    api.graphql_named_mutation("minimizeComment", folded, "minimizedComment { isMinimized }")


def _ask(api: Api, query: str, variables: dict[str, Any]) -> dict[str, Any]:
    data: dict[str, Any] = api.graphql_query(query, variables)[1]["data"]
    return data


def _comments(api: Api, node: dict[str, Any]) -> list[dict[str, Any]]:
    def page(after: str | None) -> dict[str, Any]:
        if after is None:
            return _below(node, "comments")
        data = _ask(api, MORE_COMMENTS, {"thread": node.get("id"), "after": after})
        return _below(data, "node", "comments")

    return [_comment(entry) for entry in _entries("a thread", page)]


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


def _entries(
    what: str, page_after: Callable[[str | None], dict[str, Any]]
) -> Iterator[dict[str, Any]]:
    """Yield the entries of all pages that we may see: GitHub sends null for others."""
    after: str | None = None
    for _ in range(MOST_PAGES):
        page = page_after(after)
        nodes: list[Any] = page.get("nodes") or []
        yield from (cast("dict[str, Any]", node) for node in nodes if isinstance(node, dict))
        info = page.get("pageInfo") or {}
        after = info.get("endCursor") if info.get("hasNextPage") else None
        if after is None:
            return
    raise TooLargeError(f"{what} has more than {MOST_PAGES} pages")
