from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest
from sqlalchemy.exc import OperationalError

from worker.store.counters import FLUSH_SECONDS, BufferedCounters
from worker.store.operator_metrics import MetricTotals
from worker.store.records import Job, OutboxTask, OutboxTaskKind
from worker.store.store import Store

JOB = Job("octo/app", "a" * 40, "b" * 40, "asked", repository_id=1, installation=7, pull=3)
REPORT = {
    "verdict": "failure",
    "broken": [{"target": "a.py::f", "error": "guest went away"}],
    "cost": {
        "api_calls": 3,
        "api_calls_cached": 5,
        "api_calls_refused": 1,
        "dollars": 0.25,
    },
}


class MetricsClock:
    def __init__(self) -> None:
        self.now = datetime(2026, 11, 22, tzinfo=UTC)

    def __call__(self):
        return self.now

    def pass_(self, seconds):
        self.now += timedelta(seconds=seconds)


@pytest.fixture
def clock():
    return MetricsClock()


@pytest.fixture
def store(tmp_path, clock):
    with Store(f"sqlite:///{tmp_path}/assayer.db", clock) as opened:
        yield opened


def examined(store, clock, job=JOB):
    """A run that was prepared in 2 s, waited 3 s and was examined in 5 s."""
    with store.write() as unit:
        run = unit.runs.ask(job).id
    clock.pass_(2)
    with store.write() as unit:
        unit.runs.prepared(run)
    clock.pass_(3)
    with store.write() as unit:
        attempt = unit.runs.start(run, lease=60, limit=3)
    clock.pass_(5)
    with store.write() as unit:
        assert unit.runs.finish(attempt, REPORT)
    return run


def publish(store):
    """Do the first errand that publishes."""
    with store.write() as unit:
        for ordering_key in unit.outbox_tasks.ordering_keys():
            while (record := unit.outbox_tasks.next(ordering_key)) is not None:
                unit.outbox_tasks.done(record.id)
                if record.task.kind is OutboxTaskKind.PUBLISH:
                    return


def totals(store):
    with store.read() as unit:
        return unit.run_metrics.totals()


def test_nothing_that_ended_counts_nothing(store):
    found = totals(store)
    assert (found.outcomes, found.broken, found.dollars) == ({}, 0, 0.0)
    assert set(found.phases.values()) == {(0, 0.0)}


def test_run_is_counted_with_its_phases_and_its_cost(store, clock):
    examined(store, clock)
    clock.pass_(7)
    publish(store)
    assert totals(store) == MetricTotals(
        outcomes={"failure": 1},
        phases={
            "preparing": (1, 2.0),
            "waiting": (1, 3.0),
            "examining": (1, 5.0),
            "publishing": (1, 7.0),
        },
        calls={"asked": 3, "cached": 5, "refused": 1},
        broken=1,
        dollars=0.25,
    )


def test_only_the_first_publication_is_timed(store, clock):
    run = examined(store, clock)
    clock.pass_(7)
    publish(store)
    clock.pass_(1000)
    with store.write() as unit:
        record = unit.runs.get(run)
        unit.outbox_tasks.add(
            OutboxTask(OutboxTaskKind.PUBLISH, 7, "pull:1:3", "again", run=record.id)
        )
    publish(store)
    assert totals(store).phases["publishing"] == (1, 7.0)


def test_run_that_never_started_is_counted_without_later_phases(store, clock):
    with store.write() as unit:
        run = unit.runs.ask(JOB).id
        assert unit.runs.cancel(run, "closed")
    found = totals(store)
    assert found.outcomes == {"cancelled": 1}
    assert found.phases["examining"] == (0, 0.0)


def test_figures_outlive_the_run(store, clock):
    run = examined(store, clock)
    with store.write() as unit:
        unit.runs.delete(run)
    assert totals(store).outcomes == {"failure": 1}


def test_oldest_waiting_run_is_told_by_queue(store, clock):
    with store.write() as unit:
        run = unit.runs.ask(Job("octo/app", None, None, "asked")).id
        since = clock.now
    clock.pass_(30)
    with store.write() as unit:
        unit.runs.ask(Job("octo/app", None, None, "asked"))
    with store.read() as unit:
        assert unit.run_metrics.waiting_since() == {"cpu": since}
    with store.write() as unit:
        unit.runs.route(run, "gpu")
    with store.read() as unit:
        assert set(unit.run_metrics.waiting_since()) == {"cpu", "gpu"}


def test_counts_of_several_processes_add_up(store):
    ticks = [0.0]
    first, second = (BufferedCounters(store, lambda: ticks[0]) for _ in range(2))
    first.add("calls", "GET", "ok")
    second.add("calls", "GET", "ok")
    second.add("calls", "POST", "refused twice")
    ticks[0] = FLUSH_SECONDS
    first.add("calls", "GET", "ok")
    with store.read() as unit:
        assert unit.counters.of("calls") == {"GET ok": 2}
    second.flush()
    second.flush()
    with store.read() as unit:
        assert unit.counters.of("calls") == {"GET ok": 3, "POST refused twice": 1}
        assert unit.counters.of("others") == {}


def test_counts_wait_for_a_store_that_is_down(store, tmp_path, monkeypatch):
    tally = BufferedCounters(store)
    tally.add("calls", "GET")
    begin = store.write

    def down():
        monkeypatch.setattr(store, "write", begin)
        raise OperationalError("BEGIN", {}, OSError("away"))

    monkeypatch.setattr(store, "write", down)
    tally.flush()
    tally.flush()
    with store.read() as unit:
        assert unit.counters.of("calls") == {"GET": 1}
