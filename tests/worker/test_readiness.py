"""A worker takes jobs only when its isolation has held."""

from __future__ import annotations

import threading
import time

import pytest

import worker.readiness
from worker.errors import MachineError
from worker.readiness import Admission, Inspection, inspect
from worker.sandbox.attacks import Attack
from worker.sandbox.isolation import TRUSTED, NoIsolation
from worker.settings.server import Settings, StoreSettings
from worker.store import Store, WorkerState

HOLDS = Inspection(("bubblewrap",))
LEAKS = Inspection(("bubblewrap",), "1 known escape: a hole")


@pytest.fixture
def settings(tmp_path):
    return Settings(store=StoreSettings(url=f"sqlite:///{tmp_path}/assayer.db"))


@pytest.fixture
def roster(settings):
    with Store(settings.store.url) as store:
        yield Roster(store)


class Roster:
    def __init__(self, store):
        self.store = store

    def present(self, **within):
        with self.store.look() as books:
            return books.roster.present(**within)


@pytest.fixture
def hurried(monkeypatch):
    """Nobody waits five minutes."""
    monkeypatch.setattr(worker.readiness, "RETRY_SECONDS", 0.01)
    monkeypatch.setattr(worker.readiness, "HEARTBEAT_SECONDS", 0.01)


def admission(settings, *outcomes):
    left = iter(outcomes)
    return Admission(settings, lambda _settings: next(left))


def patient(seconds):
    time.sleep(min(seconds, 0.01))
    return False


def test_worker_whose_isolation_holds_is_ready(settings, roster):
    assert admission(settings, HOLDS).admit(patient)
    (told,) = roster.present()
    assert (told.state, told.layers, told.reason) == (WorkerState.READY, ("bubblewrap",), None)


def test_worker_is_seen_starting(settings, roster):
    seen = []

    def look(_settings):
        seen.extend(roster.present())
        return HOLDS

    Admission(settings, look).admit(patient)
    assert [told.state for told in seen] == [WorkerState.STARTING]


def test_refused_worker_says_why_until_it_stops(settings, roster):
    stop = threading.Event()
    refused = admission(settings, LEAKS)
    waiting = threading.Thread(target=refused.admit, args=(stop.wait,))
    waiting.start()
    try:
        deadline = time.monotonic() + 30
        while [told.state for told in roster.present()] != [WorkerState.REFUSING]:
            assert time.monotonic() < deadline
            time.sleep(0.01)
        assert roster.present()[0].reason == "1 known escape: a hole"
    finally:
        stop.set()
        waiting.join()
    refused.leave()
    assert roster.present() == ()


def test_refused_worker_tries_again(settings, roster, hurried):
    assert admission(settings, LEAKS, LEAKS, HOLDS).admit(patient)
    assert roster.present()[0].state is WorkerState.READY


def test_refused_worker_does_not_try_for_ever(settings, roster, hurried, monkeypatch):
    monkeypatch.setattr(worker.readiness, "MOST_TRIES", 3)
    waits = []

    def wait(seconds):
        waits.append(seconds)
        return len(waits) > 50

    assert not admission(settings, LEAKS, LEAKS, LEAKS).admit(wait)
    assert roster.present()[0].state is WorkerState.REFUSING


def test_store_that_is_away_keeps_nobody_from_work(tmp_path):
    away = Settings(store=StoreSettings(url=f"sqlite:///{tmp_path}"))
    working = admission(away, HOLDS)
    assert working.admit(patient)
    working.leave()


def test_silent_worker_is_gone(settings, roster):
    admission(settings, HOLDS).admit(patient)
    assert len(roster.present()) == 1
    assert roster.present(within=0) == ()


def test_beat_keeps_a_worker_there(settings, roster, hurried):
    ready = admission(settings, HOLDS)
    ready.admit(patient)
    (before,) = roster.present()
    time.sleep(0.02)
    ready.beat()
    (after,) = roster.present()
    assert after.seen_at > before.seen_at
    assert after.id == before.id


@pytest.mark.parametrize(
    ("error", "reason"),
    [
        (NoIsolation(["bwrap is not installed"], ["Install it."]), "bwrap is not installed"),
        (MachineError("the guest does not start", "Run it."), "the guest does not start"),
        (OSError("no port is left"), "the isolation could not be tried (OSError)"),
    ],
)
def test_isolation_that_cannot_be_tried_is_an_obstacle(settings, monkeypatch, error, reason):
    def fail(_uids, **_choice):
        raise error

    monkeypatch.setattr(worker.readiness, "find_isolation", fail)
    assert inspect(settings) == Inspection(obstacle=reason)


def test_escapes_are_named_and_counted(settings, monkeypatch, caplog):
    fought = [Attack(f"escape {n}", held=n > 4, detail="out of 10.0.0.7") for n in range(9)]
    monkeypatch.setattr(worker.readiness, "find_isolation", lambda _uids, **_choice: TRUSTED)
    monkeypatch.setattr(worker.readiness, "run_battery", lambda _isolation, **_python: fought)
    obstacle = inspect(settings).obstacle
    assert obstacle == "5 known escapes: escape 0, escape 1, escape 2 and 2 more"
    assert "escape 4: out of 10.0.0.7" in caplog.text


def test_worker_says_what_it_takes(settings, roster):
    Admission(settings, lambda _settings: HOLDS, ("gpu",)).admit(patient)
    assert roster.present()[0].queues == ("gpu",)
