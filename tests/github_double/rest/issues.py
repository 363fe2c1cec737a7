"""Issues, comments of issues and pull requests, and reactions."""

from __future__ import annotations

from tests.github_double.incoming_request import Call, Handler
from tests.github_double.responses import Answer, RefusalError, forbidden, invalid, not_found
from tests.github_double.state import Issue, IssueComment, Reaction, now

LONGEST = 65_536
"""Characters of a body."""


def check_body(body: str, resource: str) -> None:
    """Neither empty nor too long."""
    if not body.strip():
        raise invalid(resource, "missing_field", "body")
    if len(body) > LONGEST:
        message = f"Body is too long (maximum is {LONGEST} characters)"
        raise invalid(resource, "unprocessable", "data", message)


def listed(call: Call) -> Answer:
    """Issues and pull requests, newest first; ``creator`` and ``labels`` choose."""
    there = [i for i in call.state.issues.values() if i.repository is call.repository]
    wanted = call.query.get("state", "open")
    there = [issue for issue in there if wanted in {"all", issue.state}]
    if "creator" in call.query:
        there = [i for i in there if i.user.login.lower() == call.query["creator"].lower()]
    for label in filter(None, call.query.get("labels", "").split(",")):
        there = [issue for issue in there if label in issue.labels]
    return call.page(sorted(there, key=lambda i: -i.number), call.shapes.issue)


def _labels(call: Call) -> list[str]:
    given = call.body.get("labels") or []
    return [one if isinstance(one, str) else one["name"] for one in given]


def create(call: Call) -> Answer:
    body = call.body.get("body")
    if body and len(body) > LONGEST:
        check_body(body, "Issue")
    title = str(call.body["title"])
    if not title.strip() or len(title) > 256:
        raise invalid("Issue", "missing_field" if not title.strip() else "custom", "title")
    issue = call.deeds.issue(call.repository, call.user, title, body)
    issue.by_app = True
    issue.labels = _labels(call)
    return Answer(201, call.shapes.issue(issue))


def get(call: Call) -> Answer:
    return Answer(200, call.shapes.issue(call.issue()))


def update(call: Call) -> Answer:
    issue = call.issue()
    body = call.body.get("body")
    if body and len(body) > LONGEST:
        check_body(body, "Issue")
    for name in ("title", "body"):
        if name in call.body:
            setattr(issue, name, call.body[name])
    if "labels" in call.body:
        issue.labels = _labels(call)
    if "state" in call.body and call.body["state"] != issue.state:
        _turn(call, issue, call.body["state"])
    issue.updated_at = now()
    return Answer(200, call.shapes.issue(issue))


def _turn(call: Call, issue: Issue, state: str) -> None:
    if issue.pull:
        call.deeds.pull_state(issue.pull, state, call.user)
        return
    issue.state = state
    issue.closed_at = now() if state == "closed" else None


def comments(call: Call) -> Answer:
    issue = call.issue()
    there = list(call.state.comments_of.get(issue.id, []))
    since = call.query.get("since", "")
    return call.page([c for c in there if c.updated_at >= since], call.shapes.issue_comment)


def create_comment(call: Call) -> Answer:
    issue = call.issue()
    if not call.actor.may("pull_requests" if issue.pull else "issues", "write") and not (
        call.actor.may("issues", "write")
    ):
        raise forbidden()
    check_body(call.body["body"], "IssueComment")
    comment = call.deeds.comment(issue, call.user, call.body["body"])
    return Answer(201, call.shapes.issue_comment(comment))


def _comment(call: Call) -> IssueComment:
    found = call.state.issue_comments.get(call.number("comment_id"))
    if found is None or found.issue.repository is not call.repository:
        raise not_found()
    return found


def get_comment(call: Call) -> Answer:
    return Answer(200, call.shapes.issue_comment(_comment(call)))


def update_comment(call: Call) -> Answer:
    comment = _comment(call)
    if comment.user is not call.user:
        raise forbidden()
    check_body(call.body["body"], "IssueComment")
    call.deeds.edit_comment(comment, call.body["body"], call.user)
    return Answer(200, call.shapes.issue_comment(comment))


def delete_comment(call: Call) -> Answer:
    call.deeds.delete_comment(_comment(call), call.user)
    return Answer(204)


def react(call: Call, kind: str, number: int) -> Answer:
    """A reaction that is there already is answered with 200."""
    given = call.state.reactions.setdefault((kind, number), [])
    for reaction in given:
        if reaction.user is call.user and reaction.content == call.body["content"]:
            return Answer(200, call.shapes.reaction(reaction))
    reaction = Reaction(call.state.id(), call.user, call.body["content"])
    given.append(reaction)
    return Answer(201, call.shapes.reaction(reaction))


def reactions(call: Call, kind: str, number: int) -> Answer:
    given = call.state.reactions.get((kind, number), [])
    wanted = call.query.get("content")
    return call.page([r for r in given if wanted in {None, r.content}], call.shapes.reaction)


def unreact(call: Call, kind: str, number: int) -> Answer:
    given = call.state.reactions.get((kind, number), [])
    found = [r for r in given if r.id == call.number("reaction_id")]
    if not found:
        raise not_found()
    if found[0].user is not call.user:
        raise RefusalError(403, "You cannot delete somebody else's reaction")
    given.remove(found[0])
    return Answer(204)


KIND = "issue comment"

HANDLERS: dict[str, Handler] = {
    "issues/list-for-repo": listed,
    "issues/create": create,
    "issues/get": get,
    "issues/update": update,
    "issues/list-comments": comments,
    "issues/create-comment": create_comment,
    "issues/get-comment": get_comment,
    "issues/update-comment": update_comment,
    "issues/delete-comment": delete_comment,
    "reactions/create-for-issue-comment": lambda call: react(call, KIND, _comment(call).id),
    "reactions/list-for-issue-comment": lambda call: reactions(call, KIND, _comment(call).id),
    "reactions/delete-for-issue-comment": lambda call: unreact(call, KIND, _comment(call).id),
}
