"""The store on a real SQLite file, and on PostgreSQL where one is given."""

from __future__ import annotations

import os
import threading
from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta

import pytest
from sqlalchemy import create_engine, text
from sqlalchemy.exc import SQLAlchemyError

from worker.store import Attempt, Busy, Delivery, Job, Over, RunState, Store

JOB = Job("octo/app", "a" * 40, "b" * 40, "pull_request opened", private=False)


def delivery(name: str = "d-1") -> Delivery:
    return Delivery(name, "pull_request", "opened", "0" * 64)


@pytest.fixture(params=["sqlite", "postgresql"])
def url(request, tmp_path):
    if request.param == "sqlite":
        yield f"sqlite:///{tmp_path}/state/assayer.db"
        return
    address = os.environ.get("ASSAYER_TEST_POSTGRESQL")
    if address is None:
        pytest.skip("ASSAYER_TEST_POSTGRESQL names no server")
    yield address
    with create_engine(address).begin() as connection:
        connection.execute(text("DROP TABLE approvals, reports, deliveries, runs"))


@pytest.fixture
def store(url):
    with Store(url) as opened:
        yield opened


def start(store: Store, run: str, lease: float = 60, limit: int = 3) -> Attempt:
    attempt = store.start_run(run, lease=lease, limit=limit)
    assert isinstance(attempt, Attempt)
    return attempt


def test_delivery_is_recorded_once(store):
    first = store.record_delivery(delivery(), JOB)
    second = store.record_delivery(delivery(), JOB)
    assert first.fresh
    assert not second.fresh
    assert second.run == first.run
    assert len(store.latest_runs()) == 1


def test_simultaneous_copies_create_one_run(store):
    together = threading.Barrier(8)

    def deliver(_number: int) -> bool:
        together.wait()
        return store.record_delivery(delivery(), JOB).fresh

    with ThreadPoolExecutor(8) as pool:
        fresh = list(pool.map(deliver, range(8)))
    assert fresh.count(True) == 1
    assert len(store.latest_runs()) == 1


def test_processes_may_open_together(url):
    together = threading.Barrier(6)

    def open_store(_number: int) -> None:
        together.wait()
        with Store(url) as store:
            store.ping()

    with ThreadPoolExecutor(6) as pool:
        list(pool.map(open_store, range(6)))


def test_delivery_without_a_job_runs_nothing(store):
    assert store.record_delivery(delivery()).run is None
    assert store.latest_runs() == ()


def test_finished_run_keeps_its_report(store):
    run = store.create_run(JOB)
    assert store.finish_run(start(store, run), {"verdict": "success", "findings": []})
    record = store.run(run)
    assert record is not None
    assert (record.state, record.verdict) == (RunState.DONE, "success")
    assert record.job == JOB
    assert record.finished_at >= record.started_at >= record.created_at
    assert record.created_at.utcoffset() == timedelta(0)
    assert store.report(run) == {"verdict": "success", "findings": []}


def test_second_attempt_waits_for_the_lease(store):
    run = store.create_run(JOB)
    start(store, run, lease=60)
    refused = store.start_run(run, lease=60, limit=3)
    assert isinstance(refused, Busy)
    assert 55 < refused.seconds <= 60


def test_simultaneous_attempts_start_once(store):
    run = store.create_run(JOB)
    together = threading.Barrier(8)

    def attempt(_number: int) -> object:
        together.wait()
        return store.start_run(run, lease=60, limit=3)

    with ThreadPoolExecutor(8) as pool:
        outcomes = list(pool.map(attempt, range(8)))
    assert sum(isinstance(outcome, Attempt) for outcome in outcomes) == 1


def test_run_is_given_up_at_the_limit(store):
    run = store.create_run(JOB)
    numbers = [start(store, run, lease=0).number for _ in range(3)]
    assert numbers == [1, 2, 3]
    refused = store.start_run(run, lease=0, limit=3)
    assert isinstance(refused, Over)
    record = store.run(run)
    assert record is not None
    assert record.state is RunState.FAILED
    assert record.error is not None
    assert run[:12] in record.error


def test_superseded_attempt_cannot_finish(store):
    run = store.create_run(JOB)
    slow = start(store, run, lease=0)
    fast = start(store, run)
    assert not store.finish_run(slow, {"verdict": "failure"})
    assert not store.fail_run(slow, "too late")
    assert store.finish_run(fast, {"verdict": "success"})
    assert store.report(run) == {"verdict": "success"}


def test_dead_attempt_gives_its_run_back(store):
    run = store.create_run(JOB)
    dead = start(store, run)
    assert store.release_run(run)
    assert start(store, run).number == 2
    assert not store.finish_run(dead, {"verdict": "failure"})


def test_stopped_run_says_why(store):
    run = store.create_run(JOB)
    start(store, run)
    assert store.stop_run(run, "took over 30 minutes")
    assert not store.stop_run(run, "again")
    assert not store.release_run(run)
    record = store.run(run)
    assert record is not None
    assert (record.state, record.error) == (RunState.FAILED, "took over 30 minutes")


def test_finished_run_is_over(store):
    run = store.create_run(JOB)
    store.finish_run(start(store, run), {"verdict": "success"})
    assert isinstance(store.start_run(run, lease=1, limit=3), Over)
    assert isinstance(store.start_run("nobody", lease=1, limit=3), Over)


def test_next_run_is_the_oldest_free_one(store):
    runs = [store.create_run(JOB) for _ in range(3)]
    assert store.next_run() == runs[0]
    start(store, runs[0])
    assert store.next_run() == runs[1]
    start(store, runs[1], lease=0)
    assert store.next_run() == runs[1]


def test_unsent_and_unheard_runs_are_stranded(store):
    unsent, sent, working = (store.create_run(JOB) for _ in range(3))
    store.mark_enqueued(sent)
    store.mark_enqueued(working)
    start(store, working)
    assert store.stranded_runs() == ()
    assert store.stranded_runs(unsent=0) == (unsent,)
    assert store.stranded_runs(unsent=0, unheard=0) == (unsent, sent)


def test_private_runs_can_be_left_out(store):
    public = store.create_run(JOB)
    private = store.create_run(Job("octo/secret", None, None, "asked"))
    assert [run.id for run in store.latest_runs()] == [private, public]
    assert [run.id for run in store.latest_runs(private=False)] == [public]


def test_runs_are_counted_by_state(store):
    store.create_run(JOB)
    start(store, store.create_run(JOB))
    counts = store.count_runs()
    assert counts == {
        RunState.QUEUED: 1,
        RunState.RUNNING: 1,
        RunState.DONE: 0,
        RunState.FAILED: 0,
    }


def test_unreachable_database_is_an_error(tmp_path):
    with pytest.raises(SQLAlchemyError):
        Store(f"sqlite:///{tmp_path}")
