"""Runs: asked for once, attempted under a lease, ended once, published always."""

from dataclasses import replace
from datetime import timedelta

import pytest

from tests.worker.store.nouns import HEAD, JOB, NEXT, PULL_JOB, errand, errands_of, started
from worker.store import Busy, ErrandKind, Options, Over, Policy, RunState


@pytest.fixture
def books(store):
    with store.begin() as opened:
        yield opened


def ready(books, job=PULL_JOB):
    run = books.runs.ask(job)
    assert books.runs.prepared(run.id)
    return run.id


# ---------------------------------------------------------------- asking


def test_job_without_an_installation_waits_at_once(books):
    run = books.runs.ask(JOB)
    assert (run.state, run.job, run.queue) == (RunState.QUEUED, JOB, "cpu")
    assert run.created_at.utcoffset() == timedelta(0)
    assert errands_of(books) == []
    assert books.runs.next() == run.id


def test_job_from_an_installation_is_announced_and_prepared(books):
    run = books.runs.ask(PULL_JOB)
    assert run.state is RunState.PREPARING
    assert books.runs.next() is None
    found = [record.errand for record in errands_of(books)]
    assert [(each.kind, each.lane, each.run) for each in found] == [
        (ErrandKind.ANNOUNCE, "pull:7:12", run.id),
        (ErrandKind.PREPARE, f"clone:{run.id}", run.id),
    ]
    assert {each.installation for each in found} == {3}


def test_job_outside_of_pull_requests_is_answered_on_its_head(books):
    books.runs.ask(replace(PULL_JOB, pull=None))
    assert errands_of(books)[0].errand.lane == f"head:7:{HEAD}"


def test_job_of_an_installation_names_its_repository(books):
    with pytest.raises(ValueError, match="repository_id"):
        books.runs.ask(replace(PULL_JOB, repository_id=None))


def test_key_is_taken_once(books):
    first = books.runs.ask(PULL_JOB)
    assert books.runs.ask(PULL_JOB) is None
    assert books.runs.keyed(PULL_JOB.key) == first.id
    assert books.runs.ask(replace(PULL_JOB, key=None))
    assert books.runs.ask(replace(PULL_JOB, key=None))


def test_options_are_kept(books):
    asked = Options(inputs=40, target="a.py::f", analyzer="cloud", seed=7, everything=True)
    run = books.runs.ask(replace(JOB, options=asked))
    assert run.job.options == asked
    assert books.runs.ask(JOB).job.options == Options()


def test_seed_of_zero_is_kept(books):
    assert books.runs.ask(replace(JOB, options=Options(seed=0))).job.options == Options(seed=0)


def test_new_head_supersedes_the_runs_under_way(books):
    preparing = books.runs.ask(PULL_JOB)
    running = ready(books, replace(PULL_JOB, key="other"))
    attempt = started(books, running)
    elsewhere = books.runs.ask(replace(PULL_JOB, pull=13, key="elsewhere"))
    new = books.runs.ask(replace(PULL_JOB, head=NEXT, key="next"), supersede=True)
    for run_id in (preparing.id, running):
        record = books.runs.get(run_id)
        assert (record.state, record.error) == (RunState.CANCELLED, "superseded by bbbbbbb")
    assert not books.runs.renew(attempt, 60)
    assert not books.runs.finish(attempt, {"verdict": "success"})
    assert books.runs.get(elsewhere.id).state is RunState.PREPARING
    assert books.runs.latest(7, 12) == new
    published = {record.errand.run for record in errands_of(books, ErrandKind.PUBLISH)}
    assert published == {preparing.id, running}


def test_other_run_of_the_same_head_is_not_superseded(books):
    first = books.runs.ask(PULL_JOB)
    books.runs.ask(replace(PULL_JOB, key="rerun"), supersede=True)
    assert books.runs.get(first.id).state is RunState.PREPARING


def test_taken_key_supersedes_nothing(books):
    books.runs.ask(PULL_JOB)
    newer = books.runs.ask(replace(PULL_JOB, head=NEXT, key="next"))
    assert books.runs.ask(PULL_JOB, supersede=True) is None
    assert books.runs.get(newer.id).state is RunState.PREPARING


def test_head_that_comes_back_is_run_again(books):
    books.runs.ask(PULL_JOB)
    books.runs.ask(replace(PULL_JOB, head=NEXT, key="next"), supersede=True)
    assert books.runs.ask(PULL_JOB, supersede=True)
    assert books.runs.latest(7, 12).job.head == HEAD


# ------------------------------------------------------------- attempts


def test_finished_run_keeps_its_report_and_is_published(books):
    run = ready(books)
    attempt = started(books, run)
    assert books.runs.finish(attempt, {"verdict": "success", "findings": []})
    record = books.runs.get(run)
    assert (record.state, record.verdict) == (RunState.DONE, "success")
    assert record.finished_at >= record.started_at >= record.created_at
    assert books.runs.report(run) == {"verdict": "success", "findings": []}
    (publish,) = errands_of(books, ErrandKind.PUBLISH)
    assert (publish.errand.run, publish.errand.lane) == (run, "pull:7:12")
    assert not books.runs.finish(attempt, {"verdict": "failure"})


@pytest.mark.parametrize("end", ["finish", "fail", "stop", "cancel", "attempts"])
def test_every_end_is_published_once(books, clock, end):
    run = ready(books)
    attempt = started(books, run, lease=10, limit=1)
    ends = {
        "finish": lambda: books.runs.finish(attempt, {"verdict": "success"}),
        "fail": lambda: books.runs.fail(attempt, "broken"),
        "stop": lambda: books.runs.stop(run, "broken"),
        "cancel": lambda: books.runs.cancel(run, "closed"),
        "attempts": lambda: books.runs.expired(1),
    }
    clock.pass_by(20)
    ends[end]()
    assert books.runs.get(run).state.over
    for again in ends.values():
        again()
    assert [each.errand.run for each in errands_of(books, ErrandKind.PUBLISH)] == [run]


def test_run_that_nobody_waits_for_is_not_published(books):
    run = books.runs.ask(JOB)
    books.runs.finish(started(books, run.id), {"verdict": "success"})
    assert errands_of(books) == []


def test_run_is_not_attempted_before_it_is_prepared(books):
    run = books.runs.ask(PULL_JOB)
    assert isinstance(books.runs.start(run.id, lease=60, limit=3), Over)
    assert books.runs.prepared(run.id)
    assert not books.runs.prepared(run.id)
    assert started(books, run.id).number == 1


def test_second_attempt_waits_for_the_lease(books, clock):
    run = books.runs.ask(JOB).id
    attempt = started(books, run, lease=60)
    clock.pass_by(50)
    assert books.runs.start(run, lease=60, limit=3) == Busy(10.0)
    assert books.runs.renew(attempt, 60)
    assert books.runs.start(run, lease=60, limit=3) == Busy(60.0)
    clock.pass_by(60)
    assert started(books, run).number == 2


def test_attempt_that_was_taken_over_changes_nothing(books, clock):
    run = books.runs.ask(JOB).id
    slow = started(books, run, lease=10)
    clock.pass_by(11)
    fast = started(books, run)
    assert not books.runs.renew(slow, 60)
    assert not books.runs.progress(slow, "still here")
    assert not books.runs.finish(slow, {"verdict": "failure"})
    assert not books.runs.fail(slow, "too late")
    assert books.runs.finish(fast, {"verdict": "success"})
    assert books.runs.report(run) == {"verdict": "success"}


def test_run_is_given_up_at_the_limit(books, clock):
    run = books.runs.ask(JOB).id
    for number in (1, 2, 3):
        assert started(books, run, lease=10).number == number
        clock.pass_by(11)
    assert isinstance(books.runs.start(run, lease=10, limit=3), Over)
    record = books.runs.get(run)
    assert record.state is RunState.FAILED
    assert run[:12] in record.error


def test_expired_attempts_wait_again_until_the_limit(books, clock):
    lost = [books.runs.ask(JOB).id for _ in range(2)]
    alive = books.runs.ask(JOB).id
    for run in lost:
        started(books, run, lease=10)
    started(books, alive, lease=100)
    assert books.runs.expired(2) == ()
    clock.pass_by(11)
    assert set(books.runs.expired(2)) == set(lost)
    assert books.runs.expired(2) == ()
    assert started(books, lost[0], lease=10).number == 2
    clock.pass_by(11)
    assert books.runs.expired(2) == ()
    assert books.runs.get(lost[0]).state is RunState.FAILED
    assert books.runs.get(lost[1]).state is RunState.QUEUED
    assert books.runs.get(alive).state is RunState.RUNNING


def test_run_whose_clone_nobody_makes_is_given_up(books):
    run = books.runs.ask(PULL_JOB)
    books.runs.expired(3)
    assert books.runs.get(run.id).state is RunState.PREPARING
    lane = f"clone:{run.id}"
    books.errands.bury(books.errands.next(lane).id, "no right to read")
    books.runs.expired(3)
    assert books.runs.get(run.id).state is RunState.FAILED
    assert [each.errand.run for each in errands_of(books, ErrandKind.PUBLISH)] == [run.id]


def test_progress_is_told_until_the_end(books):
    run = books.runs.ask(JOB).id
    attempt = started(books, run)
    assert books.runs.progress(attempt, "examining \x00 a.py::f \ud800")
    assert books.runs.get(run).progress == "examining  a.py::f ?"
    books.runs.release(run)
    assert books.runs.get(run).progress is None


def test_dead_attempt_gives_its_run_back(books):
    run = books.runs.ask(JOB).id
    dead = started(books, run)
    assert books.runs.release(run)
    assert not books.runs.release(run)
    assert started(books, run).number == 2
    assert not books.runs.finish(dead, {"verdict": "failure"})


def test_stopped_run_says_why(books):
    run = ready(books)
    assert books.runs.stop(run, "it took too long")
    assert not books.runs.stop(run, "again")
    assert not books.runs.cancel(run, "again")
    assert not books.runs.release(run)
    record = books.runs.get(run)
    assert (record.state, record.error) == (RunState.FAILED, "it took too long")


def test_unknown_run_is_over(books):
    assert isinstance(books.runs.start("nobody", lease=1, limit=3), Over)
    assert books.runs.get("nobody") is None
    assert books.runs.report("nobody") is None
    assert not books.runs.cancel("nobody", "why")


# ---------------------------------------------------------------- queues


def test_oldest_free_run_of_a_queue_is_next(books, clock):
    runs = []
    for _ in range(3):
        runs.append(books.runs.ask(JOB).id)
        clock.pass_by(1)
    books.runs.route(runs[0], "gpu")
    assert books.runs.next() == runs[0]
    assert books.runs.next(("cpu",)) == runs[1]
    assert books.runs.next(("gpu",)) == runs[0]
    started(books, runs[1], lease=10)
    assert books.runs.next(("cpu",)) == runs[2]
    clock.pass_by(11)
    assert books.runs.next(("cpu",)) == runs[1]


def test_attempt_that_changes_the_queue_does_not_count(books, clock):
    run = books.runs.ask(JOB).id
    old = started(books, run, limit=1)
    assert books.runs.route(run, "gpu")
    assert books.runs.get(run).queue == "gpu"
    assert not books.runs.finish(old, {"verdict": "success"})
    assert books.runs.overdue("gpu", 300) == ()
    clock.pass_by(300)
    assert books.runs.overdue("gpu", 300) == (run,)
    assert books.runs.route(run, "cpu", without_gpu=True)
    record = books.runs.get(run)
    assert (record.queue, record.without_gpu) == ("cpu", True)
    assert started(books, run, limit=1).run.without_gpu
    books.runs.stop(run, "over")
    assert not books.runs.route(run, "gpu")


def test_unsent_and_unheard_runs_are_stranded(books, clock):
    unsent, sent, working = (books.runs.ask(JOB).id for _ in range(3))
    late = books.runs.ask(PULL_JOB).id
    books.runs.mark_enqueued(sent)
    books.runs.mark_enqueued(working)
    started(books, working, lease=10_000)
    clock.pass_by(11)
    books.runs.prepared(late)
    assert books.runs.stranded() == (unsent,)
    clock.pass_by(11)
    assert set(books.runs.stranded()) == {unsent, late}
    clock.pass_by(3600)
    assert set(books.runs.stranded()) == {unsent, late, sent}
    clock.pass_by(10_000)
    assert set(books.runs.stranded()) == {unsent, late, sent, working}


# --------------------------------------------------------------- looking


def test_runs_are_found_by_what_github_calls_them(books, clock):
    first = ready(books)
    clock.pass_by(1)
    second = books.runs.ask(replace(PULL_JOB, key="rerun")).id
    books.runs.announced(first, 2**40)
    assert books.runs.by_check_run(2**40).id == first
    assert books.runs.by_check_run(1) is None
    assert [run.id for run in books.runs.of_head(7, HEAD)] == [second, first]
    assert [run.id for run in books.runs.of_pull(7, 12)] == [second, first]
    assert books.runs.of_head(7, NEXT) == ()
    assert [run.id for run in books.runs.alive()] == [first, second]
    assert books.runs.latest(7, 12).id == second
    books.runs.cancel(second, "stopped")
    assert books.runs.latest(7, 12).id == first
    assert books.runs.latest(7, 99) is None


def test_private_runs_can_be_left_out(books, clock):
    public = books.runs.ask(JOB).id
    clock.pass_by(1)
    private = books.runs.ask(replace(JOB, private=True)).id
    assert [run.id for run in books.runs.recent()] == [private, public]
    assert [run.id for run in books.runs.recent(private=False)] == [public]
    assert [run.id for run in books.runs.recent(1)] == [private]


def test_runs_are_counted(books):
    ready(books)
    started(books, books.runs.ask(JOB).id)
    counts = books.runs.count()
    assert set(counts) == set(RunState)
    assert counts[RunState.QUEUED] == counts[RunState.RUNNING] == 1
    assert sum(counts.values()) == 2
    assert books.runs.waiting() == {"cpu": 1, "gpu": 0}


def test_runs_without_a_status_are_counted(books, clock):
    announced, silent = (books.runs.ask(replace(PULL_JOB, key=key)).id for key in "ab")
    books.runs.ask(JOB)
    books.runs.announced(announced, 1)
    assert books.runs.unannounced(25) == 0
    clock.pass_by(25)
    assert books.runs.unannounced(25) == 1
    books.runs.cancel(silent, "closed")
    assert books.runs.unannounced(25) == 0


def test_policy_is_the_runs_own_then_the_last_then_the_default(books, clock):
    first = books.runs.ask(PULL_JOB).id
    assert books.runs.policy(first) == books.runs.policy_of(7) == Policy()
    strict = Policy("neutral", fail_open=True, inline_comments=0, commands=("ann", "bob"))
    books.runs.decide(first, strict)
    clock.pass_by(1)
    second = books.runs.ask(replace(PULL_JOB, key="other")).id
    elsewhere = books.runs.ask(replace(PULL_JOB, key="third", repository_id=8)).id
    assert books.runs.policy(second) == books.runs.policy_of(7) == strict
    assert books.runs.policy(elsewhere) == Policy()
    books.runs.decide(second, Policy(commands="admin"))
    assert books.runs.policy(first) == strict
    assert books.runs.policy_of(7).commands == "admin"
    assert books.runs.policy("nobody") == Policy()


def test_an_outage_may_pass_only_where_the_same_base_commit_says_so(books, clock):
    lax = Policy("neutral", fail_open=True, inline_comments=0)
    books.runs.decide(books.runs.ask(PULL_JOB).id, lax)
    clock.pass_by(1)
    same = books.runs.ask(replace(PULL_JOB, key="same")).id
    other = books.runs.ask(replace(PULL_JOB, key="other", base="f" * 40)).id
    assert books.runs.policy(same) == lax
    assert books.runs.policy(other) == replace(lax, fail_open=False)


# --------------------------------------------------------------- ending


def test_closed_pull_request_cancels_its_runs(books):
    ours, other = books.runs.ask(PULL_JOB), books.runs.ask(replace(PULL_JOB, pull=1, key="x"))
    assert books.runs.cancel_pull(7, 12, "closed") == (ours.id,)
    assert books.runs.get(other.id).state is RunState.PREPARING


def test_old_runs_go_with_their_reports(books, clock):
    old, new = ready(books), books.runs.ask(JOB).id
    books.runs.finish(started(books, old), {"verdict": "success"})
    clock.pass_by(10)
    assert books.runs.older(clock()) == (old,)
    books.runs.delete(old)
    books.runs.delete(new)
    assert books.runs.get(old) is None
    assert books.runs.report(old) is None
    assert books.runs.get(new) is not None


def test_report_holds_any_text(books):
    run = books.runs.ask(JOB).id
    document = {"verdict": "failure", "findings": [{"text": "nul \x00 é \ud800 😀"}]}
    assert books.runs.finish(started(books, run), document)
    assert books.runs.report(run) == document


def test_errand_of_a_run_is_added_once(books):
    run = books.runs.ask(PULL_JOB).id
    assert not books.errands.add(errand(f"announce:{run}", ErrandKind.ANNOUNCE))
