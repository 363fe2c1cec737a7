"""Runs: asked for once, attempted under a lease, ended once, published always."""

from dataclasses import replace
from datetime import timedelta

import pytest

from tests.worker.store.nouns import HEAD, JOB, NEXT, PULL_JOB, errands_of, started, task
from worker.store.records import OutboxTaskKind, Policy, RunBusy, RunOptions, RunOver, RunState


@pytest.fixture
def unit(store):
    with store.write() as opened:
        yield opened


def ready(unit, job=PULL_JOB):
    run = unit.runs.ask(job)
    assert unit.runs.prepared(run.id)
    return run.id


# ---------------------------------------------------------------- asking


def test_job_without_an_installation_waits_at_once(unit):
    run = unit.runs.ask(JOB)
    assert (run.state, run.job, run.queue) == (RunState.QUEUED, JOB, "cpu")
    assert run.created_at.utcoffset() == timedelta(0)
    assert errands_of(unit) == []
    assert unit.runs.next() == run.id


def test_job_from_an_installation_is_announced_and_prepared(unit):
    run = unit.runs.ask(PULL_JOB)
    assert run.state is RunState.PREPARING
    assert unit.runs.next() is None
    found = [record.task for record in errands_of(unit)]
    assert [(each.kind, each.ordering_key, each.run) for each in found] == [
        (OutboxTaskKind.ANNOUNCE, "pull:7:12", run.id),
        (OutboxTaskKind.PREPARE, f"clone:{run.id}", run.id),
    ]
    assert {each.installation for each in found} == {3}


def test_job_outside_of_pull_requests_is_answered_on_its_head(unit):
    unit.runs.ask(replace(PULL_JOB, pull=None))
    assert errands_of(unit)[0].task.ordering_key == f"head:7:{HEAD}"


def test_job_of_an_installation_names_its_repository(unit):
    with pytest.raises(ValueError, match="repository_id"):
        unit.runs.ask(replace(PULL_JOB, repository_id=None))


def test_key_is_taken_once(unit):
    first = unit.runs.ask(PULL_JOB)
    assert unit.runs.ask(PULL_JOB) is None
    assert unit.runs.keyed(PULL_JOB.key) == first.id
    assert unit.runs.ask(replace(PULL_JOB, key=None))
    assert unit.runs.ask(replace(PULL_JOB, key=None))


def test_options_are_kept(unit):
    asked = RunOptions(inputs=40, target="a.py::f", analyzer="cloud", seed=7, everything=True)
    run = unit.runs.ask(replace(JOB, options=asked))
    assert run.job.options == asked
    assert unit.runs.ask(JOB).job.options == RunOptions()


def test_seed_of_zero_is_kept(unit):
    assert unit.runs.ask(replace(JOB, options=RunOptions(seed=0))).job.options == RunOptions(seed=0)


def test_new_head_supersedes_the_runs_under_way(unit):
    preparing = unit.runs.ask(PULL_JOB)
    running = ready(unit, replace(PULL_JOB, key="other"))
    attempt = started(unit, running)
    elsewhere = unit.runs.ask(replace(PULL_JOB, pull=13, key="elsewhere"))
    new = unit.runs.ask(replace(PULL_JOB, head=NEXT, key="next"), supersede=True)
    for run_id in (preparing.id, running):
        record = unit.runs.get(run_id)
        assert (record.state, record.error) == (RunState.CANCELLED, "superseded by bbbbbbb")
    assert not unit.runs.renew(attempt, 60)
    assert not unit.runs.finish(attempt, {"verdict": "success"})
    assert unit.runs.get(elsewhere.id).state is RunState.PREPARING
    assert unit.runs.latest(7, 12) == new
    published = {record.task.run for record in errands_of(unit, OutboxTaskKind.PUBLISH)}
    assert published == {preparing.id, running}


def test_other_run_of_the_same_head_is_not_superseded(unit):
    first = unit.runs.ask(PULL_JOB)
    unit.runs.ask(replace(PULL_JOB, key="rerun"), supersede=True)
    assert unit.runs.get(first.id).state is RunState.PREPARING


def test_taken_key_supersedes_nothing(unit):
    unit.runs.ask(PULL_JOB)
    newer = unit.runs.ask(replace(PULL_JOB, head=NEXT, key="next"))
    assert unit.runs.ask(PULL_JOB, supersede=True) is None
    assert unit.runs.get(newer.id).state is RunState.PREPARING


def test_head_that_comes_back_is_run_again(unit):
    unit.runs.ask(PULL_JOB)
    unit.runs.ask(replace(PULL_JOB, head=NEXT, key="next"), supersede=True)
    assert unit.runs.ask(PULL_JOB, supersede=True)
    assert unit.runs.latest(7, 12).job.head == HEAD


# ------------------------------------------------------------- attempts


def test_finished_run_keeps_its_report_and_is_published(unit):
    run = ready(unit)
    attempt = started(unit, run)
    assert unit.runs.finish(attempt, {"verdict": "success", "findings": []})
    record = unit.runs.get(run)
    assert (record.state, record.verdict) == (RunState.DONE, "success")
    assert record.finished_at >= record.started_at >= record.created_at
    assert unit.runs.report(run) == {"verdict": "success", "findings": []}
    (publish,) = errands_of(unit, OutboxTaskKind.PUBLISH)
    assert (publish.task.run, publish.task.ordering_key) == (run, "pull:7:12")
    assert not unit.runs.finish(attempt, {"verdict": "failure"})


@pytest.mark.parametrize("end", ["finish", "fail", "stop", "cancel", "attempts"])
def test_every_end_is_published_once(unit, clock, end):
    run = ready(unit)
    attempt = started(unit, run, lease=10, limit=1)
    ends = {
        "finish": lambda: unit.runs.finish(attempt, {"verdict": "success"}),
        "fail": lambda: unit.runs.fail(attempt, "broken"),
        "stop": lambda: unit.runs.stop(run, "broken"),
        "cancel": lambda: unit.runs.cancel(run, "closed"),
        "attempts": lambda: unit.runs.expired(1),
    }
    clock.pass_by(20)
    ends[end]()
    assert unit.runs.get(run).state.over
    for again in ends.values():
        again()
    assert [each.task.run for each in errands_of(unit, OutboxTaskKind.PUBLISH)] == [run]


def test_run_that_nobody_waits_for_is_not_published(unit):
    run = unit.runs.ask(JOB)
    unit.runs.finish(started(unit, run.id), {"verdict": "success"})
    assert errands_of(unit) == []


def test_run_is_not_attempted_before_it_is_prepared(unit):
    run = unit.runs.ask(PULL_JOB)
    assert isinstance(unit.runs.start(run.id, lease=60, limit=3), RunOver)
    assert unit.runs.prepared(run.id)
    assert not unit.runs.prepared(run.id)
    assert started(unit, run.id).number == 1


def test_second_attempt_waits_for_the_lease(unit, clock):
    run = unit.runs.ask(JOB).id
    attempt = started(unit, run, lease=60)
    clock.pass_by(50)
    assert unit.runs.start(run, lease=60, limit=3) == RunBusy(10.0)
    assert unit.runs.renew(attempt, 60)
    assert unit.runs.start(run, lease=60, limit=3) == RunBusy(60.0)
    clock.pass_by(60)
    assert started(unit, run).number == 2


def test_attempt_that_was_taken_over_changes_nothing(unit, clock):
    run = unit.runs.ask(JOB).id
    slow = started(unit, run, lease=10)
    clock.pass_by(11)
    fast = started(unit, run)
    assert not unit.runs.renew(slow, 60)
    assert not unit.runs.progress(slow, "still here")
    assert not unit.runs.finish(slow, {"verdict": "failure"})
    assert not unit.runs.fail(slow, "too late")
    assert unit.runs.finish(fast, {"verdict": "success"})
    assert unit.runs.report(run) == {"verdict": "success"}


def test_run_is_given_up_at_the_limit(unit, clock):
    run = unit.runs.ask(JOB).id
    for number in (1, 2, 3):
        assert started(unit, run, lease=10).number == number
        clock.pass_by(11)
    assert isinstance(unit.runs.start(run, lease=10, limit=3), RunOver)
    record = unit.runs.get(run)
    assert record.state is RunState.FAILED
    assert run[:12] in record.error


def test_expired_attempts_wait_again_until_the_limit(unit, clock):
    lost = [unit.runs.ask(JOB).id for _ in range(2)]
    alive = unit.runs.ask(JOB).id
    for run in lost:
        started(unit, run, lease=10)
    started(unit, alive, lease=100)
    assert unit.runs.expired(2) == ()
    clock.pass_by(11)
    assert set(unit.runs.expired(2)) == set(lost)
    assert unit.runs.expired(2) == ()
    assert started(unit, lost[0], lease=10).number == 2
    clock.pass_by(11)
    assert unit.runs.expired(2) == ()
    assert unit.runs.get(lost[0]).state is RunState.FAILED
    assert unit.runs.get(lost[1]).state is RunState.QUEUED
    assert unit.runs.get(alive).state is RunState.RUNNING


def test_run_whose_clone_nobody_makes_is_given_up(unit):
    run = unit.runs.ask(PULL_JOB)
    unit.runs.expired(3)
    assert unit.runs.get(run.id).state is RunState.PREPARING
    ordering_key = f"clone:{run.id}"
    unit.outbox_tasks.give_up(unit.outbox_tasks.next(ordering_key).id, "no right to read")
    unit.runs.expired(3)
    assert unit.runs.get(run.id).state is RunState.FAILED
    assert [each.task.run for each in errands_of(unit, OutboxTaskKind.PUBLISH)] == [run.id]


def test_progress_is_told_until_the_end(unit):
    run = unit.runs.ask(JOB).id
    attempt = started(unit, run)
    assert unit.runs.progress(attempt, "examining \x00 a.py::f \ud800")
    assert unit.runs.get(run).progress == "examining  a.py::f ?"
    unit.runs.release(run)
    assert unit.runs.get(run).progress is None


def test_dead_attempt_gives_its_run_back(unit):
    run = unit.runs.ask(JOB).id
    dead = started(unit, run)
    assert unit.runs.release(run)
    assert not unit.runs.release(run)
    assert started(unit, run).number == 2
    assert not unit.runs.finish(dead, {"verdict": "failure"})


def test_stopped_run_says_why(unit):
    run = ready(unit)
    assert unit.runs.stop(run, "it took too long")
    assert not unit.runs.stop(run, "again")
    assert not unit.runs.cancel(run, "again")
    assert not unit.runs.release(run)
    record = unit.runs.get(run)
    assert (record.state, record.error) == (RunState.FAILED, "it took too long")


def test_unknown_run_is_over(unit):
    assert isinstance(unit.runs.start("nobody", lease=1, limit=3), RunOver)
    assert unit.runs.get("nobody") is None
    assert unit.runs.report("nobody") is None
    assert not unit.runs.cancel("nobody", "why")


# ---------------------------------------------------------------- queues


def test_oldest_free_run_of_a_queue_is_next(unit, clock):
    runs = []
    for _ in range(3):
        runs.append(unit.runs.ask(JOB).id)
        clock.pass_by(1)
    unit.runs.route(runs[0], "gpu")
    assert unit.runs.next() == runs[0]
    assert unit.runs.next(("cpu",)) == runs[1]
    assert unit.runs.next(("gpu",)) == runs[0]
    started(unit, runs[1], lease=10)
    assert unit.runs.next(("cpu",)) == runs[2]
    clock.pass_by(11)
    assert unit.runs.next(("cpu",)) == runs[1]


def test_attempt_that_changes_the_queue_does_not_count(unit, clock):
    run = unit.runs.ask(JOB).id
    old = started(unit, run, limit=1)
    assert unit.runs.route(run, "gpu")
    assert unit.runs.get(run).queue == "gpu"
    assert not unit.runs.finish(old, {"verdict": "success"})
    assert unit.runs.overdue("gpu", 300) == ()
    clock.pass_by(300)
    assert unit.runs.overdue("gpu", 300) == (run,)
    assert unit.runs.route(run, "cpu", without_gpu=True)
    record = unit.runs.get(run)
    assert (record.queue, record.without_gpu) == ("cpu", True)
    assert started(unit, run, limit=1).run.without_gpu
    unit.runs.stop(run, "over")
    assert not unit.runs.route(run, "gpu")


def test_unsent_and_unheard_runs_are_stranded(unit, clock):
    unsent, sent, working = (unit.runs.ask(JOB).id for _ in range(3))
    late = unit.runs.ask(PULL_JOB).id
    unit.runs.mark_enqueued(sent)
    unit.runs.mark_enqueued(working)
    started(unit, working, lease=10_000)
    clock.pass_by(11)
    unit.runs.prepared(late)
    assert unit.runs.stranded() == (unsent,)
    clock.pass_by(11)
    assert set(unit.runs.stranded()) == {unsent, late}
    clock.pass_by(3600)
    assert set(unit.runs.stranded()) == {unsent, late, sent}
    clock.pass_by(10_000)
    assert set(unit.runs.stranded()) == {unsent, late, sent, working}


# --------------------------------------------------------------- looking


def test_runs_are_found_by_what_github_calls_them(unit, clock):
    first = ready(unit)
    clock.pass_by(1)
    second = unit.runs.ask(replace(PULL_JOB, key="rerun")).id
    unit.runs.announced(first, 2**40)
    assert unit.runs.by_check_run(2**40).id == first
    assert unit.runs.by_check_run(1) is None
    assert [run.id for run in unit.runs.of_head(7, HEAD)] == [second, first]
    assert [run.id for run in unit.runs.of_pull(7, 12)] == [second, first]
    assert unit.runs.of_head(7, NEXT) == ()
    assert [run.id for run in unit.runs.alive()] == [first, second]
    assert unit.runs.latest(7, 12).id == second
    unit.runs.cancel(second, "stopped")
    assert unit.runs.latest(7, 12).id == first
    assert unit.runs.latest(7, 99) is None


def test_private_runs_can_be_left_out(unit, clock):
    public = unit.runs.ask(JOB).id
    clock.pass_by(1)
    private = unit.runs.ask(replace(JOB, private=True)).id
    assert [run.id for run in unit.runs.recent()] == [private, public]
    assert [run.id for run in unit.runs.recent(private=False)] == [public]
    assert [run.id for run in unit.runs.recent(1)] == [private]


def test_runs_are_counted(unit):
    ready(unit)
    started(unit, unit.runs.ask(JOB).id)
    counts = unit.runs.count()
    assert set(counts) == set(RunState)
    assert counts[RunState.QUEUED] == counts[RunState.RUNNING] == 1
    assert sum(counts.values()) == 2


def test_runs_without_a_status_are_counted(unit, clock):
    announced, silent = (unit.runs.ask(replace(PULL_JOB, key=key)).id for key in "ab")
    unit.runs.ask(JOB)
    unit.runs.announced(announced, 1)
    assert unit.runs.unannounced(25) == 0
    clock.pass_by(25)
    assert unit.runs.unannounced(25) == 1
    unit.runs.cancel(silent, "closed")
    assert unit.runs.unannounced(25) == 0


def test_policy_is_the_runs_own_then_the_last_then_the_default(unit, clock):
    first = unit.runs.ask(PULL_JOB).id
    assert unit.runs.policy(first) == unit.runs.policy_of(7) == Policy()
    strict = Policy("neutral", fail_open=True, inline_comments=0, commands=("ann", "bob"))
    unit.runs.decide(first, strict)
    clock.pass_by(1)
    second = unit.runs.ask(replace(PULL_JOB, key="other")).id
    elsewhere = unit.runs.ask(replace(PULL_JOB, key="third", repository_id=8)).id
    assert unit.runs.policy(second) == unit.runs.policy_of(7) == strict
    assert unit.runs.policy(elsewhere) == Policy()
    unit.runs.decide(second, Policy(commands="admin"))
    assert unit.runs.policy(first) == strict
    assert unit.runs.policy_of(7).commands == "admin"
    assert unit.runs.policy("nobody") == Policy()


def test_an_outage_may_pass_only_where_the_same_base_commit_says_so(unit, clock):
    lax = Policy("neutral", fail_open=True, inline_comments=0)
    unit.runs.decide(unit.runs.ask(PULL_JOB).id, lax)
    clock.pass_by(1)
    same = unit.runs.ask(replace(PULL_JOB, key="same")).id
    other = unit.runs.ask(replace(PULL_JOB, key="other", base="f" * 40)).id
    assert unit.runs.policy(same) == lax
    assert unit.runs.policy(other) == replace(lax, fail_open=False)


# --------------------------------------------------------------- ending


def test_old_runs_go_with_their_reports(unit, clock):
    old, new = ready(unit), unit.runs.ask(JOB).id
    unit.runs.finish(started(unit, old), {"verdict": "success"})
    clock.pass_by(10)
    assert unit.runs.older(clock()) == (old,)
    unit.runs.delete(old)
    unit.runs.delete(new)
    assert unit.runs.get(old) is None
    assert unit.runs.report(old) is None
    assert unit.runs.get(new) is not None


def test_report_holds_any_text(unit):
    run = unit.runs.ask(JOB).id
    document = {"verdict": "failure", "findings": [{"text": "nul \x00 é \ud800 😀"}]}
    assert unit.runs.finish(started(unit, run), document)
    assert unit.runs.report(run) == document


def test_errand_of_a_run_is_added_once(unit):
    run = unit.runs.ask(PULL_JOB).id
    assert not unit.outbox_tasks.add(task(f"announce:{run}", OutboxTaskKind.ANNOUNCE))
