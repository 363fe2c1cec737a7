"""A worker takes jobs only when its isolation has held."""

from __future__ import annotations

import threading
import time

import pytest

import worker.runs.readiness
from worker.errors import MachineError
from worker.runs.readiness import Admission, Inspection, inspect
from worker.sandbox.attacks import AttackResult
from worker.sandbox.isolation import TRUSTED, IsolationUnavailable
from worker.settings.operator_settings import Settings, StoreSettings
from worker.store.records import WorkerState
from worker.store.store import Store

HOLDS = Inspection(("bubblewrap",))
LEAKS = Inspection(("bubblewrap",), "1 known escape: a hole")


@pytest.fixture
def settings(tmp_path):
    return Settings(store=StoreSettings(url=f"sqlite:///{tmp_path}/assayer.db"))


@pytest.fixture
def workers_present(settings):
    with Store(settings.store.url) as store:
        yield Roster(store)


class Roster:
    def __init__(self, store):
        self.store = store

    def present(self, **within):
        with self.store.read() as unit:
            return unit.workers_present.present(**within)


@pytest.fixture
def hurried(monkeypatch):
    """Nobody waits five minutes."""
    monkeypatch.setattr(worker.runs.readiness, "RETRY_SECONDS", 0.01)
    monkeypatch.setattr(worker.runs.readiness, "HEARTBEAT_SECONDS", 0.01)


def admission(settings, *outcomes):
    left = iter(outcomes)
    return Admission(settings, lambda _settings: next(left))


def patient(seconds):
    time.sleep(min(seconds, 0.01))
    return False


def test_worker_whose_isolation_holds_is_ready(settings, workers_present):
    assert admission(settings, HOLDS).admit(patient)
    (told,) = workers_present.present()
    assert (told.state, told.layers, told.reason) == (WorkerState.READY, ("bubblewrap",), None)


def test_worker_is_seen_starting(settings, workers_present):
    seen = []

    def look(_settings):
        seen.extend(workers_present.present())
        return HOLDS

    Admission(settings, look).admit(patient)
    assert [told.state for told in seen] == [WorkerState.STARTING]


def test_refused_worker_says_why_until_it_stops(settings, workers_present):
    stop = threading.Event()
    refused = admission(settings, LEAKS)
    waiting = threading.Thread(target=refused.admit, args=(stop.wait,))
    waiting.start()
    try:
        deadline = time.monotonic() + 120
        while [told.state for told in workers_present.present()] != [WorkerState.REFUSING]:
            assert time.monotonic() < deadline
            time.sleep(0.01)
        assert workers_present.present()[0].reason == "1 known escape: a hole"
    finally:
        stop.set()
        waiting.join()
    refused.leave()
    assert workers_present.present() == ()


def test_refused_worker_tries_again(settings, workers_present, hurried):
    assert admission(settings, LEAKS, LEAKS, HOLDS).admit(patient)
    assert workers_present.present()[0].state is WorkerState.READY


def test_refused_worker_does_not_try_for_ever(settings, workers_present, hurried, monkeypatch):
    monkeypatch.setattr(worker.runs.readiness, "MAX_TRIES", 3)
    waits = []

    def wait(seconds):
        waits.append(seconds)
        return len(waits) > 50

    assert not admission(settings, LEAKS, LEAKS, LEAKS).admit(wait)
    assert workers_present.present()[0].state is WorkerState.REFUSING


def test_store_that_is_away_keeps_nobody_from_work(tmp_path):
    away = Settings(store=StoreSettings(url=f"sqlite:///{tmp_path}"))
    working = admission(away, HOLDS)
    assert working.admit(patient)
    working.leave()


def test_silent_worker_is_gone(settings, workers_present):
    admission(settings, HOLDS).admit(patient)
    assert len(workers_present.present()) == 1
    assert workers_present.present(within=0) == ()


def test_beat_keeps_a_worker_there(settings, workers_present, hurried):
    ready = admission(settings, HOLDS)
    ready.admit(patient)
    (before,) = workers_present.present()
    time.sleep(0.02)
    ready.beat()
    (after,) = workers_present.present()
    assert after.seen_at > before.seen_at
    assert after.id == before.id


@pytest.mark.parametrize(
    ("error", "reason"),
    [
        (
            IsolationUnavailable(["bwrap is not installed"], ["Install it."]),
            "bwrap is not installed",
        ),
        (MachineError("the guest does not start", "Run it."), "the guest does not start"),
        (OSError("no port is left"), "the isolation could not be tried (OSError)"),
    ],
)
def test_isolation_that_cannot_be_tried_is_an_obstacle(settings, monkeypatch, error, reason):
    def fail(_uids, **_choice):
        raise error

    monkeypatch.setattr(worker.runs.readiness, "find_isolation", fail)
    assert inspect(settings) == Inspection(obstacle=reason)


def test_escapes_are_named_and_counted(settings, monkeypatch, caplog):
    fought = [AttackResult(f"escape {n}", held=n > 4, detail="out of 10.0.0.7") for n in range(9)]
    monkeypatch.setattr(worker.runs.readiness, "find_isolation", lambda _uids, **_choice: TRUSTED)
    monkeypatch.setattr(worker.runs.readiness, "run_battery", lambda _isolation, **_python: fought)
    obstacle = inspect(settings).obstacle
    assert obstacle == "5 known escapes: escape 0, escape 1, escape 2 and 2 more"
    assert "escape 4: out of 10.0.0.7" in caplog.text


def test_worker_says_what_it_takes(settings, workers_present):
    Admission(settings, lambda _settings: HOLDS, ("gpu",)).admit(patient)
    assert workers_present.present()[0].queues == ("gpu",)
