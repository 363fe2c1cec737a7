from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest
from sqlalchemy.exc import OperationalError

from worker.store import Errand, ErrandKind, Job, Store
from worker.store.figures import Totals
from worker.tallying import FLUSH_SECONDS, Tally

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


class Clock:
    def __init__(self) -> None:
        self.now = datetime(2026, 11, 22, tzinfo=UTC)

    def __call__(self):
        return self.now

    def pass_(self, seconds):
        self.now += timedelta(seconds=seconds)


@pytest.fixture
def clock():
    return Clock()


@pytest.fixture
def store(tmp_path, clock):
    with Store(f"sqlite:///{tmp_path}/assayer.db", clock) as opened:
        yield opened


def examined(store, clock, job=JOB):
    """A run that was prepared in 2 s, waited 3 s and was examined in 5 s."""
    with store.begin() as books:
        run = books.runs.ask(job).id
    clock.pass_(2)
    with store.begin() as books:
        books.runs.prepared(run)
    clock.pass_(3)
    with store.begin() as books:
        attempt = books.runs.start(run, lease=60, limit=3)
    clock.pass_(5)
    with store.begin() as books:
        assert books.runs.finish(attempt, REPORT)
    return run


def publish(store):
    """Do the first errand that publishes."""
    with store.begin() as books:
        for lane in books.errands.lanes():
            while (record := books.errands.next(lane)) is not None:
                books.errands.done(record.id)
                if record.errand.kind is ErrandKind.PUBLISH:
                    return


def totals(store):
    with store.look() as books:
        return books.figures.totals()


def test_nothing_that_ended_counts_nothing(store):
    found = totals(store)
    assert (found.outcomes, found.broken, found.dollars) == ({}, 0, 0.0)
    assert set(found.phases.values()) == {(0, 0.0)}


def test_run_is_counted_with_its_phases_and_its_cost(store, clock):
    examined(store, clock)
    clock.pass_(7)
    publish(store)
    assert totals(store) == Totals(
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
    with store.begin() as books:
        record = books.runs.get(run)
        books.errands.add(Errand(ErrandKind.PUBLISH, 7, "pull:1:3", "again", run=record.id))
    publish(store)
    assert totals(store).phases["publishing"] == (1, 7.0)


def test_run_that_never_started_is_counted_without_later_phases(store, clock):
    with store.begin() as books:
        run = books.runs.ask(JOB).id
        assert books.runs.cancel(run, "closed")
    found = totals(store)
    assert found.outcomes == {"cancelled": 1}
    assert found.phases["examining"] == (0, 0.0)


def test_figures_outlive_the_run(store, clock):
    run = examined(store, clock)
    with store.begin() as books:
        books.runs.delete(run)
    assert totals(store).outcomes == {"failure": 1}


def test_oldest_waiting_run_is_told_by_queue(store, clock):
    with store.begin() as books:
        run = books.runs.ask(Job("octo/app", None, None, "asked")).id
        since = clock.now
    clock.pass_(30)
    with store.begin() as books:
        books.runs.ask(Job("octo/app", None, None, "asked"))
    with store.look() as books:
        assert books.figures.waiting_since() == {"cpu": since}
    with store.begin() as books:
        books.runs.route(run, "gpu")
    with store.look() as books:
        assert set(books.figures.waiting_since()) == {"cpu", "gpu"}


def test_counts_of_several_processes_add_up(store):
    ticks = [0.0]
    first, second = (Tally(store, lambda: ticks[0]) for _ in range(2))
    first.add("calls", "GET", "ok")
    second.add("calls", "GET", "ok")
    second.add("calls", "POST", "refused twice")
    ticks[0] = FLUSH_SECONDS
    first.add("calls", "GET", "ok")
    with store.look() as books:
        assert books.tallies.of("calls") == {"GET ok": 2}
    second.flush()
    second.flush()
    with store.look() as books:
        assert books.tallies.of("calls") == {"GET ok": 3, "POST refused twice": 1}
        assert books.tallies.of("others") == {}


def test_counts_wait_for_a_store_that_is_down(store, tmp_path, monkeypatch):
    tally = Tally(store)
    tally.add("calls", "GET")
    begin = store.begin

    def down():
        monkeypatch.setattr(store, "begin", begin)
        raise OperationalError("BEGIN", {}, OSError("away"))

    monkeypatch.setattr(store, "begin", down)
    tally.flush()
    tally.flush()
    with store.look() as books:
        assert books.tallies.of("calls") == {"GET": 1}
