"""Buttons of check runs and rerequested checks, at a double of GitHub."""

import pytest

from tests.worker.github_app.commands.asking import AUTHOR, STRANGER, answers
from tests.worker.github_app.outbox.world import findings
from worker.store.outbox_tasks import pull_ordering_key
from worker.store.records import IgnoreKind, OutboxTask, OutboxTaskKind, Policy, RunOptions


def press(world, pull, button, user="alice"):
    check = pull.check_runs()[-1]
    pull.repository.press(check, button, user)
    world.settle()


def test_four_times_the_inputs_are_those_of_the_configuration(world):
    pull = world.opened()
    world.decide(pull, Policy(inputs=30))
    press(world, pull, "rerun_4x")
    new, _ = world.runs(pull)
    assert new.job.options == RunOptions(inputs=120, fresh=True)
    assert len(pull.check_runs()) == 2
    assert answers(pull) == []


def test_four_times_the_inputs_are_never_more_than_a_thousand(world):
    pull = world.opened()
    world.decide(pull, Policy(inputs=400))
    press(world, pull, "rerun_4x")
    assert world.runs(pull)[0].job.options == RunOptions(inputs=1000, fresh=True)


def test_a_button_pressed_once_and_delivered_twice_counts_once(world):
    pull = world.opened()
    press(world, pull, "rerun_4x")
    for sent in world.github.deliveries.of("check_run", "requested_action"):
        world.hear_one(sent)
    world.settle()
    assert len(world.runs(pull)) == 2


def test_the_baseline_takes_every_new_finding_and_lets_the_check_pass(world):
    document = findings(world.case["document"], 2, 3, 4)
    pull = world.opened(document=document)
    (check,) = pull.check_runs()
    assert check.conclusion == "failure"
    press(world, pull, "baseline")
    world.drive()
    kept = {ignore.fingerprint: ignore for ignore in world.ignores(pull)}
    assert kept.keys() == {finding["fingerprint"] for finding in document["findings"]}
    assert {ignore.kind for ignore in kept.values()} == {IgnoreKind.BASELINE}
    assert {ignore.by for ignore in kept.values()} == {"alice"}
    assert check.conclusion == "success"
    assert answers(pull) == []


def test_who_may_not_is_told_so_and_nothing_happens(world):
    pull = world.opened()
    for button in ("baseline", "apply", "rerun_4x"):
        press(world, pull, button, STRANGER)
    head = pull.head
    press(world, pull, "apply", AUTHOR)
    press(world, pull, "baseline", AUTHOR)
    assert set(answers(pull)) == {"You may not do this here."}
    assert (world.ignores(pull), pull.head, len(world.runs(pull))) == ((), head, 1)


def test_the_author_may_press_for_more_inputs(world):
    pull = world.opened()
    press(world, pull, "rerun_4x", AUTHOR)
    assert len(world.runs(pull)) == 2


def test_a_button_of_an_old_head_says_that_it_has_moved_on(world):
    pull = world.opened()
    check = pull.check_runs()[-1]
    pull.push({"more.py": "x = 1\n"}, user=AUTHOR)
    world.settle()
    pull.repository.press(check, "rerun_4x", "alice")
    world.settle()
    assert len(world.runs(pull)) == 2
    assert "has moved on" in answers(pull)[0]


def test_rerequesting_all_checks_is_one_run(world):
    pull = world.opened()
    pull.repository.rerun_all(pull.head)
    pull.repository.rerun(pull.check_runs()[0])
    world.settle()
    new, _ = world.runs(pull)
    assert (new.state.over, new.job.options) == (False, RunOptions(fresh=True))
    assert len(pull.check_runs()) == 2


def test_rerequesting_the_check_of_a_fork_finds_its_pull_request(world):
    pull = world.opened(fork=True)
    pull.repository.rerun(pull.check_runs()[0])
    world.settle()
    new, _ = world.runs(pull)
    assert (new.job.pull, new.job.fork) == (pull.number, True)


@pytest.mark.parametrize("fork", [False, True])
def test_rerequesting_a_head_that_we_never_heard_of_asks_github(world, fork):
    pull = world.opened(fork=fork)
    with world.store.write() as unit:
        unit.pulls.forget(pull.repository.id)
    pull.repository.rerun(pull.check_runs()[0])
    world.settle()
    assert len(world.runs(pull)) == 2


def test_a_rerequest_that_was_not_allowed_does_not_keep_others_from_theirs(world):
    pull = world.opened()
    world.decide(pull, Policy(commands=("dave",)))
    pull.repository.role("dave", "write")
    pull.repository.rerun(pull.check_runs()[0], "alice")
    world.settle()
    assert len(world.runs(pull)) == 1
    pull.repository.rerun(pull.check_runs()[0], "dave")
    world.settle()
    assert len(world.runs(pull)) == 2


def test_a_button_of_another_repositorys_run_does_nothing(world):
    pull, other = world.opened(), world.opened("tea")
    other.repository.role("alice", "write")
    press = OutboxTask(
        OutboxTaskKind.BUTTON,
        world.github.installation.id,
        pull_ordering_key(other.repository.id, 1),
        "button:forged",
        order={
            "repository_id": other.repository.id,
            "check_run": pull.check_runs()[0].id,
            "identifier": "baseline",
            "sender": "alice",
        },
    )
    with world.store.write() as unit:
        unit.outbox_tasks.add(press)
    world.settle()
    assert world.ignores(pull) == world.ignores(other) == ()


def test_a_merge_group_is_tested_again_by_its_button_and_by_rerequest(world):
    pull = world.opened()
    head = pull.repository.merge_group(pull)
    world.hear()
    world.drive()

    def runs():
        with world.store.read() as unit:
            return unit.runs.of_head(pull.repository.id, head)

    (first,) = runs()
    world.finish(first, findings(world.case["document"]))
    world.drive()
    check = pull.repository.check_run(head)
    pull.repository.rerun(check)
    pull.repository.rerun_all(head)
    world.settle()
    second, _ = runs()
    world.finish(second, findings(world.case["document"]))
    world.drive()
    pull.repository.press(pull.repository.check_run(head), "rerun_4x", "alice")
    world.settle()
    assert [run.job.options.inputs for run in runs()] == [40, None, None]
    assert {run.job.pull for run in runs()} == {None}
