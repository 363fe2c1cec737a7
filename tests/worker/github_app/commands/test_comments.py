"""What comes of a comment, at a double of GitHub."""

import itertools
import json
import time
from datetime import timedelta
from types import SimpleNamespace

import pytest
from markdown_it import MarkdownIt

from tests.github_double import state
from tests.worker.github_app.commands.asking import (
    AUTHOR,
    CRASHES,
    STRANGER,
    Asking,
    answers,
    reactions,
)
from tests.worker.github_app.outbox.world import findings
from worker.github_app.commands.command_actions import MAX_PARTIAL_RUNS
from worker.github_app.publishing.comment_marks import has_mark
from worker.store.records import IgnoreKind, Policy, RunOptions, RunState

CRASH = "354e5000e62b9e8f"


def test_a_rerun_is_a_new_check_run_and_one_answer_edited_at_the_end(world):
    pull = world.opened()
    comment = world.say(pull, "alice", "Sure?\n\n/assayer rerun inputs=40 seed=3\n")
    assert reactions(pull, comment) == ["eyes"]
    new, old = world.runs(pull)
    assert new.job.options == RunOptions(inputs=40, seed=3, fresh=True)
    assert (new.job.head, old.state) == (pull.head, RunState.DONE)
    assert len(pull.check_runs()) == 2
    (said,) = answers(pull)
    assert said.startswith("Testing `")
    world.finish(new, findings(world.case["document"]))
    world.drive()
    (said,) = answers(pull)
    assert said.endswith(f"Done: no new findings ([page](https://assayer.example/runs/{new.id})).")


def test_a_command_that_comes_twice_counts_once(world):
    pull = world.opened()
    world.say(pull, "alice", "/assayer rerun")
    for sent in world.github.deliveries.log[-3:]:
        world.github.deliveries.again(sent)
    world.settle()
    world.settle()
    assert len(world.runs(pull)) == 2
    assert len(answers(pull)) == 1


def test_an_edited_comment_is_no_command(world):
    pull = world.opened()
    comment = world.say(pull, "alice", "nice")
    pull.edit(comment, "/assayer rerun")
    world.settle()
    assert len(world.runs(pull)) == 1
    assert answers(pull) == reactions(pull, comment) == []


def test_the_author_may_rerun_explain_and_ask_for_help(world):
    pull = world.opened()
    world.say(pull, AUTHOR, f"/assayer rerun\n/assayer explain {CRASH}\n/assayer help")
    assert len(world.runs(pull)) == 2
    (said,) = answers(pull)
    assert "Testing" in said
    assert "/assayer unignore FINGERPRINT" in said


def test_the_author_may_not_do_more(world):
    pull = world.opened(document=None)
    before = pull.head
    lines = (f"ignore {CRASH} mine", f"unignore {CRASH}", f"apply {CRASH}", "approve", "stop")
    comment = world.say(pull, AUTHOR, "\n".join(f"/assayer {line}" for line in lines))
    assert answers(pull) == ["You may not do this here."]
    assert reactions(pull, comment) == []
    assert (world.ignores(pull), pull.head) == ((), before)
    assert not world.runs(pull)[0].state.over


def test_the_author_may_not_test_with_fewer_inputs_than_the_repository_asks_for(world):
    pull = world.opened()
    world.decide(pull, Policy(inputs=50))
    world.say(pull, AUTHOR, "/assayer rerun inputs=49")
    assert len(world.runs(pull)) == 1
    assert "fewer inputs" in answers(pull)[0]
    world.say(pull, AUTHOR, "/assayer rerun inputs=50")
    assert len(world.runs(pull)) == 2


def test_the_author_may_not_look_for_a_seed_that_finds_nothing(world):
    pull = world.opened()
    world.say(pull, AUTHOR, "/assayer rerun seed=7")
    assert len(world.runs(pull)) == 1
    assert "choose a seed" in answers(pull)[0]


def test_parts_that_are_tested_at_a_time_are_few(world):
    functions = "".join(f"def f{n}{m}(): ...\n" for n in range(3) for m in range(3))
    pull = world.opened(files={**world.case["texts"], "a.py": functions})
    for comment in range(3):
        lines = (f"/assayer rerun target=a.py::f{comment}{line}" for line in range(3))
        world.say(pull, AUTHOR, "\n".join(lines))
    assert len(world.runs(pull)) == 1 + MAX_PARTIAL_RUNS
    assert "Enough runs are under way" in answers(pull)[-1]


def test_who_took_over_a_login_may_nothing(world):
    pull = world.opened(document=None)
    pull.comment("alice", "/assayer stop")
    alice = world.github.hub.state.accounts["alice"]
    alice.id, before = alice.id + 1_000_000, alice.id
    world.settle()
    alice.id = before
    assert not world.runs(pull)[0].state.over
    assert answers(pull) == ["You may not do this here."]


def test_answers_that_do_not_fit_are_left_out_whole(world):
    found = world.case["document"]["findings"][2]
    spans = "`@ann` is *told* of `@bob` " * 2_000
    many = [{**found, "fingerprint": f"{n:016x}", "message": spans} for n in range(1, 6)]
    pull = world.opened(document={**CRASHES, "findings": many})
    lines = (f"/assayer explain {each['fingerprint']}" for each in many)
    world.say(pull, AUTHOR, "\n".join(lines))
    (said,) = answers(pull)
    assert "more to say than fits" in said
    assert MarkdownIt().render(said).count("<code>@") == said.count("`@") > 0


def test_who_may_not_write_is_refused_and_nothing_else(world):
    pull = world.opened()
    for role in ("none", "read", "triage"):
        pull.repository.role(STRANGER, role)
        comment = world.say(pull, STRANGER, "/assayer rerun\n/assayer help\n/assayer stop")
        assert reactions(pull, comment) == []
    assert answers(pull) == ["You may not do this here."] * 3
    assert len(world.runs(pull)) == 1


def test_the_base_branch_says_who_may_use_commands(world):
    pull = world.opened(document=None)
    for commands, role, may in (
        ("write", "write", True),
        ("maintain", "write", False),
        ("maintain", "maintain", True),
        ("admin", "maintain", False),
        ("admin", "admin", True),
        (("Carol",), "read", True),
        (("dave",), "admin", False),
        ("everybody", "maintain", False),
    ):
        world.decide(pull, Policy(commands=commands))
        pull.repository.role("carol", role)
        world.say(pull, "carol", "/assayer unignore 0123456789abcdef")
        assert ("was not ignored" in answers(pull)[-1]) is may, (commands, role)


def test_being_on_the_list_is_not_enough_to_change_the_branch(world):
    pull = world.opened()
    world.decide(pull, Policy(commands=("carol",)))
    pull.repository.role("carol", "read")
    head = pull.head
    world.say(pull, "carol", f"/assayer apply {CRASH}")
    assert pull.head == head


def test_an_unknown_command_is_answered_shortly_and_does_nothing(world):
    pull = world.opened()
    comment = world.say(pull, STRANGER, "/assayer destroy @everybody")
    assert answers(pull) == ["There is no such command. See `/assayer help`."]
    assert reactions(pull, comment) == []


def test_ignoring_lets_the_check_pass_and_unignoring_does_not(world):
    pull = world.opened()
    (check,) = pull.check_runs()
    assert check.conclusion == "failure"
    until = (world.clock.now() + timedelta(days=30)).date()
    world.say(pull, "alice", f"/assayer ignore {CRASH} we know\n @carol until={until}")
    world.say(pull, "alice", f"/assayer ignore {CRASH} we know until={until}")
    world.drive()
    (ignore,) = world.ignores(pull)
    assert (ignore.reason, ignore.by, ignore.until) == ("we know", "alice", until)
    assert ignore.target == CRASHES["findings"][0]["target"]
    assert check.conclusion == "success"
    world.say(pull, "alice", f"/assayer unignore {CRASH}")
    world.drive()
    assert world.ignores(pull) == ()
    assert check.conclusion == "failure"
    assert answers(pull)[-1] == f"`{CRASH}` counts again."
    world.say(pull, "alice", f"/assayer unignore {CRASH}")
    assert answers(pull)[-1] == f"`{CRASH}` was not ignored."


def test_an_ignore_ends_in_the_future_and_is_about_something_that_was_found(world):
    pull = world.opened()
    world.say(pull, "alice", f"/assayer ignore {CRASH} known until=2020-01-01")
    world.say(pull, "alice", "/assayer ignore 0123456789abcdef known")
    assert world.ignores(pull) == ()
    past, unknown = answers(pull)
    assert "2020-01-01 has passed" in past
    assert "`0123456789abcdef`" in unknown


def test_explaining_tells_evidence_inputs_and_how_to_reproduce(world):
    pull = world.opened()
    world.say(pull, AUTHOR, f"/assayer explain {CRASH}")
    (said,) = answers(pull)
    assert "Reproduce:" in said
    assert "instead of `expenses/receipts.py:28`" in said
    assert "[The whole report](https://assayer.example/runs/" in said
    world.say(pull, AUTHOR, "/assayer explain 0123456789abcdef")
    assert "No run of this pull request found" in answers(pull)[-1]


def test_stopping_cancels_what_runs(world):
    pull = world.opened(document=None)
    world.say(pull, "alice", "/assayer stop")
    world.drive()
    (run,) = world.runs(pull)
    assert run.state is RunState.CANCELLED
    assert answers(pull) == ["Stopped one run."]
    assert [check.conclusion for check in pull.check_runs()] == ["cancelled"]
    world.say(pull, "alice", "/assayer stop")
    assert answers(pull)[-1] == "Nothing runs for this pull request."


def test_a_rerun_takes_the_place_of_what_runs_unless_it_tests_a_part(world):
    pull = world.opened(document=None)
    world.say(pull, "alice", "/assayer rerun target=expenses/receipts.py::merchant")
    assert [run.state.over for run in world.runs(pull)] == [False, False]
    world.say(pull, "alice", "/assayer rerun")
    assert [run.state.over for run in world.runs(pull)] == [False, True, True]


RECEIPTS = "expenses/receipts.py"
NOWHERE = [
    "expenses/absent.py::merchant",
    f"{RECEIPTS}::absent",
    f"{RECEIPTS}::merchant.inner",
    f"{RECEIPTS}::merchant.<locals>.inner",
    "expenses/empty.py::<module>",
    "expenses/folder.py::<module>",
    "expenses/broken.ipynb::f",
    "expenses/shown.ipynb::g",
]
ODD = [
    f"{RECEIPTS}::mer\u202echant",
    "expenses/\u2066rec\u2069eipts.py::merchant",
    f"{RECEIPTS}::merchant\u061c",
    "expenses/re\x7fceipts.py::merchant",
    "expenses/re\x85ceipts.py::merchant",
    "expenses/re\x9bceipts.py::merchant",
    "expenses/re\x00ceipts.py::merchant",
    "expenses/re\u00adceipts.py::absent",
    "expenses/\nreceipts.py::merchant",
    f"{RECEIPTS}::merchant\x1b[31m",
    f"{'a' * 60_000}.py::merchant",
    "expenses/`@octocat`.py::merchant",
]


def notebook(code):
    return json.dumps({"cells": [{"cell_type": "code", "source": code}], "nbformat": 4})


@pytest.fixture
def pull(world):
    more = {
        "expenses/empty.py": "",
        "expenses/folder.py/inner.py": "x = 1\n",
        "expenses/broken.ipynb": "def f(): ...",
        "expenses/shown.ipynb": notebook("def f(): ..."),
    }
    return world.opened(files={**world.case["texts"], **more})


def test_target_that_names_no_function_starts_nothing(pull, world):
    for target in NOWHERE:
        world.say(pull, "alice", f"/assayer rerun target={target}")
        said = f"Nothing was started: `{target}` is no function at `{pull.head[:7]}`."
        assert answers(pull)[-1] == said
        assert len(world.runs(pull)) == len(pull.check_runs()) == 1


def test_odd_target_starts_nothing_and_is_answered_in_one_line(pull, world):
    for number, target in enumerate(ODD):
        world.say(pull, "alice", f"/assayer rerun target={target}")
        assert len(world.runs(pull)) == len(pull.check_runs()) == 1
        assert len(answers(pull)) == number + 1
        answer = answers(pull)[-1]
        assert answer.isprintable()
        assert len(answer) < 200
        assert "octocat" not in answer


def test_function_of_a_notebook_is_tested_again(pull, world):
    world.say(pull, "alice", "/assayer rerun target=expenses/shown.ipynb::f")
    assert len(world.runs(pull)) == 2


def test_target_of_a_head_that_moved_is_looked_up_there(pull, world):
    pull.push({RECEIPTS: "def fresh(): ...\n"}, user=AUTHOR)
    world.say(pull, "alice", f"/assayer rerun target={RECEIPTS}::merchant")
    assert answers(pull)[-1].startswith("Nothing was started")
    before = len(world.runs(pull))
    world.say(pull, "alice", f"/assayer rerun target={RECEIPTS}::fresh")
    assert len(world.runs(pull)) == before + 1


def test_the_answer_to_a_rerun_that_was_superseded_says_so(world):
    pull = world.opened()
    world.say(pull, "alice", "/assayer rerun")
    pull.push({"more.py": "x = 1\n"}, user=AUTHOR)
    world.settle()
    world.clock.sleep(11)
    world.settle()
    assert "It was not tested: superseded by" in answers(pull)[0]


def test_a_closed_pull_request_is_not_tested_again(world):
    pull = world.opened()
    pull.close()
    world.say(pull, "alice", "/assayer rerun")
    assert len(world.runs(pull)) == 1
    assert "closed" in answers(pull)[0]


@pytest.fixture
def a_second_later(monkeypatch):
    """Move the double's clock: GitHub tells times in seconds."""
    skipped = itertools.count(2)

    def move():
        ahead = next(skipped)
        monkeypatch.setattr(state, "time", SimpleNamespace(time=lambda: time.time() + ahead))

    return move


def test_approving_names_the_head_that_was_there_and_tests_it(world, a_second_later):
    pull = world.opened(fork=True)
    a_second_later()
    world.say(pull, "alice", "/assayer approve")
    with world.store.read() as unit:
        approval = unit.approvals.get(pull.repository.full_name, pull.head)
    assert approval.by == "alice"
    new, _ = world.runs(pull)
    assert (new.job.head, new.job.fork) == (pull.head, True)


def test_approving_does_not_cover_a_head_that_came_since(world):
    pull = world.opened(fork=True)
    pull.comment("alice", "/assayer approve")
    pull.push({"evil.py": "x = 1\n"}, user=AUTHOR)
    world.settle()
    with world.store.read() as unit:
        assert unit.approvals.get(pull.repository.full_name, pull.head) is None
    assert answers(pull)[0].startswith(f"The head is `{pull.head}` by now")
    world.say(pull, "alice", f"/assayer approve {pull.head}")
    with world.store.read() as unit:
        assert unit.approvals.get(pull.repository.full_name, pull.head).by == "alice"


def test_a_push_that_is_heard_before_the_approval_is_not_approved(world, a_second_later):
    pull = world.opened(fork=True)
    a_second_later()
    pull.comment("alice", "/assayer approve")
    approval = world.github.deliveries.log[-1]
    a_second_later()
    pull.push({"evil.py": "x = 1\n"}, user=AUTHOR)
    world.hear_one(world.github.deliveries.log[-1])
    world.hear_one(approval)
    world.settle()
    with world.store.read() as unit:
        assert unit.approvals.get(pull.repository.full_name, pull.head) is None
    assert f"/assayer approve {pull.head}`" in answers(pull)[0]


def test_an_approval_of_a_pull_request_that_we_never_heard_of_must_name_its_commit(world):
    pull = world.opened(fork=True)
    with world.store.write() as unit:
        unit.pulls.forget(pull.repository.id)
    world.say(pull, "alice", "/assayer approve")
    with world.store.read() as unit:
        assert unit.approvals.get(pull.repository.full_name, pull.head) is None


@pytest.mark.slow
def test_a_command_beside_a_line_is_answered_in_its_thread(world):
    pull = world.opened()
    first = pull.remark("alice", "expenses/receipts.py", 3, "Why?")
    reply = pull.reply(first, "alice", f"/assayer ignore {CRASH} fine")
    world.settle()
    assert reactions(pull, reply) == ["eyes"]
    (thread,) = [each for each in pull.threads() if each.comments[0] is first]
    assert thread.comments[-1].body.startswith(f"`{CRASH}` is ignored")
    assert [ignore.kind for ignore in world.ignores(pull)] == [IgnoreKind.IGNORED]


def test_a_comment_that_was_deleted_since_asks_nothing(world):
    pull = world.opened()
    pull.delete(pull.comment("alice", "/assayer rerun"))
    world.settle()
    assert len(world.runs(pull)) == 1
    assert world.dead() == 0


@pytest.mark.slow
@pytest.mark.parametrize("kind", ["502", "502 after", "dropped after"])
def test_an_answer_is_given_once_whatever_its_sending_ended_in(world, kind):
    pull = world.opened()
    world.github.faults.add("POST", r"/issues/\d+/comments$", kind, times=1)
    comment = world.say(pull, "alice", "/assayer help")
    world.clock.sleep(60)
    world.settle()
    world.clock.sleep(60)
    world.settle()
    assert len(answers(pull)) == 1
    assert reactions(pull, comment) == ["eyes"]
    body = next(each.body for each in pull.bot_comments() if "assayer:reply" in each.body)
    assert has_mark(body, body.strip().splitlines()[-1])


def test_nothing_of_a_comment_comes_back_unescaped(world):
    pull = world.opened()
    hostile = "@all <img src=x> [a](https://evil.example) `x`"
    world.say(pull, "alice", f"/assayer ignore {CRASH} {hostile}\n/assayer {hostile}")
    world.drive()
    for comment in pull.bot_comments():
        assert "@all" not in comment.body
        assert "<img" not in comment.body
        assert "](https://evil" not in comment.body


def test_what_cannot_be_done_in_the_end_is_said(github, tmp_path):
    world = Asking(github, tmp_path, attempts=1)
    pull = world.opened()
    github.faults.add("GET", r"/collaborators/[^/]*/permission$", "503", times=999)
    world.say(pull, "alice", "/assayer rerun")
    world.drive(most=500)
    world.close()
    (said,) = answers(pull)
    assert said.startswith("We are sorry: this could not be done")
    assert len(world.runs(pull)) == world.dead() == 1
