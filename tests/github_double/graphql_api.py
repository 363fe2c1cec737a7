"""GraphQL for review threads, over the part of GitHub's own schema that reviews need."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from functools import cache
from typing import Any

from graphql import GraphQLSchema, build_schema, execute, parse, validate
from graphql.error import GraphQLError

from tests.github_double import anchors, openapi_description
from tests.github_double.responses import Answer, RefusalError
from tests.github_double.rest_objects import node, number_of
from tests.github_double.service import Request, Service
from tests.github_double.shared_services import Hub
from tests.github_double.state import (
    Account,
    IssueComment,
    Logged,
    Pull,
    Repository,
    ReviewComment,
    Thread,
)
from tests.github_double.state_changes import Deeds
from tests.github_double.tokens import Actor, check_token


@cache
def schema() -> GraphQLSchema:
    return build_schema((openapi_description.FOLDER / "schema.graphql").read_text())


class GraphQL:
    """Executes queries."""

    def __init__(self, hub: Hub, deeds: Deeds, rest: Service) -> None:
        self._hub = hub
        self._deeds = deeds
        self._rest = rest

    def answer(self, request: Request, logged: Logged) -> Answer:
        """Answer a query; what is wrong with it is a violation, as it would be in REST."""
        with self._hub.state.lock:
            try:
                actor = check_token(self._hub.state, request.headers.get("Authorization"))
                assert actor.installation is not None
                logged.installation = actor.installation.id
                self._rest.spend(actor.installation, request, logged)
                return self._executed(json.loads(request.body), actor, logged)
            except RefusalError as refusal:
                self._hub.refusals.append(logged)
                return Answer(refusal.status, refusal.body, refusal.headers)

    def _executed(self, asked: dict[str, Any], actor: Actor, logged: Logged) -> Answer:
        logged.body = asked
        try:
            document = parse(asked["query"])
        except GraphQLError as error:
            return self._wrong([error])
        wrong = validate(schema(), document)
        if wrong:
            return self._wrong(wrong)
        root = _Root(self._hub, self._deeds, actor)
        done = execute(
            schema(), document, root_value=root.fields(), variable_values=asked.get("variables")
        )
        body: dict[str, Any] = {"data": done.data}
        if done.errors:
            body["errors"] = [_shape(error) for error in done.errors]
            logged.answer = body
            self._hub.refusals.append(logged)
        logged.done = not done.errors
        return Answer(200, body)

    def _wrong(self, errors: Sequence[GraphQLError]) -> Answer:
        self._hub.violated("graphql", *[error.message for error in errors])
        return Answer(200, {"errors": [_shape(error) for error in errors]})


class GraphRefusalError(GraphQLError):
    def __init__(self, kind: str, message: str) -> None:
        super().__init__(message, extensions={"type": kind})


def _shape(error: GraphQLError) -> dict[str, Any]:
    shape: dict[str, Any] = {"message": error.message}
    original = error.original_error
    extensions = error.extensions or getattr(original, "extensions", None) or {}
    if "type" in extensions:
        shape["type"] = extensions["type"]
    if error.path:
        shape["path"] = list(error.path)
    if error.locations:
        shape["locations"] = [{"line": at.line, "column": at.column} for at in error.locations]
    return shape


class _Root:
    """The fields of Query and Mutation, for one who asks."""

    def __init__(self, hub: Hub, deeds: Deeds, actor: Actor) -> None:
        self._hub = hub
        self._deeds = deeds
        self._actor = actor

    def fields(self) -> dict[str, Any]:
        return {
            "repository": self._repository,
            "node": self._node,
            "rateLimit": self._rate,
            "viewer": lambda _info: self._account(self._hub.bot),
            "resolveReviewThread": lambda _info, **given: self._turn(given["input"], resolve=True),
            "unresolveReviewThread": lambda _info, **given: self._turn(
                given["input"], resolve=False
            ),
            "minimizeComment": lambda _info, **given: self._minimize(
                given["input"], given["input"]["classifier"]
            ),
            "unminimizeComment": lambda _info, **given: self._minimize(given["input"], None),
        }

    def _rate(self, _info: Any, **_: Any) -> dict[str, Any]:
        limit = self._hub.limits.requests
        used = self._actor.installation.spent if self._actor.installation else 0
        return {
            "cost": 1,
            "limit": limit,
            "nodeCount": 1,
            "remaining": limit - used,
            "used": used,
            "resetAt": "2030-01-01T00:00:00Z",
        }

    def _repository(self, _info: Any, owner: str, name: str, **_: Any) -> dict[str, Any]:
        found = self._hub.state.by_name.get(f"{owner}/{name}".lower())
        if found is None or found.deleted or not self._readable(found):
            raise GraphRefusalError(
                "NOT_FOUND", f"Could not resolve to a Repository with the name '{owner}/{name}'."
            )
        return {
            "__typename": "Repository",
            "id": node("R", found.id),
            "databaseId": found.id,
            "name": found.name,
            "nameWithOwner": found.full_name,
            "isPrivate": found.private,
            "pullRequest": lambda _info, number: self._pull_numbered(found, number),
        }

    def _readable(self, repository: Repository) -> bool:
        return self._actor.sees(repository) or not repository.private

    def _pull_numbered(self, repository: Repository, number: int) -> dict[str, Any]:
        pull = self._hub.state.pulls.get((repository.id, number))
        if pull is None:
            raise GraphRefusalError(
                "NOT_FOUND", f"Could not resolve to a PullRequest with the number of {number}."
            )
        self._need(pull.repository, ("pull_requests", "read"))
        return self._pull(pull)

    def _need(self, repository: Repository, *needed: tuple[str, str]) -> None:
        seen = self._actor.sees(repository)
        if not seen or not all(self._actor.may(name, level) for name, level in needed):
            raise GraphRefusalError("FORBIDDEN", "Resource not accessible by integration")

    def _pull(self, pull: Pull) -> dict[str, Any]:
        threads = self._hub.state.threads_of.get(pull.id, [])
        public = [t for t in threads if not t.comments[0].pending]
        comments = self._hub.state.comments_of.get(pull.issue.id, [])
        return {
            "__typename": "PullRequest",
            "id": node("PR", pull.id),
            "databaseId": pull.id,
            "number": pull.number,
            "headRefOid": pull.head_sha,
            "state": "MERGED" if pull.merged_at else pull.issue.state.upper(),
            "url": self._hub.shapes.pull_page(pull),
            "reviewThreads": _connection(public, self._thread),
            "comments": _connection(comments, self._issue_comment),
        }

    def _thread(self, thread: Thread) -> dict[str, Any]:
        place = anchors.now_at(thread)
        resolved = thread.resolved_by
        return {
            "__typename": "PullRequestReviewThread",
            "id": node("PRRT", thread.id),
            "isResolved": thread.resolved,
            "isOutdated": anchors.outdated(thread),
            "isCollapsed": thread.resolved,
            "path": thread.path,
            "line": place.line if place else None,
            "originalLine": thread.line,
            "startLine": place.start if place else None,
            "diffSide": thread.side,
            "subjectType": "FILE" if thread.file else "LINE",
            "resolvedBy": self._account(resolved) if resolved else None,
            "comments": _connection(thread.comments, self._review_comment),
            "viewerCanResolve": self._may_resolve(thread) and not thread.resolved,
            "viewerCanUnresolve": self._may_resolve(thread) and thread.resolved,
            "viewerCanReply": self._actor.may("pull_requests", "write"),
        }

    def _may_resolve(self, thread: Thread) -> bool:
        needed = self._hub.limits.resolve_needs
        return all(self._actor.may(name, level) for name, level in needed)

    def _account(self, account: Account) -> dict[str, Any]:
        bot = account.type == "Bot"
        return {
            "__typename": account.type,
            "login": account.login.removesuffix("[bot]") if bot else account.login,
            "id": node("BOT" if bot else "U", account.id),
            "databaseId": account.id,
        }

    def _review_comment(self, comment: ReviewComment) -> dict[str, Any]:
        place = anchors.now_at(comment.thread)
        page = f"{self._hub.shapes.pull_page(comment.pull)}#discussion_r{comment.id}"
        return self._comment(comment, "PullRequestReviewComment", "PRRC", page) | {
            "outdated": anchors.outdated(comment.thread),
            "path": comment.thread.path,
            "line": place.line if place else None,
            "originalLine": comment.thread.line,
            "replyTo": lambda _info: (
                self._review_comment(comment.thread.comments[0]) if comment.reply else None
            ),
        }

    def _issue_comment(self, comment: IssueComment) -> dict[str, Any]:
        page = f"{self._hub.shapes.web}/{comment.issue.repository.full_name}/pull/"
        page += f"{comment.issue.number}#issuecomment-{comment.id}"
        return self._comment(comment, "IssueComment", "IC", page)

    def _comment(
        self, comment: ReviewComment | IssueComment, kind: str, prefix: str, page: str
    ) -> dict[str, Any]:
        return {
            "__typename": kind,
            "id": node(prefix, comment.id),
            "databaseId": comment.id,
            "fullDatabaseId": str(comment.id),
            "body": comment.body,
            "author": self._account(comment.user),
            "isMinimized": comment.minimized is not None,
            "minimizedReason": comment.minimized.lower() if comment.minimized else None,
            "url": page,
            "createdAt": comment.created_at,
            "updatedAt": comment.updated_at,
            "viewerDidAuthor": comment.user is self._hub.bot,
        }

    def _node(self, _info: Any, **given: str) -> dict[str, Any]:
        try:
            kind, number = number_of(given["id"])
        except ValueError:
            kind, number = "", 0
        state = self._hub.state
        pulls = {pull.id: pull for pull in state.pulls.values()} if kind == "PR" else {}
        places: dict[str, tuple[Any, Callable[[Any], dict[str, Any]]]] = {
            "PRRT": (state.threads, self._thread),
            "PRRC": (state.review_comments, self._review_comment),
            "IC": (state.issue_comments, self._issue_comment),
            "PR": (pulls, self._pull),
        }
        found = places[kind][0].get(number) if kind in places else None
        if found is None:
            raise GraphRefusalError(
                "NOT_FOUND", f"Could not resolve to a node with the global id of '{given['id']}'"
            )
        repository = (
            found.issue.repository
            if kind == "IC"
            else (found.repository if kind == "PR" else found.pull.repository)
        )
        self._need(repository, ("pull_requests", "read"))
        return places[kind][1](found)

    def _turn(self, given: dict[str, Any], *, resolve: bool) -> dict[str, Any]:
        try:
            kind, number = number_of(given["threadId"])
        except ValueError:
            kind, number = "", 0
        thread = self._hub.state.threads.get(number) if kind == "PRRT" else None
        if thread is None:
            raise GraphRefusalError(
                "NOT_FOUND",
                f"Could not resolve to a node with the global id of '{given['threadId']}'",
            )
        self._need(thread.pull.repository, *self._hub.limits.resolve_needs)
        thread.resolved_by = self._hub.bot if resolve else None
        return {
            "clientMutationId": given.get("clientMutationId"),
            "thread": self._thread(thread),
        }

    def _minimize(self, given: dict[str, Any], reason: str | None) -> dict[str, Any]:
        try:
            kind, number = number_of(given["subjectId"])
        except ValueError:
            kind, number = "", 0
        state = self._hub.state
        found: ReviewComment | IssueComment | None = None
        if kind == "PRRC":
            found = state.review_comments.get(number)
        if kind == "IC":
            found = state.issue_comments.get(number)
        if found is None:
            raise GraphRefusalError(
                "NOT_FOUND",
                f"Could not resolve to a node with the global id of '{given['subjectId']}'",
            )
        self._may_minimize(found)
        found.minimized = reason
        shape = self._review_comment if kind == "PRRC" else self._issue_comment
        name = "minimizedComment" if reason else "unminimizedComment"
        return {"clientMutationId": given.get("clientMutationId"), name: shape(found)}  # type: ignore[arg-type, operator]

    def _may_minimize(self, found: ReviewComment | IssueComment) -> None:
        if isinstance(found, ReviewComment):
            self._need(found.pull.repository, ("pull_requests", "write"))
        elif self._actor.may("issues", "write"):
            self._need(found.issue.repository, ("issues", "write"))
        else:
            self._need(found.issue.repository, ("pull_requests", "write"))


def _connection(items: Sequence[Any], shape: Callable[[Any], dict[str, Any]]) -> Callable[..., Any]:
    """A connection; its cursors are positions, and it wants ``first`` or ``last``, 100 at most."""

    def resolve(_info: Any, **wanted: Any) -> dict[str, Any]:
        size = wanted.get("first") or wanted.get("last")
        if size is None:
            raise GraphRefusalError(
                "MISSING_PAGINATION_BOUNDARIES",
                "You must provide a `first` or `last` value to properly paginate the connection.",
            )
        if size > 100:
            raise GraphRefusalError(
                "EXCESSIVE_PAGINATION", f"Requesting {size} records exceeds the limit of 100."
            )
        start = int(wanted["after"]) if wanted.get("after") else 0
        if wanted.get("last") and not wanted.get("first"):
            start = max(0, len(items) - size)
        shown = list(items)[start : start + size]
        nodes = [shape(item) for item in shown]
        return {
            "nodes": nodes,
            "edges": [{"cursor": str(start + at + 1), "node": n} for at, n in enumerate(nodes)],
            "totalCount": len(items),
            "pageInfo": {
                "endCursor": str(start + len(shown)) if shown else None,
                "hasNextPage": start + size < len(items),
                "hasPreviousPage": start > 0,
                "startCursor": str(start + 1) if shown else None,
            },
        }

    return resolve
