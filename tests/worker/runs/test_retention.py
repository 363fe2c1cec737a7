"""What is kept for how long."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest

from tests.worker.store.nouns import PULL_JOB, delivery, installation, repository, started
from worker.runs import scheduler
from worker.runs.scheduler import (
    PERIODIC_JOBS,
    Scheduler,
    SchedulerContext,
)
from worker.settings.operator_settings import RecordingSettings, Settings, StoreSettings
from worker.store.blobs import Blobs
from worker.store.run_queue import TableQueue
from worker.store.store import Store
from worker.system.recording_folders import recording_folder_name

START = datetime(2026, 1, 1, tzinfo=UTC)
DOCUMENT = {"verdict": "success"}


class RetentionNow:
    at = START

    def __call__(self):
        return self.at


@pytest.fixture
def now():
    return RetentionNow()


@pytest.fixture
def place(tmp_path, now):
    settings = Settings(
        store=StoreSettings(
            url=f"sqlite:///{tmp_path}/assayer.db", blobs=str(tmp_path / "blobs"), keep_days=30
        ),
        recordings=RecordingSettings(folder=tmp_path / "recordings"),
    )
    with Store(settings.store.url, now) as store:
        with store.write() as unit:
            unit.installations.see(installation())
            unit.installations.see_repository(repository())
            unit.installations.see_repository(repository(8, "octo/other"))
        yield SchedulerContext(settings, store, TableQueue(store), Blobs(settings.store.blobs), now)


def done(place, key="a", **job):
    """A run that has ended, with a report and a file."""
    with place.store.write() as unit:
        run = unit.runs.ask(replace(PULL_JOB, key=key, **job)).id
        unit.runs.prepared(run)
        assert unit.runs.finish(started(unit, run), DOCUMENT)
    place.blobs.put(f"runs/{run}/inputs/1.png", b"a picture")
    return run


def kept(place, run):
    """Whether the run, its report and its file are there."""
    with place.store.read() as unit:
        row, report = unit.runs.get(run), unit.runs.report(run)
    return row is not None, report is not None, bool(place.blobs.keys(f"runs/{run}"))


ALL, NOTHING = (True, True, True), (False, False, False)


def act(place, name):
    [chore] = [chore for chore in PERIODIC_JOBS if chore.name == name]
    chore.act(place, 0)


def test_runs_go_with_their_reports_and_files_after_the_days_they_are_kept(place, now):
    old = done(place)
    now.at = START + timedelta(days=29)
    young = done(place, "b")
    act(place, "retention")
    assert kept(place, old) == ALL
    now.at = START + timedelta(days=30, seconds=1)
    act(place, "retention")
    assert kept(place, old) == NOTHING
    assert kept(place, young) == ALL


def test_run_that_is_not_over_stays_however_old(place, now):
    with place.store.write() as unit:
        run = unit.runs.ask(PULL_JOB).id
    now.at = START + timedelta(days=1000)
    act(place, "retention")
    with place.store.read() as unit:
        assert unit.runs.get(run) is not None


def test_few_go_at_a_time(place, now, monkeypatch):
    monkeypatch.setattr(scheduler, "MAX_RUNS", 2)
    runs = [done(place, key) for key in "abc"]
    now.at = START + timedelta(days=31)
    left = []
    for _ in range(3):
        act(place, "retention")
        left.append(sum(kept(place, run) == ALL for run in runs))
    assert left == [1, 0, 0]


def test_files_that_cannot_be_removed_keep_the_run_for_the_next_period(place, now, monkeypatch):
    run = done(place)
    now.at = START + timedelta(days=31)

    def away(self, prefix):
        raise OSError("the disk is away")

    with monkeypatch.context() as broken:
        broken.setattr(Blobs, "remove", away)
        with pytest.raises(OSError, match="away"):
            act(place, "retention")
    assert kept(place, run) == ALL
    act(place, "retention")
    assert kept(place, run) == NOTHING


def test_report_of_a_removed_repository_is_gone_at_once_and_the_rest_within_a_minute(place):
    ours, other = done(place), done(place, "b", repository_id=8, repository="octo/other")
    shelf = place.settings.recordings_folder / recording_folder_name("github:octo/app")
    (shelf / "x").mkdir(parents=True)
    with place.store.write() as unit:
        unit.installations.remove_repository(7)
    assert kept(place, ours) == (True, False, True)
    act(place, "forgetting")
    assert kept(place, ours) == NOTHING
    assert not shelf.exists()
    assert kept(place, other) == ALL
    assert next(chore.seconds for chore in PERIODIC_JOBS if chore.name == "forgetting") <= 60


def test_uninstalled_app_leaves_nothing_of_the_account(place):
    runs = [done(place), done(place, "b", repository_id=8, repository="octo/other")]
    with place.store.write() as unit:
        unit.deliveries.keep(delivery())
        unit.deliveries.heard("d-1")
        unit.installations.remove(3)
        assert unit.deliveries.get("d-1").body == b""
    act(place, "forgetting")
    assert [kept(place, run) for run in runs] == [NOTHING, NOTHING]


def test_run_from_no_installation_is_nobodys_orphan(place):
    run = done(place, installation=None, repository_id=None, pull=None)
    act(place, "forgetting")
    assert kept(place, run) == ALL


def test_clocks_do_all_that(place, now):
    run = done(place)
    now.at = START + timedelta(days=31)
    Scheduler(place).tick()
    assert kept(place, run) == NOTHING
