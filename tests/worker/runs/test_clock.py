"""What is done now and then, by any number of clocks."""

from __future__ import annotations

import threading
from datetime import UTC, datetime, timedelta

import pytest
from sqlalchemy.exc import OperationalError

from tests.worker.runs.crew import asked, found, until
from worker.runs import scheduler
from worker.runs.scheduler import PERIODIC_JOBS, PeriodicJob, Scheduler, SchedulerContext
from worker.settings.operator_settings import GithubSettings, QueueSettings, Settings, StoreSettings
from worker.store.blobs import Blobs, clone_key
from worker.store.queue_names import QUEUES
from worker.store.records import (
    Attempt,
    Delivery,
    InstallationRecord,
    OutboxTaskKind,
    RepositoryRecord,
    RunState,
    WorkerRecord,
    WorkerState,
)
from worker.store.run_queue import QueueDownError
from worker.store.store import Store

NOON = datetime(2026, 11, 22, 12, 0, tzinfo=UTC)
AT_GITHUB = {"repository_id": 42, "installation": 7, "pull": 5}


class ClockNow:
    def __init__(self):
        self.at = NOON

    def __call__(self):
        return self.at

    def pass_(self, **time):
        self.at += timedelta(**time)


class Rung:
    """A queue that remembers, forgets, or is down."""

    def __init__(self):
        self.waiting = {name: [] for name in QUEUES}
        self.down = False
        self.calls = 0

    def enqueue(self, run_id, queue="cpu"):
        self.calls += 1
        if self.down:
            raise QueueDownError("refused")
        self.waiting[queue].append(run_id)

    def depth(self, queue=None):
        if self.down:
            raise QueueDownError("refused")
        return sum(len(runs) for name, runs in self.waiting.items() if queue in {None, name})


@pytest.fixture
def now():
    return ClockNow()


@pytest.fixture
def queue():
    return Rung()


@pytest.fixture
def place(tmp_path, now, queue):
    settings = Settings(
        github=GithubSettings(app_id=7, audit=("octo/*",)),
        queue=QueueSettings(attempts=2, gpu="auto", gpu_wait=300),
        store=StoreSettings(url=f"sqlite:///{tmp_path}/assayer.db", blobs=str(tmp_path / "blobs")),
    )
    with Store(settings.store.url, now) as store:
        yield SchedulerContext(settings, store, queue, Blobs(settings.store.blobs), now)


def start(place, run, lease=60):
    with place.store.write() as unit:
        attempt = unit.runs.start(run, lease=lease, limit=2)
    assert isinstance(attempt, Attempt)
    return attempt


def outbox_tasks(place, kind):
    """What is to be done, whichever lane it is in."""
    with place.store.write() as unit:
        waiting = []
        for ordering_key in unit.outbox_tasks.ordering_keys(100):
            while (record := unit.outbox_tasks.next(ordering_key)) is not None:
                waiting.append(record.task)
                unit.outbox_tasks.done(record.id)
    return [task for task in waiting if task.kind is kind]


# --------------------------------------------------------------------- ticking


def test_each_chore_is_done_once_a_period(place, now):
    done = []
    ticking = Scheduler(place, [PeriodicJob("a", 10, lambda _place, period: done.append(period))])
    for _ in range(25):
        ticking.tick()
        now.pass_(seconds=1)
    assert len(done) == len(set(done)) == 3


def test_periods_are_counted_alike_by_all_clocks(now):
    chore = PeriodicJob("audits", 86_400, print, offset=7200)
    before = [chore.period(now.at)]
    now.pass_(hours=13, minutes=59)
    before.append(chore.period(now.at))
    now.pass_(minutes=1)
    assert before == [chore.period(now.at) - 1] * 2


def test_chore_waits_for_a_store_that_is_away(place, now):
    outcomes = [OperationalError("x", {}, OSError()), None]
    seen = []

    def act(_place, period):
        seen.append(period)
        if error := outcomes.pop(0):
            raise error

    ticking = Scheduler(place, [PeriodicJob("a", 3600, act)])
    for _ in range(4):
        ticking.tick()
    assert len(seen) == 2


def test_broken_chore_keeps_no_other_from_its_turn(place, caplog):
    done = []

    def broken(_place, _period):
        raise ZeroDivisionError

    ticking = Scheduler(
        place, [PeriodicJob("a", 60, broken), PeriodicJob("b", 60, lambda *_: done.append(1))]
    )
    ticking.tick()
    ticking.tick()
    assert done == [1]
    assert caplog.text.count("a broke") == 1


def test_two_clocks_add_every_errand_once(place):
    with place.store.write() as unit:
        unit.installations.see(InstallationRecord(7, "octo"))
        unit.installations.see_repository(RepositoryRecord(42, "octo/app", True, 7))
    for _ in range(2):
        Scheduler(place).tick()
    asked_for = outbox_tasks(place, OutboxTaskKind.REDELIVER)
    assert [task.order["deep"] for task in asked_for] == [True, False]
    assert {chore.name for chore in PERIODIC_JOBS} >= {"sweep", "progress", "audits"}


# ------------------------------------------------------------------------ runs


def test_run_of_a_dead_worker_waits_again_when_its_lease_has_ended(place, now, queue):
    run = asked(place.store, "x")
    start(place, run)
    now.pass_(seconds=59)
    scheduler.settle_expired(place, 0)
    assert found(place.store, run).state is RunState.RUNNING
    now.pass_(seconds=2)
    scheduler.settle_expired(place, 0)
    assert found(place.store, run).state is RunState.QUEUED
    assert queue.waiting["cpu"] == [run]


def test_run_that_killed_every_worker_is_given_up_with_an_incident(place, now, queue):
    run = asked(place.store, "x", **AT_GITHUB)
    with place.store.write() as unit:
        unit.runs.prepared(run)
    for _ in range(2):
        start(place, run)
        now.pass_(seconds=61)
        scheduler.settle_expired(place, 0)
    record = found(place.store, run)
    assert record.state is RunState.FAILED
    assert run[:12] in record.error
    assert [task.run for task in outbox_tasks(place, OutboxTaskKind.PUBLISH)] == [run]


def test_late_attempt_finishes_nothing(place, now):
    run = asked(place.store, "x")
    late = start(place, run)
    now.pass_(seconds=61)
    scheduler.settle_expired(place, 0)
    again = start(place, run)
    with place.store.write() as unit:
        assert not unit.runs.finish(late, {"verdict": "success"})
        assert not unit.runs.renew(late, 60)
        assert unit.runs.finish(again, {"verdict": "success"})


def test_run_that_the_queue_never_took_is_rung_for(place, now, queue):
    run = asked(place.store, "x")
    scheduler.settle_expired(place, 0)
    assert queue.waiting["cpu"] == []
    now.pass_(seconds=11)
    scheduler.settle_expired(place, 0)
    scheduler.settle_expired(place, 0)
    assert queue.waiting["cpu"] == [run]


def test_empty_queue_may_have_forgotten(place, now, queue):
    forgotten = asked(place.store, "x")
    on_gpu = asked(place.store, "y")
    with place.store.write() as unit:
        unit.runs.route(on_gpu, "gpu")
    now.pass_(seconds=11)
    scheduler.settle_expired(place, 0)
    queue.waiting["cpu"].clear()
    now.pass_(seconds=31)
    scheduler.settle_expired(place, 0)
    assert queue.waiting == {"cpu": [forgotten], "gpu": [on_gpu]}


def test_queue_that_is_down_is_asked_once_a_sweep(place, now, queue):
    for reason in "abc":
        asked(place.store, reason)
    now.pass_(seconds=11)
    queue.down = True
    scheduler.settle_expired(place, 0)
    assert queue.calls == 1
    queue.down = False
    scheduler.settle_expired(place, 0)
    assert len(queue.waiting["cpu"]) == 3


def see(place, state=WorkerState.READY, queues=("gpu",)):
    with place.store.write() as unit:
        unit.workers_present.see(WorkerRecord("w", "here", state, queues=queues))


def on_gpu(place):
    run = asked(place.store, "x")
    with place.store.write() as unit:
        unit.runs.route(run, "gpu")
    return run


def test_run_waits_for_a_gpu_only_so_long(place, now):
    run = on_gpu(place)
    now.pass_(seconds=299)
    scheduler.settle_expired(place, 0)
    assert found(place.store, run).queue == "gpu"
    now.pass_(seconds=2)
    scheduler.settle_expired(place, 0)
    record = found(place.store, run)
    assert (record.queue, record.without_gpu) == ("cpu", True)


@pytest.mark.parametrize(
    ("state", "queues", "stays_on"),
    [
        (WorkerState.READY, ("gpu",), "gpu"),
        (WorkerState.REFUSING, ("gpu",), "cpu"),
        (WorkerState.READY, ("cpu",), "cpu"),
    ],
)
def test_run_stays_where_a_gpu_is_alive(place, now, state, queues, stays_on):
    run = on_gpu(place)
    now.pass_(seconds=1000)
    see(place, state, queues)
    scheduler.settle_expired(place, 0)
    assert found(place.store, run).queue == stays_on


# -------------------------------------------------------------------- progress


def test_each_thing_that_a_run_does_is_told_once(place):
    run = asked(place.store, "x", **AT_GITHUB)
    with place.store.write() as unit:
        unit.runs.prepared(run)
    scheduler.report_progress(place, 0)
    assert outbox_tasks(place, OutboxTaskKind.PROGRESS) == []
    attempt = start(place, run)
    told = []
    for text in ("fetching the code", "fetching the code", "testing function 1 of 2"):
        with place.store.write() as unit:
            unit.runs.progress(attempt, text)
        scheduler.report_progress(place, 0)
        told += outbox_tasks(place, OutboxTaskKind.PROGRESS)
    assert [(task.run, task.ordering_key) for task in told] == [(run, "pull:42:5")] * 2


def test_start_of_each_attempt_is_told_at_once(place, now):
    run = asked(place.store, "x", **AT_GITHUB)
    with place.store.write() as unit:
        unit.runs.prepared(run)
    told = []
    for _ in range(2):
        start(place, run)
        for _ in range(2):
            scheduler.report_started(place, 0)
            told += outbox_tasks(place, OutboxTaskKind.PROGRESS)
        now.pass_(seconds=61)
        scheduler.settle_expired(place, 0)
    assert [task.run for task in told] == [run, run]


def test_runs_from_nowhere_have_nobody_to_tell(place):
    start(place, asked(place.store, "x"))
    scheduler.report_progress(place, 0)
    assert outbox_tasks(place, OutboxTaskKind.PROGRESS) == []


# ---------------------------------------------------------------------- GitHub


@pytest.mark.slow
def test_redelivery_is_asked_for_every_few_minutes_and_of_all_days_every_hour(place, now):
    asked_for = []
    clocks = [Scheduler(place), Scheduler(place)]
    for _ in range(12 * 24):
        for each in clocks:
            each.tick()
        asked_for += outbox_tasks(place, OutboxTaskKind.REDELIVER)
        now.pass_(seconds=25)
    assert {task.ordering_key for task in asked_for} == {"app"}
    deep = [task.order["deep"] for task in asked_for]
    assert deep[0]
    assert (deep.count(True), deep.count(False)) in {(2, 24), (3, 24), (3, 25), (2, 25)}


def test_repositories_that_the_operator_named_are_audited_once_a_night(place, now):
    with place.store.write() as unit:
        for installation, suspended in ((7, False), (8, True)):
            unit.installations.see(InstallationRecord(installation, "octo", suspended))
        for number, name, installation in (
            (42, "Octo/App", 7), (43, "other/app", 7), (44, "octo/asleep", 8),
        ):  # fmt: skip
            unit.installations.see_repository(RepositoryRecord(number, name, True, installation))
    found_errands = []
    for _ in range(5):
        Scheduler(place).tick()
        found_errands += outbox_tasks(place, OutboxTaskKind.AUDIT)
        now.pass_(hours=6)
    assert [dict(task.order) for task in found_errands] == [
        {"repository_id": 42, "date": "2026-11-22"},
        {"repository_id": 42, "date": "2026-11-23"},
    ]
    assert {task.ordering_key for task in found_errands} == {"audit:42"}


# --------------------------------------------------------------------- tidying


def test_clones_of_runs_that_are_over_or_unknown_go(place):
    alive, over = asked(place.store, "x"), asked(place.store, "y")
    with place.store.write() as unit:
        unit.runs.cancel(over, "closed")
    for run in (alive, over, "0" * 32):
        place.blobs.put(clone_key(run), b"clone")
    scheduler.tidy(place, 0)
    assert place.blobs.names("clones") == (f"{alive}.tar",)


def test_bodies_that_were_heard_go_once_github_could_not_send_them_again(place, now):
    with place.store.write() as unit:
        for name in ("heard", "waiting"):
            unit.deliveries.keep(Delivery(name, "ping", None, "0" * 64, None, b"{}"))
        unit.deliveries.heard("heard")
    for days, left in ((3, b"{}"), (2, b"")):
        now.pass_(days=days)
        scheduler.tidy(place, 0)
        with place.store.read() as unit:
            assert unit.deliveries.get("heard").body == left
            assert unit.deliveries.get("waiting").body == b"{}"


def test_clock_is_seen_while_it_runs(place):
    stop = threading.Event()
    thread = threading.Thread(target=scheduler.run, args=(place.settings, stop))

    def present():
        with Store(place.settings.store.url) as store, store.read() as unit:
            return [(worker.queues, worker.state) for worker in unit.workers_present.present()]

    thread.start()
    until(present)
    assert present() == [(("beat",), WorkerState.READY)]
    stop.set()
    thread.join()
    assert present() == []
