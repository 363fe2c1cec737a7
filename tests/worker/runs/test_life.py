"""One attempt at a run, from its lease to its end."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
import time
from contextlib import contextmanager

import pytest
from sqlalchemy.exc import OperationalError

from tests.worker.fake_pipeline import examine, notes
from tests.worker.runs.crew import ROOT, asked, ended, found, settings_in, started, until
from worker.runs import run_attempt
from worker.runs.run_attempt import Heartbeat, PartialReport, carry_out, settle_dead
from worker.store.blobs import Blobs, clone_key
from worker.store.records import Attempt, RunBusy, RunOver, RunState
from worker.store.store import Store


@pytest.fixture
def store(tmp_path):
    with Store(f"sqlite:///{tmp_path}/assayer.db") as opened:
        yield opened


@pytest.fixture
def settings(tmp_path):
    return settings_in(tmp_path)


@pytest.fixture(autouse=True)
def quick_beats(monkeypatch):
    """Leases are long, so that no busy machine loses one, and renewed at once."""
    monkeypatch.setattr(run_attempt, "MAX_PAUSE", 0.05)


@contextmanager
def once_started(folder, run, act):
    """Act beside a run that has begun."""

    def wait_and_act():
        started(folder, run)
        act()

    watcher = threading.Thread(target=wait_and_act)
    watcher.start()
    yield
    watcher.join()


def cancel(store, run):
    with store.write() as unit:
        unit.runs.cancel(run, "superseded by 1234567")


def test_report_of_a_job_is_stored(store, settings):
    run = asked(store, "quick")
    assert isinstance(carry_out(run, settings, examine), Attempt)
    with store.read() as unit:
        assert unit.runs.report(run) == {"verdict": "success", "attempt": 1}


def test_unknown_error_is_an_incident_of_ours(store, settings, caplog):
    run = asked(store, "raise")
    carry_out(run, settings, examine)
    record = found(store, run)
    assert record.state is RunState.FAILED
    assert record.error == f"something of ours broke (incident {run[:12]})"
    assert run[:12] in caplog.text
    assert "ZeroDivisionError" in caplog.text


def test_machine_error_is_said_in_words(store, settings):
    run = asked(store, "refuse")
    carry_out(run, settings, examine)
    assert "Install bubblewrap." in (found(store, run).error or "")


def test_job_under_way_is_not_run_again(store, settings, tmp_path):
    run = asked(store, "quick")
    with store.write() as unit:
        unit.runs.start(run, lease=60, limit=3)
    assert isinstance(carry_out(run, settings, examine), RunBusy)
    assert notes(tmp_path) == []


def test_finished_job_is_not_run_again(store, settings, tmp_path):
    run = asked(store, "quick")
    carry_out(run, settings, examine)
    assert isinstance(carry_out(run, settings, examine), RunOver)
    assert len(notes(tmp_path)) == 2


def test_clone_goes_with_the_end_of_its_run(store, settings, tmp_path):
    blobs = Blobs(settings.store.blobs)
    for reason in ("quick", "refuse"):
        run = asked(store, reason)
        blobs.put(clone_key(run), b"a clone")
        carry_out(run, settings, examine)
        with pytest.raises(FileNotFoundError):
            blobs.open(clone_key(run))


def test_lease_is_renewed_while_the_job_takes_longer(store, tmp_path):
    def left(run):
        with store.write() as unit:
            return unit.runs.start(run.id, lease=60, limit=3).seconds

    def examine(run, _settings, _tell):
        before = left(run)
        until(lambda: left(run) > before)
        return {"verdict": "success"}

    run = asked(store, "x")
    carry_out(run, settings_in(tmp_path), examine)
    assert found(store, run).state is RunState.DONE


def test_cancelled_job_is_interrupted(store, tmp_path):
    run = asked(store, "last")
    with once_started(tmp_path, run, lambda: cancel(store, run)):
        carry_out(run, settings_in(tmp_path), examine)
    assert [note[0] for note in notes(tmp_path)] == ["start", "interrupted"]
    assert found(store, run).error == "superseded by 1234567"


def test_job_that_another_worker_has_is_let_go(store, tmp_path):
    """As after a sleep of the whole machine: the lease ended, and was taken."""
    run = asked(store, "last")

    def take():
        with store.write() as unit:
            unit.runs.release(run)
            unit.runs.start(run, lease=60, limit=3)

    with once_started(tmp_path, run, take):
        carry_out(run, settings_in(tmp_path), examine)
    assert [note[0] for note in notes(tmp_path)] == ["start", "interrupted"]
    record = found(store, run)
    assert (record.state, record.attempts) == (RunState.RUNNING, 2)


def test_job_whose_parent_cannot_stop_it_ends_by_itself(store, tmp_path):
    run = asked(store, "last")
    carry_out(run, settings_in(tmp_path, seconds=1), examine)
    record = found(store, run)
    assert (record.state, record.error) == (RunState.FAILED, "it took longer than a run may take")


@pytest.mark.parametrize(("verdict", "told"), [("neutral", "error"), ("failure", "failure")])
def test_job_cut_off_by_its_limit_leaves_a_partial_report(store, tmp_path, verdict, told):
    def examine(_run, _settings, _tell):
        try:
            time.sleep(60)
        except KeyboardInterrupt:
            raise PartialReport(lambda: {"verdict": verdict, "broken": []}) from None

    run = asked(store, "x")
    carry_out(run, settings_in(tmp_path, seconds=1), examine)
    assert found(store, run).state is RunState.DONE
    with store.read() as unit:
        report = unit.runs.report(run)
    assert report["verdict"] == told
    assert report["broken"][0]["error"] == "it took longer than a run may take"


def interrupted(_run, _settings, _tell):
    raise KeyboardInterrupt


def test_job_that_somebody_else_interrupts_is_given_back(store, settings):
    run = asked(store, "x")
    carry_out(run, settings, interrupted)
    assert found(store, run).state is RunState.QUEUED


def test_interruption_that_comes_too_late_hurts_nobody(store, tmp_path):
    run = asked(store, "quick")
    carry_out(run, settings_in(tmp_path), examine)
    signal.raise_signal(run_attempt.SIGNAL)
    assert found(store, run).state is RunState.DONE


STUBBORN = """
import sys, time
from pathlib import Path
from tests.worker.runs.crew import settings_in
from worker.runs import run_attempt
from worker.runs.run_attempt import carry_out
run_attempt.GRACE_SECONDS = 0.5

def examine(run, settings, tell):
    Path(sys.argv[1], "begun").touch()
    while True:
        try:
            time.sleep(60)
        except KeyboardInterrupt:
            pass

carry_out(sys.argv[2], settings_in(Path(sys.argv[1]), lease=1), examine)
"""


@pytest.mark.slow
def test_job_that_heeds_no_interruption_is_killed(store, tmp_path):
    run = asked(store, "stubborn")
    command = [sys.executable, "-c", STUBBORN, str(tmp_path), run]
    with subprocess.Popen(command, cwd=ROOT, env=os.environ) as process:
        until((tmp_path / "begun").exists)
        cancel(store, run)
        assert process.wait(600) == -signal.SIGKILL
    assert ended(store, run).state is RunState.CANCELLED


def test_progress_is_kept_while_the_job_runs(store, tmp_path):
    run = asked(store, "last")
    seen = []

    def look():
        until(lambda: found(store, run).progress)
        seen.append(found(store, run).progress)
        cancel(store, run)

    watcher = threading.Thread(target=look)
    watcher.start()
    carry_out(run, settings_in(tmp_path), examine)
    watcher.join()
    assert seen == ["at last"]


class FlakyDatabase(Store):
    """A database that is out of reach for some of the times that it is asked."""

    def __init__(self, url, times):
        super().__init__(url)
        self.times = times

    def write(self):
        self.times -= 1
        if self.times >= 0:
            raise OperationalError("BEGIN", {}, OSError("no route to host"))
        return super().write()


@pytest.mark.parametrize(("times", "lost"), [(2, False), (10**6, True)])
def test_job_outlives_a_store_that_is_away_for_less_than_its_lease(store, tmp_path, times, lost):
    run = asked(store, "quick")
    with store.write() as unit:
        attempt = unit.runs.start(run, lease=60, limit=2)
    assert isinstance(attempt, Attempt)
    with FlakyDatabase(f"sqlite:///{tmp_path}/assayer.db", times) as away:
        beating = Heartbeat(away, attempt, 1 if lost else 60, 600)
        try:
            with beating:
                until(lambda: away.times < -2)
        except KeyboardInterrupt:
            assert lost
    assert beating.lost is lost


def test_run_whose_process_died_waits_again_unless_it_took_too_long(store):
    died, late = asked(store, "x"), asked(store, "y")
    with store.write() as unit:
        for run in (died, late):
            unit.runs.start(run, lease=60, limit=2)
    assert settle_dead(died, store, timed_out=False)
    assert not settle_dead(late, store, timed_out=True)
    assert found(store, died).state is RunState.QUEUED
    assert "longer than a run may take" in (found(store, late).error or "")
    assert not settle_dead(late, store, timed_out=False)


def test_deep_learning_goes_to_the_gpu_queue(store, settings):
    run, rung = asked(store, "deep learning"), []
    carry_out(run, settings, examine, rung.append)
    (told,) = rung
    assert (told.id, told.queue, told.state) == (run, "gpu", RunState.QUEUED)


def test_finding_the_right_queue_costs_no_attempt(store, settings):
    run = asked(store, "deep learning")
    for _ in range(4):
        carry_out(run, settings, examine)
        with store.write() as unit:
            unit.runs.route(run, "cpu")
    with store.write() as unit:
        unit.runs.route(run, "cpu", without_gpu=True)
    carry_out(run, settings, examine)
    assert found(store, run).state is RunState.DONE
