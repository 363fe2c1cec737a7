"""Slash-commands by people with and without rights, at the bot as it runs."""

from dataclasses import dataclass
from typing import Any

import pytest

from tests.end_to_end.bot import Bot, completed, eventually
from tests.end_to_end.shop import COMMENTS, CRASHES, GOES_ON, shop
from tests.github_double import PullRequest, Repo

pytestmark = pytest.mark.slow

FORBIDDEN = "You may not do this here."


@pytest.fixture(autouse=True)
def as_described(hosted):
    """Whatever a test did, GitHub's description was kept."""
    yield
    hosted.github.check()


@dataclass(frozen=True)
class Conversation:
    """A pull request of carol's, who may not write, with one finding."""

    bot: Bot
    repo: Repo
    pull: PullRequest
    check: Any

    @property
    def fingerprint(self) -> str:
        return self.bot.report(self.check)["findings"][0]["fingerprint"]

    def say(self, login: str, text: str) -> Any:
        return self.pull.comment(login, text)

    def replies(self) -> list[str]:
        """What was answered, without the summary comment."""
        return [c.body for c in self.pull.bot_comments() if "### Assayer:" not in c.body]

    def answer(self, login: str, text: str) -> tuple[str, Any]:
        """The one answer to what somebody says, once everything is done, and the comment."""
        before = len(self.replies())
        comment = self.say(login, text)
        eventually(lambda: len(self.replies()) > before)
        self.bot.settled()
        assert len(self.replies()) == before + 1
        return self.replies()[-1], comment


@pytest.fixture(scope="module")
def talk(hosted) -> Conversation:
    repo = shop(hosted.github, "talk")
    repo.role("carol", "read")
    pull = repo.pull("comments", files={COMMENTS: CRASHES}, user="carol")
    check = completed(pull)
    hosted.settled()
    assert check.conclusion == "failure"
    return Conversation(hosted, repo, pull, check)


def test_commands_in_code_and_in_edits_are_none(talk):
    before = talk.replies()
    text = talk.say("alice", "```\n/assayer help\n```\n\n> /assayer help\n")
    talk.pull.edit(text, "/assayer help")
    talk.bot.settled()
    assert talk.replies() == before
    assert not talk.pull.reactions(text)


def test_people_without_rights_are_told_so_and_nothing_is_done(talk):
    before = len(talk.pull.check_runs())
    said, _ = talk.answer("carol", f"/assayer ignore {talk.fingerprint} mine")
    assert FORBIDDEN in said
    said, asked = talk.answer("mallory", "/assayer rerun inputs=900")
    assert FORBIDDEN in said
    assert len(talk.pull.check_runs()) == before
    assert talk.check.conclusion == "failure"
    assert not talk.pull.reactions(asked)


def test_author_is_helped_and_told_more(talk):
    said, asked = talk.answer("carol", "/assayer help")
    assert "/assayer unignore FINGERPRINT" in said
    assert [reaction.user for reaction in talk.pull.reactions(asked)] == [talk.bot.github.bot]
    said, _ = talk.answer("carol", f"Why?\n\n/assayer explain {talk.fingerprint}")
    assert "ZeroDivisionError" in said


def test_ignored_finding_blocks_no_more_until_it_is_unignored(talk):
    ignore = f"/assayer ignore {talk.fingerprint} never empty until=2099-01-31"
    assert "ignored until 2099-01-31" in talk.answer("alice", ignore)[0]
    assert talk.check.conclusion == "success"
    summary = next(c.body for c in talk.pull.bot_comments() if "### Assayer:" in c.body)
    assert "never empty" in summary
    assert [thread.resolved for thread in talk.pull.threads()] == [True]
    assert "counts again" in talk.answer("alice", f"/assayer unignore {talk.fingerprint}")[0]
    assert talk.check.conclusion == "failure"
    assert [thread.resolved for thread in talk.pull.threads()] == [False]


def test_author_may_test_again_with_more_inputs(talk):
    before = len(talk.pull.check_runs())
    said, _ = talk.answer("carol", "/assayer rerun inputs=6")
    second = completed(talk.pull, before + 1)
    assert "Done: a new finding blocks" in said
    assert talk.bot.run(second).job.options.inputs == 6
    assert len(talk.pull.threads()) == 1


def test_suggestion_is_committed_with_a_co_author_and_the_next_run_is_clean(talk):
    before = talk.pull.head
    said, sent = talk.answer("alice", f"/assayer apply {talk.fingerprint}")
    assert "Committed the suggestion" in said
    answers = talk.replies()
    (delivery,) = [
        d
        for d in talk.bot.github.deliveries.of("issue_comment", "created")
        if d.payload["comment"]["id"] == sent.id
    ]
    talk.bot.github.deliveries.again(delivery)
    assert completed(talk.pull).conclusion == "success"
    talk.bot.settled()
    (made,) = talk.repo.state.git.log((talk.pull.head, f"^{before}"))
    assert "Co-authored-by: alice <" in made["message"]
    assert all(thread.resolved for thread in talk.pull.threads())
    assert talk.replies() == answers


def test_stop_ends_what_runs(talk):
    talk.pull.push({COMMENTS: GOES_ON})
    check = eventually(lambda: talk.repo.check_run(talk.pull.head))
    said, _ = talk.answer("alice", f"/assayer stop\n/assayer explain {talk.fingerprint}")
    assert "Stopped one run" in said
    assert f"found at `{talk.check.head_sha[:7]}`, which is the head no more" in said
    assert (check.status, check.conclusion) == ("completed", "cancelled")
