"""Jobs on a real broker with a real worker, and without either."""

from __future__ import annotations

import os
from multiprocessing import active_children
from pathlib import Path

import pytest
from celery.concurrency import solo, thread

from tests.worker.fake_pipeline import notes
from tests.worker.redis_server import INSTALLED, Redis, free_port
from tests.worker.runs.crew import (
    Workers,
    asked,
    ended,
    found,
    kill,
    one_process,
    settings_in,
    started,
    ticking,
    until,
)
from worker.runs.readiness import Inspection
from worker.store.records import RunState, WorkerRecord, WorkerState
from worker.store.run_queue import QueueNotifier
from worker.store.store import Store

needs_redis = pytest.mark.skipif(not INSTALLED, reason="redis-server is absent")


@pytest.fixture
def store(tmp_path):
    with Store(f"sqlite:///{tmp_path}/assayer.db") as opened:
        yield opened


# ------------------------------------------------------- without a broker


@pytest.mark.slow
def test_one_process_takes_what_waits_and_gives_up_a_poison_job(store, tmp_path):
    runs = [asked(store, reason) for reason in ("raise", "die", "quick")]
    with one_process(settings_in(tmp_path)):
        failed, poison, done = (ended(store, run) for run in runs)
    assert [failed.state, done.state] == [RunState.FAILED, RunState.DONE]
    assert (poison.state, poison.attempts) == (RunState.FAILED, 2)
    assert runs[1][:12] in (poison.error or "")


@pytest.mark.slow
def test_one_process_stops_a_hanging_job(store, tmp_path):
    run = asked(store, "hang")
    with one_process(settings_in(tmp_path, seconds=2)):
        until(active_children)
        (process,) = active_children()
        record = ended(store, run)
        until(lambda: not active_children())
    assert "longer than a run may take" in (record.error or "")
    with pytest.raises(ProcessLookupError):
        os.kill(process.pid, 0)


@pytest.mark.slow
def test_one_process_leaves_no_child_of_a_run_alive(store, tmp_path):
    run = asked(store, "leave a child")
    with one_process(settings_in(tmp_path)):
        assert ended(store, run).state is RunState.DONE
        (child,) = (int(note[1]) for note in notes(tmp_path) if note[0] == "child")
        until(lambda: is_gone(child))


def is_gone(process: int) -> bool:
    """Return whether a process has ended; one that nobody has waited for yet counts."""
    try:
        return Path(f"/proc/{process}/stat").read_text().rpartition(") ")[2][0] in "ZX"
    except FileNotFoundError:
        return True


@pytest.mark.parametrize("pool", [solo.TaskPool, thread.TaskPool])
def test_celery_ends_no_task_in_its_own_process(pool):
    """Why a worker without a broker has a loop of its own (ARCHITECTURE.md)."""
    with pytest.raises(NotImplementedError):
        pool(1).terminate_job(os.getpid())


@pytest.mark.slow
def test_one_process_goes_on_without_a_gpu(store, tmp_path):
    run, settings = asked(store, "deep learning"), settings_in(tmp_path)
    with one_process(settings), ticking(settings):
        record = ended(store, run)
    assert (record.state, record.queue, record.without_gpu) == (RunState.DONE, "cpu", True)


def test_one_process_whose_isolation_leaks_takes_nothing(store, tmp_path):
    run = asked(store, "quick")
    with one_process(settings_in(tmp_path), Inspection(obstacle="a hole")):
        standing(store, [WorkerState.REFUSING])
        assert found(store, run).state is RunState.QUEUED
    assert notes(tmp_path) == []
    assert found(store, run).attempts == 0


def standing(store: Store, wanted: list[WorkerState]) -> list[WorkerRecord]:
    def present() -> tuple[WorkerRecord, ...]:
        with store.read() as unit:
            return unit.workers_present.present()

    until(lambda: sorted(told.state for told in present()) == sorted(wanted))
    return list(present())


# ------------------------------------------------------------- on a broker


@pytest.fixture
def crew(tmp_path):
    """Makes workers with some settings; all on one broker."""
    made: list[Workers] = []

    def make(**limits: float) -> Workers:
        made.append(Workers(tmp_path, settings_in(tmp_path, broker.url, **limits)))
        made[-1].broker = broker
        return made[-1]

    with Redis(free_port()) as broker:
        yield make
        for each in made:
            each.stop()


def notify(store: Store, workers: Workers, run: str) -> None:
    assert QueueNotifier(workers.queue, store).heard(found(store, run))


@pytest.mark.slow
@needs_redis
def test_worker_ends_every_kind_of_job(store, tmp_path, crew):
    """A report, an incident, a dead process that recovers, one that never does, one that hangs."""
    workers = crew(seconds=20)
    reasons = ("quick", "raise", "die once", "die", "hang")
    runs = {reason: asked(store, reason) for reason in reasons}
    for run in runs.values():
        notify(store, workers, run)
    notify(store, workers, runs["quick"])
    workers.start(concurrency=2)
    assert ended(store, runs["quick"]).attempts == 1
    assert "incident" in (ended(store, runs["raise"]).error or "")
    recovered = ended(store, runs["die once"])
    assert (recovered.state, recovered.attempts) == (RunState.DONE, 2)
    poison = ended(store, runs["die"])
    assert (poison.state, poison.attempts) == (RunState.FAILED, 2)
    assert runs["die"][:12] in (poison.error or "")
    assert "was stopped" in (ended(store, runs["hang"]).error or "")


@pytest.mark.slow
@needs_redis
def test_killed_workers_job_comes_back_once(store, tmp_path, crew):
    """Long before the broker would give it back: when the lease has ended."""
    workers = crew(seconds=600, lease=8)
    run = asked(store, "sleep 1")
    notify(store, workers, run)
    first = workers.start()
    started(tmp_path, run)
    kill(first)
    workers.start(concurrency=2)
    with ticking(workers.settings):
        record = ended(store, run)
    assert (record.state, record.attempts) == (RunState.DONE, 2)
    assert [note[0] for note in notes(tmp_path)] == ["start", "start", "end"]


@pytest.mark.slow
@needs_redis
def test_worker_stops_what_was_superseded_and_takes_the_next(store, tmp_path, crew):
    workers = crew(lease=4)
    last, quick = asked(store, "last"), asked(store, "quick")
    for run in (last, quick):
        notify(store, workers, run)
    workers.start()
    started(tmp_path, last)
    with store.write() as unit:
        unit.runs.cancel(last, "superseded by 1234567")
    assert ended(store, quick).state is RunState.DONE
    assert [note[0] for note in notes(tmp_path)] == ["start", "interrupted", "start", "end"]


@pytest.mark.slow
@needs_redis
def test_broker_that_forgets_everything_costs_no_job(store, tmp_path, crew, monkeypatch):
    """It is killed, comes back empty, and the worker finds it again."""
    for name in ("LOST_SECONDS", "UNSENT_SECONDS"):
        monkeypatch.setattr(f"worker.runs.scheduler.{name}", 1.0)
    workers = crew()
    workers.start()
    warm = asked(store, "quick")
    notify(store, workers, warm)
    ended(store, warm)
    workers.broker.kill()
    lost = asked(store, "quick")
    assert not QueueNotifier(workers.queue, store).heard(found(store, lost))
    workers.broker.start()
    with ticking(workers.settings):
        assert ended(store, lost).state is RunState.DONE


@pytest.mark.slow
@needs_redis
def test_deep_learning_is_done_where_a_gpu_is(store, tmp_path, crew):
    workers = crew()
    run = asked(store, "deep learning")
    notify(store, workers, run)
    workers.start()
    workers.start(queues="gpu")
    told = standing(store, [WorkerState.READY, WorkerState.READY])
    assert sorted(each.queues for each in told) == [("cpu",), ("gpu",)]
    record = ended(store, run)
    assert (record.state, record.queue, record.without_gpu) == (RunState.DONE, "gpu", False)


@pytest.mark.slow
@needs_redis
def test_worker_whose_isolation_leaks_leaves_jobs_to_others(store, tmp_path, crew):
    workers = crew()
    run = asked(store, "quick")
    notify(store, workers, run)
    leaky = workers.start(LEAK="1")
    (told,) = standing(store, [WorkerState.REFUSING])
    assert told.reason == "1 known escape: a hole"
    assert workers.queue.depth() == 1
    workers.start(BATTERY="real")
    assert ended(store, run).state is RunState.DONE
    ready = standing(store, [WorkerState.REFUSING, WorkerState.READY])
    assert any("no network" in " ".join(each.layers) for each in ready)
    leaky.terminate()
    assert leaky.wait(600) == 0
    (told,) = standing(store, [WorkerState.READY])
