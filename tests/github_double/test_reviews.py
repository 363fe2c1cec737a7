"""Where review comments may hang, and what becomes of them."""

from __future__ import annotations

import pytest

from tests.github_double import suggestion_in
from tests.github_double.rest_client import Asker, lines

LINE = "Pull request review thread line must be part of the diff"


@pytest.fixture
def pull(github):
    repo = github.repository("cafe", files={"a.py": lines(), "crlf.py": "a\r\nb\r\nc\r\n"})
    return repo.pull(files={"a.py": lines(5, 40), "crlf.py": "a\r\nB\r\nc\r\n"})


@pytest.fixture
def asker(github, pull):
    return Asker(github, pull.repository)


def batch(*comments, **more):
    return {"event": "COMMENT", "body": "", "comments": list(comments), **more}


def at(line, path="a.py", **more):
    return {"path": path, "line": line, "side": "RIGHT", "body": "here", **more}


def test_batch_hangs_on_lines_of_the_hunks(pull, asker):
    many = at(41, start_line=38, start_side="RIGHT")
    answer = asker.post("~/pulls/1/reviews", batch(at(5), at(8), many))
    assert (answer.status_code, answer.json()["state"]) == (200, "COMMENTED")
    assert [pull.line_of(thread) for thread in pull.threads()] == [5, 8, 41]


@pytest.mark.parametrize(
    ("comment", "says"),
    [
        (at(20), LINE),
        (at(1), LINE),
        (at(5, start_line=5, start_side="RIGHT"), "start line must precede the end line"),
        (at(40, start_line=5, start_side="RIGHT"), "same hunk as the line"),
        (at(41, start_line=20, start_side="RIGHT"), "same hunk as the line"),
        (at(5, path="none.py"), "Path could not be resolved"),
        ({"path": "a.py", "position": 4, "body": "x"}, "position is invalid"),
    ],
)
def test_one_comment_outside_the_diff_refuses_the_whole_batch(pull, asker, comment, says):
    answer = asker.post("~/pulls/1/reviews", batch(at(5), comment))
    assert answer.status_code == 422
    assert answer.json()["message"] == "Unprocessable Entity"
    assert says in answer.json()["errors"][0]
    assert pull.threads() == []
    assert pull.reviews() == []


def test_deleted_lines_are_on_the_left(asker):
    left = {"path": "a.py", "line": 5, "side": "LEFT", "body": "gone"}
    assert asker.post("~/pulls/1/reviews", batch(left)).status_code == 200


def test_pending_review_blocks_every_other(pull, asker):
    pending = {"comments": [at(5)]}
    made = asker.post("~/pulls/1/reviews", pending).json()
    assert made["state"] == "PENDING"
    assert asker.get("~/pulls/1/comments").json() == []
    for body in (pending, batch(at(8))):
        answer = asker.post("~/pulls/1/reviews", body)
        assert answer.json()["errors"] == ["User can only have one pending review per pull request"]
    single = {"commit_id": pull.head, "path": "a.py", "line": 5, "body": "x"}
    assert asker.post("~/pulls/1/comments", single).status_code == 422
    assert asker.ask("DELETE", f"~/pulls/1/reviews/{made['id']}").status_code == 200
    assert pull.threads() == []
    assert asker.post("~/pulls/1/reviews", batch(at(8))).status_code == 200


def test_pending_review_is_submitted(github, asker):
    made = asker.post("~/pulls/1/reviews", {"comments": [at(5)]}).json()
    assert not github.deliveries.of("pull_request_review_comment")
    place = f"~/pulls/1/reviews/{made['id']}/events"
    assert asker.post(place, {"event": "COMMENT", "body": "done"}).json()["state"] == "COMMENTED"
    assert len(github.deliveries.of("pull_request_review_comment", "created")) == 1
    assert len(asker.get(f"~/pulls/1/reviews/{made['id']}/comments").json()) == 1
    assert asker.ask("DELETE", f"~/pulls/1/reviews/{made['id']}").status_code == 422


def test_review_of_a_commit_elsewhere_is_refused(pull, asker):
    other = pull.repository.commit("other", {"z.py": "1\n"})
    assert asker.post("~/pulls/1/reviews", batch(at(5), commit_id=other)).status_code == 422


def test_review_without_words_is_refused(asker):
    assert asker.post("~/pulls/1/reviews", {"event": "COMMENT"}).status_code == 422


def test_file_comment_has_no_line(pull, asker):
    body = {"commit_id": pull.head, "path": "a.py", "subject_type": "file", "body": "all of it"}
    made = asker.post("~/pulls/1/comments", body).json()
    assert (made["subject_type"], made["line"]) == ("file", None)
    pull.push({"a.py": lines(7)})
    assert not pull.outdated(pull.threads()[0])
    assert asker.post("~/pulls/1/comments", body | {"path": "none.py"}).status_code == 422


def test_replies_go_under_the_first_comment(asker):
    asker.post("~/pulls/1/reviews", batch(at(5)))
    first = asker.get("~/pulls/1/comments").json()[0]
    reply = asker.post(f"~/pulls/1/comments/{first['id']}/replies", {"body": "yes"}).json()
    assert reply["in_reply_to_id"] == first["id"]
    again = asker.post(f"~/pulls/1/comments/{reply['id']}/replies", {"body": "no"})
    assert again.status_code == 404


def test_thread_follows_its_line_until_that_is_changed(pull, asker):
    asker.post("~/pulls/1/reviews", batch(at(40)))
    thread = pull.threads()[0]
    pull.push({"a.py": "first\n" + lines(5, 40)})
    told = asker.get("~/pulls/1/comments").json()[0]
    assert (told["line"], told["original_line"]) == (41, 40)
    pull.push({"a.py": "first\n" + lines(5, 40).replace("changed 40", "changed again")})
    told = asker.get("~/pulls/1/comments").json()[0]
    assert (told["line"], told["position"], told["original_line"]) == (None, None, 40)
    assert pull.outdated(thread)


def test_thread_is_outdated_when_its_file_leaves_the_diff(pull, asker):
    asker.post("~/pulls/1/reviews", batch(at(5)))
    pull.push({"a.py": lines()})
    assert pull.outdated(pull.threads()[0])
    pull.reply(pull.threads()[0], "bob", "and now?")
    payload = pull._hub.deliveries.of("pull_request_review_comment", "created")[-1].payload
    assert (payload["comment"]["line"], payload["comment"]["original_line"]) == (None, 5)


def test_only_ones_own_comments_are_edited(pull, asker):
    remark = pull.remark("bob", "a.py", 5, "hm")
    answer = asker.patch(f"~/pulls/comments/{remark.id}", {"body": "changed"})
    assert answer.status_code == 403
    asker.post("~/pulls/1/reviews", batch(at(8)))
    own = asker.get("~/pulls/1/comments").json()[-1]
    assert asker.patch(f"~/pulls/comments/{own['id']}", {"body": "new"}).json()["body"] == "new"
    assert asker.ask("DELETE", f"~/pulls/comments/{own['id']}").status_code == 204
    assert [thread.comments[0].user.login for thread in pull.threads()] == ["bob"]


def test_reaction_given_twice_is_there_once(pull, asker):
    remark = pull.remark("bob", "a.py", 5, "/assayer help")
    place = f"~/pulls/comments/{remark.id}/reactions"
    codes = [asker.post(place, {"content": "eyes"}).status_code for _ in range(2)]
    assert codes == [201, 200]
    assert len(pull.reactions(remark)) == 1
    number = asker.get(place).json()[0]["id"]
    assert asker.ask("DELETE", f"{place}/{number}").status_code == 204


def test_suggestion_replaces_its_lines_and_keeps_line_ends(pull, asker):
    body = "Better:\n```suggestion\nB = 1\nb = 2\n```\n"
    asker.post("~/pulls/1/reviews", batch(at(2, path="crlf.py", body=body)))
    sha = pull.accept(pull.review_comments()[0])
    assert pull.repository.read("crlf.py", sha) == b"a\r\nB = 1\r\nb = 2\r\nc\r\n"


def test_suggestion_is_not_accepted_on_deleted_or_outdated_lines(pull, asker):
    body = "```suggestion\nx\n```"
    left = {"path": "a.py", "line": 5, "side": "LEFT", "body": body}
    asker.post("~/pulls/1/reviews", batch(left, at(40, body=body)))
    pull.push({"a.py": lines(5)})
    for comment in pull.review_comments():
        with pytest.raises(ValueError, match="newest head"):
            pull.accept(comment)


def test_fence_longer_than_the_backticks_inside_holds_them():
    assert suggestion_in("````suggestion\n```py\n````\n") == "```py"
    assert suggestion_in("```suggestion\n```py\n```\n") == "```py"
    assert suggestion_in("```suggestion\na\n```\nb\n```\n") == "a"
    with pytest.raises(ValueError, match="no suggestion"):
        suggestion_in("```python\nx\n```")
