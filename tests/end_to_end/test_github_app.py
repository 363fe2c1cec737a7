"""A pull request from its opening to its merge, answered by real processes."""

import re
from dataclasses import dataclass
from functools import partial
from typing import Any

import httpx
import pytest

from tests.end_to_end.bot import PATIENCE_SECONDS, PAUSE, Bot, completed, eventually
from tests.end_to_end.shop import (
    COMMENTS,
    CRASHES,
    GOES_ON,
    GUARDED,
    MISREADS,
    RECEIPTS,
    base,
    shop,
)
from tests.github_double import PullRequest, Repo, suggestion_in
from tests.github_double.anchors import now_at

get = partial(httpx.get, timeout=PATIENCE_SECONDS)
ADDRESS = re.compile(r"!\[[^\]]*\]\((http[^)]+)\)")


@dataclass(frozen=True)
class Answered:
    """A private repository whose pull request was tested once."""

    bot: Bot
    repo: Repo
    pull: PullRequest
    head: str
    check: Any


@pytest.fixture(autouse=True)
def as_described(hosted):
    """Whatever a test did, GitHub's description was kept."""
    yield
    hosted.github.check()


@pytest.fixture(scope="module")
def answered(hosted) -> Answered:
    repo = shop(hosted.github, "shop", private=True)
    pull = repo.pull("receipts", files={COMMENTS: CRASHES, RECEIPTS: MISREADS})
    check = completed(pull)
    hosted.settled()
    return Answered(hosted, repo, pull, pull.head, check)


def test_check_run_is_queued_first_and_completed_last(answered):
    states = [state for _, state, _ in answered.check.history]
    assert (states[0], states[-1]) == ("queued", "completed")
    assert sorted(states, key=["queued", "in_progress", "completed"].index) == states


def test_reproduced_new_failures_fail_the_check(answered):
    assert answered.check.conclusion == "failure"
    assert answered.check.title == "3 new findings block"
    assert answered.check.name == "Assayer"
    assert len(answered.check.annotations) == 3
    assert {action["identifier"] for action in answered.check.actions} == {
        "rerun_4x",
        "baseline",
        "apply",
    }


def test_comments_stand_in_the_diff_with_suggestion_and_commands(answered):
    threads = answered.pull.threads()
    assert {(t.path, now_at(t).line) for t in threads} == {
        (COMMENTS, 8),
        (RECEIPTS, 8),
        (RECEIPTS, 13),
    }
    for thread in threads:
        body = thread.comments[0].body
        assert suggestion_in(body)
        assert "assayer check --base" in body
        assert "/assayer ignore" in body
    assert len(answered.pull.reviews()) == 1


def test_pictures_open_by_their_signed_link_only(answered):
    bodies = [comment.body for comment in answered.pull.review_comments()]
    pictures = [address for body in bodies for address in ADDRESS.findall(body)]
    assert pictures
    for address in pictures:
        assert get(address).headers["content-type"].startswith("image/")
        plain, _, query = address.partition("?")
        wrong = query[:-1] + ("0" if query[-1] != "0" else "1")
        assert get(plain).status_code == 403
        assert get(f"{plain}?{wrong}").status_code == 403


def test_page_of_a_private_repository_opens_by_the_check_runs_link_only(answered):
    link = answered.check.details_url
    page = get(link)
    assert (page.status_code, "3 new findings block" in page.text) == (200, True)
    assert get(link.partition("?")[0]).status_code == 403
    assert answered.repo.full_name not in get(answered.bot.url).text


def test_one_summary_comment_names_all_findings(answered):
    (summary,) = answered.pull.bot_comments()
    assert "3 new findings block" in summary.body
    assert summary.body.count("🔴") == 3


def test_event_that_comes_again_changes_nothing(answered):
    github = answered.bot.github
    writes = len(github.writes)
    for delivery in [*github.deliveries.of("pull_request"), *github.deliveries.of("check_suite")]:
        github.deliveries.again(delivery)
    answered.bot.settled()
    assert len(github.writes) == writes
    assert len(answered.repo.check_runs(answered.head)) == 1


def test_writes_are_serialized_and_apart(answered):
    assert answered.bot.github.spacing() >= PAUSE


@pytest.fixture(scope="module")
def partly(answered) -> Any:
    """A person answers in one thread; a push fixes everything but what stands in that file."""
    answered.pull.push({COMMENTS: GUARDED})
    check = completed(answered.pull)
    answered.bot.settled()
    return check


@pytest.mark.slow
def test_fixed_finding_is_resolved_and_the_others_stay(answered, partly):
    assert partly.conclusion == "failure"
    resolved = {thread.path: thread.resolved for thread in answered.pull.threads()}
    assert resolved == {COMMENTS: True, RECEIPTS: False}
    assert len(answered.pull.threads()) == 3


@pytest.mark.slow
def test_button_commits_all_suggestions_and_the_next_run_is_clean(answered, partly):
    summary = answered.pull.bot_comments()[0].id
    answered.repo.press(partly, "apply")
    eventually(lambda: answered.pull.head != partly.head_sha)
    check = completed(answered.pull)
    answered.bot.settled()
    assert check.conclusion == "success"
    assert all(thread.resolved for thread in answered.pull.threads())
    (comment,) = answered.pull.bot_comments()
    assert comment.id == summary
    assert "No new findings" in comment.body
    assert b'"CREDIT NOTE" in text' in answered.repo.read(RECEIPTS, answered.pull.head)


@pytest.mark.slow
def test_merge_group_is_tested_on_its_own_head(answered):
    head = answered.repo.merge_group(answered.pull)
    check = eventually(lambda: answered.repo.check_run(head))
    eventually(lambda: check.status == "completed")
    answered.bot.settled()
    assert check.conclusion == "success"
    assert answered.repo.passes(head)


def test_change_without_ml_code_is_skipped_in_silence(hosted):
    repo = shop(hosted.github, "texts")
    pull = repo.pull("words", files={"README.md": "# A better shop\n"})
    check = completed(pull)
    hosted.settled()
    assert check.conclusion == "skipped"
    assert "ML code" in check.title
    assert not pull.comments()
    assert not pull.reviews()


@pytest.mark.slow
def test_buttons_test_with_more_inputs_and_accept_a_baseline(hosted):
    repo = hosted.github.repository("buttons", files=base())
    pull = repo.pull("comments", files={COMMENTS: CRASHES})
    first = completed(pull)
    hosted.settled()
    repo.press(first, "baseline", user="mallory")
    hosted.settled()
    assert first.conclusion == "failure"
    repo.press(first, "rerun_4x")
    second = completed(pull, 2)
    assert (second.id != first.id, second.conclusion) == (True, "failure")
    assert hosted.run(second).job.options.inputs == 16
    hosted.settled()
    repo.press(second, "baseline")
    eventually(lambda: second.conclusion == "success")
    hosted.settled()
    assert all(thread.resolved for thread in pull.threads())
    assert repo.passes(pull.head)


@pytest.mark.slow
def test_new_push_cancels_the_old_run_and_says_nothing_of_it(hosted):
    repo = shop(hosted.github, "hasty")
    pull = repo.pull("comments", files={COMMENTS: GOES_ON})
    old = hosted.under_way(pull)
    pull.push({COMMENTS: GUARDED})
    eventually(lambda: old.status == "completed")
    assert old.conclusion == "cancelled"
    assert completed(pull).conclusion == "success"
    hosted.settled()
    assert not pull.bot_comments()
    assert not pull.review_comments()
