"""Reviews and their comments, with GitHub's rules about where they may hang."""

from __future__ import annotations

from typing import Any

from tests.github_double import anchors
from tests.github_double.incoming_request import Call, Handler
from tests.github_double.responses import (
    Answer,
    RefusalError,
    forbidden,
    invalid,
    not_found,
    unprocessable,
)
from tests.github_double.rest.issues import check_body, react, reactions, unreact
from tests.github_double.state import Pull, Review, ReviewComment

_STATES = {"APPROVE": "APPROVED", "REQUEST_CHANGES": "CHANGES_REQUESTED", "COMMENT": "COMMENTED"}
_PENDING = "User can only have one pending review per pull request"
_LINE = "Pull request review thread line must be part of the diff"
_HUNK = "Pull request review thread diff hunk can't be blank"


def wrong_place(pull: Pull, commit: str, comment: dict[str, Any]) -> str | None:
    """Why a comment cannot hang where it wants to."""
    if "position" in comment:
        return f"Pull request review thread position is invalid and {_HUNK}"
    file = anchors.file(pull, comment["path"], commit)
    if file is None:
        return "Path could not be resolved"
    line, start = comment.get("line"), comment.get("start_line")
    side = comment.get("side") or "RIGHT"
    hunk = file.hunk(side, line) if line else None
    if hunk is None and start is None:
        return f"{_LINE} and {_HUNK}"
    if start is None or line is None:
        return None
    if start >= line:
        return "Pull request review thread start line must precede the end line."
    first = file.hunk(comment.get("start_side") or side, start)
    if hunk is None or first is not hunk:
        return (
            f"{_LINE}, Pull request review thread start line must be part of the same hunk as "
            f"the line., and {_HUNK}"
        )
    return None


def _commit_of(call: Call, pull: Pull) -> str:
    commit = call.body.get("commit_id") or pull.head_sha
    known = call.commit(commit) == commit
    if not known or call.repository.git.merge_base(commit, pull.head_sha) != commit:
        raise unprocessable("commit_id is not part of the pull request")
    return str(commit)


def _pending(call: Call, pull: Pull) -> Review | None:
    return next(
        (
            review
            for review in call.state.reviews.values()
            if review.pull is pull and review.user is call.user and review.state == "PENDING"
        ),
        None,
    )


def create(call: Call) -> Answer:
    """All of a batch or nothing; with a review pending, nothing."""
    pull = call.pull()
    comments = call.body.get("comments") or []
    event, body = call.body.get("event"), call.body.get("body") or ""
    commit = _commit_of(call, pull)
    if _pending(call, pull):
        raise unprocessable(_PENDING)
    if event in {"COMMENT", "REQUEST_CHANGES"} and not body.strip() and not comments:
        raise unprocessable("Body can't be blank")
    if len(body) > 65_536:
        check_body(body, "PullRequestReview")
    for comment in comments:
        wrong = wrong_place(pull, commit, comment)
        if wrong:
            raise unprocessable(wrong)
        check_body(comment["body"], "PullRequestReviewComment")
    state = _STATES.get(event or "", "PENDING")
    review = call.deeds.review(pull, call.user, body, state, commit)
    for comment in comments:
        thread = call.deeds.thread(pull, comment["path"], commit, **_place(comment))
        call.deeds.review_comment(thread, review, call.user, comment["body"])
    return Answer(200, call.shapes.review(review))


def _place(comment: dict[str, Any]) -> dict[str, Any]:
    names = ("line", "side", "start_line", "start_side")
    return {name: comment[name] for name in names if name in comment}


def listed(call: Call) -> Answer:
    """Reviews in order; a pending one is seen by its author alone."""
    pull = call.pull()
    return call.page(
        [r for r in call.state.reviews.values() if r.pull is pull and _seen(call, r)],
        call.shapes.review,
    )


def _seen(call: Call, review: Review) -> bool:
    return review.state != "PENDING" or review.user is call.user


def _review(call: Call) -> Review:
    found = call.state.reviews.get(call.number("review_id"))
    if found is None or found.pull is not call.pull() or not _seen(call, found):
        raise not_found()
    return found


def get(call: Call) -> Answer:
    return Answer(200, call.shapes.review(_review(call)))


def update(call: Call) -> Answer:
    review = _review(call)
    if review.user is not call.user:
        raise RefusalError(422, "Only the author may edit a review")
    review.body = call.body["body"]
    return Answer(200, call.shapes.review(review))


def delete(call: Call) -> Answer:
    review = _review(call)
    if review.state != "PENDING":
        raise RefusalError(422, "Can not delete a non-pending pull request review")
    for comment in call.deeds.comments_of(review):
        call.deeds.delete_review_comment(comment, call.user)
    del call.state.reviews[review.id]
    return Answer(200, call.shapes.review(review))


def submit(call: Call) -> Answer:
    review = _review(call)
    if review.state != "PENDING":
        raise unprocessable("Can not submit a non-pending pull request review")
    call.deeds.submit(review, _STATES[call.body["event"]], call.body.get("body"))
    return Answer(200, call.shapes.review(review))


def dismiss(call: Call) -> Answer:
    review = _review(call)
    if review.state not in {"APPROVED", "CHANGES_REQUESTED"}:
        raise RefusalError(422, "Can not dismiss a commented pull request review")
    review.state = "DISMISSED"
    return Answer(200, call.shapes.review(review))


def comments_of_review(call: Call) -> Answer:
    review = _review(call)
    there = call.deeds.comments_of(review)
    gone = ("line", "start_line", "original_line", "side", "start_side", "subject_type")

    def legacy(comment: ReviewComment) -> dict[str, Any]:
        whole = call.shapes.review_comment(comment)
        return {name: value for name, value in whole.items() if name not in gone}

    return call.page(there, legacy)


def _visible(call: Call, pull: Pull) -> list[ReviewComment]:
    threads = call.state.threads_of.get(pull.id, [])
    there = [one for thread in threads for one in thread.comments if not one.pending]
    return sorted(there, key=lambda comment: comment.id)


def comments(call: Call) -> Answer:
    there = _visible(call, call.pull())
    since = call.query.get("since", "")
    there = [comment for comment in there if comment.updated_at >= since]
    if call.query.get("direction") == "desc":
        there.reverse()
    return call.page(there, call.shapes.review_comment)


def create_comment(call: Call) -> Answer:
    """One comment, published at once: on lines, on a whole file, or a reply."""
    pull = call.pull()
    check_body(call.body["body"], "PullRequestReviewComment")
    if "in_reply_to" in call.body:
        return _reply(call, pull, call.body["in_reply_to"])
    commit = _commit_of(call, pull)
    if _pending(call, pull):
        error = "user_id can only have one pending review per pull request"
        raise invalid("PullRequestReview", "custom", "user_id", error)
    _check_single(call, pull, commit)
    review = call.deeds.review(pull, call.user, "", "COMMENTED", commit)
    thread = call.deeds.thread(pull, call.body["path"], commit, **_place(call.body))
    comment = call.deeds.review_comment(thread, review, call.user, call.body["body"])
    return Answer(201, call.shapes.review_comment(comment))


def _check_single(call: Call, pull: Pull, commit: str) -> None:
    name = "PullRequestReviewComment"
    if call.body.get("subject_type") == "file":
        if anchors.file(pull, call.body["path"], commit) is None:
            raise invalid(name, "invalid", "path")
        if "line" in call.body or "position" in call.body:
            raise invalid(name, "invalid", "line")
        return
    if anchors.file(pull, call.body["path"], commit) is None:
        raise invalid(name, "invalid", "path")
    wrong = wrong_place(pull, commit, call.body)
    if wrong:
        at = "pull_request_review_thread.line"
        raise invalid(name, "custom", at, f"{at} must be part of the diff: {wrong}")


def reply(call: Call) -> Answer:
    check_body(call.body["body"], "PullRequestReviewComment")
    return _reply(call, call.pull(), call.number("comment_id"))


def _reply(call: Call, pull: Pull, number: int) -> Answer:
    """A reply goes under the first comment of a thread; replies have none of their own."""
    first = call.state.review_comments.get(number)
    if first is None or first.pull is not pull or first.reply:
        raise not_found()
    review = call.deeds.review(pull, call.user, "", "COMMENTED", pull.head_sha)
    comment = call.deeds.review_comment(first.thread, review, call.user, call.body["body"])
    return Answer(201, call.shapes.review_comment(comment))


def _comment(call: Call) -> ReviewComment:
    found = call.state.review_comments.get(call.number("comment_id"))
    if found is None or found.pull.repository is not call.repository:
        raise not_found()
    return found


def get_comment(call: Call) -> Answer:
    return Answer(200, call.shapes.review_comment(_comment(call)))


def update_comment(call: Call) -> Answer:
    comment = _comment(call)
    if comment.user is not call.user:
        raise forbidden()
    check_body(call.body["body"], "PullRequestReviewComment")
    call.deeds.edit_review_comment(comment, call.body["body"], call.user)
    return Answer(200, call.shapes.review_comment(comment))


def delete_comment(call: Call) -> Answer:
    call.deeds.delete_review_comment(_comment(call), call.user)
    return Answer(204)


KIND = "pull"

HANDLERS: dict[str, Handler] = {
    "pulls/create-review": create,
    "pulls/list-reviews": listed,
    "pulls/get-review": get,
    "pulls/update-review": update,
    "pulls/delete-pending-review": delete,
    "pulls/submit-review": submit,
    "pulls/dismiss-review": dismiss,
    "pulls/list-comments-for-review": comments_of_review,
    "pulls/list-review-comments": comments,
    "pulls/create-review-comment": create_comment,
    "pulls/create-reply-for-review-comment": reply,
    "pulls/get-review-comment": get_comment,
    "pulls/update-review-comment": update_comment,
    "pulls/delete-review-comment": delete_comment,
    "reactions/create-for-pull-request-review-comment": lambda call: react(
        call, KIND, _comment(call).id
    ),
    "reactions/list-for-pull-request-review-comment": lambda call: reactions(
        call, KIND, _comment(call).id
    ),
    "reactions/delete-for-pull-request-comment": lambda call: unreact(
        call, KIND, _comment(call).id
    ),
}
