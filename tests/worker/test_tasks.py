"""Jobs on a real broker with a real worker, and without either."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path

import pytest

from tests.worker.fake_pipeline import examine, notes
from tests.worker.redis_server import INSTALLED, redis_server
from worker.errors import MachineError
from worker.jobs.examination import checkout
from worker.jobs.examination import examine as real_examine
from worker.jobs.life import carry_out, resend
from worker.jobs.one_process import work
from worker.queue import BrokerQueue, Limits, QueueDownError, celery_app
from worker.readiness import Admission, Inspection
from worker.settings.server import GithubSettings, QueueSettings, Settings, StoreSettings
from worker.store import (
    Attempt,
    Busy,
    Job,
    Over,
    RunRecord,
    RunState,
    Store,
    WorkerRecord,
    WorkerState,
)

ROOT = Path(__file__).parent.parent.parent
needs_redis = pytest.mark.skipif(not INSTALLED, reason="redis-server is absent")


def settings_in(folder: Path, url: str | None = None, seconds: int = 60) -> Settings:
    return Settings(
        queue=QueueSettings(url=url, seconds=seconds, attempts=2),
        store=StoreSettings(url=f"sqlite:///{folder}/assayer.db", blobs=str(folder)),
    )


@pytest.fixture
def store(tmp_path):
    with Store(f"sqlite:///{tmp_path}/assayer.db") as opened:
        yield opened


def asked(store: Store, reason: str) -> str:
    return store.create_run(Job("octo/app", None, None, reason))


def ended(store: Store, run: str, within: float) -> RunRecord:
    deadline = time.monotonic() + within
    while time.monotonic() < deadline:
        record = store.run(run)
        assert record is not None
        if record.state in (RunState.DONE, RunState.FAILED):
            return record
        time.sleep(0.1)
    raise TimeoutError(f"{store.run(run)}")


# ------------------------------------------------------------ one job


def test_report_of_a_job_is_stored(store, tmp_path):
    run = asked(store, "quick")
    assert isinstance(carry_out(run, settings_in(tmp_path), examine), Attempt)
    assert store.report(run) == {"verdict": "success", "attempt": 1}


def test_unknown_error_is_an_incident_of_ours(store, tmp_path, caplog):
    run = asked(store, "raise")
    carry_out(run, settings_in(tmp_path), examine)
    record = ended(store, run, 1)
    assert record.state is RunState.FAILED
    assert record.error == f"something of ours broke (incident {run[:12]})"
    assert run[:12] in caplog.text
    assert "ZeroDivisionError" in caplog.text


def test_machine_error_is_said_in_words(store, tmp_path):
    run = asked(store, "refuse")
    carry_out(run, settings_in(tmp_path), examine)
    assert "Install bubblewrap." in (ended(store, run, 1).error or "")


def test_job_under_way_is_not_run_again(store, tmp_path):
    run = asked(store, "quick")
    store.start_run(run, lease=60, limit=3)
    assert isinstance(carry_out(run, settings_in(tmp_path), examine), Busy)
    assert notes(tmp_path) == []


def test_finished_job_is_not_run_again(store, tmp_path):
    run = asked(store, "quick")
    carry_out(run, settings_in(tmp_path), examine)
    assert isinstance(carry_out(run, settings_in(tmp_path), examine), Over)
    assert len(notes(tmp_path)) == 2


# ------------------------------------------------------- the real pipeline


def test_recorded_run_goes_through_the_pipeline(store, tmp_path):
    """A change without ML code: skipped, as on the command line."""
    folder = tmp_path / "checkouts" / "octo" / "app"
    folder.mkdir(parents=True)
    git = ["git", "-c", "user.name=t", "-c", "user.email=t@example.org", "-C", str(folder)]
    subprocess.run([*git, "init", "-q"], check=True)
    for text in ("x = 1\n", "x = 2\n"):
        (folder / "a.py").write_text(text)
        subprocess.run([*git, "add", "."], check=True)
        subprocess.run([*git, "commit", "-qm", "change"], check=True)
    base = settings_in(tmp_path)
    checkouts = GithubSettings(checkouts=tmp_path / "checkouts")
    settings = base.model_copy(update={"github": checkouts})
    run = store.create_run(Job("octo/app", "HEAD~1", "HEAD", "pull request 1 opened"))
    carry_out(run, settings, real_examine)
    record = ended(store, run, 1)
    assert (record.state, record.verdict, record.error) == (RunState.DONE, "skipped", None)
    report = store.report(run)
    assert report is not None
    assert report["schema"] == "assayer-report/1"
    assert report["findings"] == []


# ----------------------------------------------------------- checkouts


def test_checkout_stays_in_its_folder(tmp_path):
    (tmp_path / "checkouts" / "octo" / "app").mkdir(parents=True)
    (tmp_path / "secret").mkdir()
    (tmp_path / "checkouts" / "octo" / "link").symlink_to(tmp_path / "secret")
    settings = Settings(github=GithubSettings(checkouts=tmp_path / "checkouts"))
    assert checkout("octo/app", settings) == tmp_path / "checkouts" / "octo" / "app"
    for name in ("octo/absent", "../secret", "octo/link", str(tmp_path / "secret")):
        with pytest.raises(MachineError, match="there is no checkout"):
            checkout(name, settings)


def test_no_checkouts_are_a_setting_away(tmp_path):
    with pytest.raises(MachineError, match=r"github\.checkouts"):
        checkout("octo/app", Settings())


# ------------------------------------------------------------- resending


class Flaky:
    """A queue that is down for the first call."""

    def __init__(self) -> None:
        self.calls: list[str] = []

    def enqueue(self, run_id: str) -> None:
        self.calls.append(run_id)
        if len(self.calls) == 1:
            raise QueueDownError("refused")

    def depth(self) -> int:
        return 0


def test_stranded_run_is_sent_when_the_queue_is_back(store, monkeypatch):
    run = asked(store, "quick")
    unsent = store.stranded_runs
    monkeypatch.setattr(store, "stranded_runs", lambda: unsent(unsent=0))
    queue = Flaky()
    resend(store, queue)
    resend(store, queue)
    resend(store, queue)
    assert queue.calls == [run, run]


# ------------------------------------------------------- without a broker


def worked(store: Store, settings: Settings, runs: list[str], within: float) -> list[RunRecord]:
    stop = threading.Event()
    name = "tests.worker.fake_pipeline:examine"
    admission = Admission(settings, lambda _settings: Inspection())
    loop = threading.Thread(target=work, args=(settings, stop, name, admission))
    loop.start()
    try:
        return [ended(store, run, within) for run in runs]
    finally:
        stop.set()
        loop.join()


def test_one_process_takes_what_waits(store, tmp_path):
    runs = [asked(store, reason) for reason in ("raise", "quick")]
    records = worked(store, settings_in(tmp_path), runs, 60)
    assert [record.state for record in records] == [RunState.FAILED, RunState.DONE]


def test_one_process_gives_up_a_poison_job(store, tmp_path):
    run = asked(store, "die")
    (record,) = worked(store, settings_in(tmp_path), [run], 60)
    assert record.state is RunState.FAILED
    assert record.attempts == 2
    assert run[:12] in (record.error or "")


def test_one_process_stops_a_hanging_job(store, tmp_path):
    run = asked(store, "hang")
    (record,) = worked(store, settings_in(tmp_path, seconds=2), [run], 60)
    assert "longer than a run may take" in (record.error or "")
    pid = int(notes(tmp_path)[0][2])
    with pytest.raises(ProcessLookupError):
        os.kill(pid, 0)


# ------------------------------------------------------------- on a broker


class Workers:
    """Real Celery workers on a real Redis, with the fake pipeline."""

    def __init__(self, folder: Path, url: str, seconds: int) -> None:
        self.settings = settings_in(folder, url, seconds)
        self.queue = BrokerQueue(celery_app(url, Limits.of(self.settings)))
        self._folder = folder
        self._processes: list[subprocess.Popen[bytes]] = []

    def start(self, concurrency: int = 1, **more: str) -> subprocess.Popen[bytes]:
        queue, store = self.settings.queue, self.settings.store
        environment = {
            **os.environ,
            "ASSAYER_QUEUE__URL": str(queue.url),
            "ASSAYER_QUEUE__SECONDS": str(queue.seconds),
            "ASSAYER_QUEUE__ATTEMPTS": str(queue.attempts),
            "ASSAYER_STORE__URL": store.url,
            "ASSAYER_STORE__BLOBS": store.blobs,
            **more,
        }
        number = len(self._processes)
        options = ["--concurrency", str(concurrency), "--hostname", f"w{number}@test"]
        process = subprocess.Popen(
            [sys.executable, "-m", "tests.worker.fake_pipeline", *options],
            cwd=ROOT,
            env=environment,
            start_new_session=True,
            stdout=subprocess.DEVNULL,
            stderr=(self._folder / f"log{number}").open("w"),
        )
        self._processes.append(process)
        return process

    def stop(self) -> None:
        for process in self._processes:
            kill(process)


def kill(process: subprocess.Popen[bytes]) -> None:
    if process.poll() is None:
        os.killpg(process.pid, signal.SIGKILL)
        process.wait()


def started(folder: Path, run: str, within: float = 60) -> None:
    deadline = time.monotonic() + within
    while not any(note[:2] == ["start", run] for note in notes(folder)):
        if time.monotonic() > deadline:
            raise TimeoutError("the job did not start")
        time.sleep(0.05)


@pytest.fixture
def workers(tmp_path):
    made: list[Workers] = []

    def make(seconds: int) -> Workers:
        made.append(Workers(tmp_path, url, seconds))
        return made[-1]

    with redis_server() as url:
        yield make
        for each in made:
            each.stop()


@needs_redis
def test_worker_ends_every_kind_of_job(store, tmp_path, workers):
    """A report, an incident, a dead process that recovers, and one that never does."""
    crew = workers(60)
    crew.start(concurrency=2)
    runs = {reason: asked(store, reason) for reason in ("quick", "raise", "die once", "die")}
    for run in runs.values():
        crew.queue.enqueue(run)
    crew.queue.enqueue(runs["quick"])
    assert ended(store, runs["quick"], 60).attempts == 1
    assert "incident" in (ended(store, runs["raise"], 20).error or "")
    recovered = ended(store, runs["die once"], 60)
    assert (recovered.state, recovered.attempts) == (RunState.DONE, 2)
    poison = ended(store, runs["die"], 60)
    assert (poison.state, poison.attempts) == (RunState.FAILED, 2)
    assert runs["die"][:12] in (poison.error or "")


@needs_redis
def test_worker_stops_a_hanging_job(store, tmp_path, workers):
    crew = workers(2)
    crew.start()
    hanging, quick = asked(store, "hang"), asked(store, "quick")
    crew.queue.enqueue(hanging)
    crew.queue.enqueue(quick)
    record = ended(store, hanging, 60)
    assert "was stopped" in (record.error or "")
    assert ended(store, quick, 30).state is RunState.DONE


@needs_redis
def test_killed_workers_job_comes_back_once(store, tmp_path, workers):
    crew = workers(2)
    run = asked(store, "sleep 1.5")
    first = crew.start()
    crew.queue.enqueue(run)
    started(tmp_path, run)
    kill(first)
    began = time.monotonic()
    crew.start(concurrency=2)
    record = ended(store, run, 60)
    print(f"came back and ended {time.monotonic() - began:.1f} s after its worker was killed")
    assert (record.state, record.attempts) == (RunState.DONE, 2)
    events = [note[0] for note in notes(tmp_path)]
    assert events == ["start", "start", "end"]


def standing(store: Store, wanted: list[WorkerState], within: float = 60) -> list[WorkerRecord]:
    deadline = time.monotonic() + within
    while sorted(told.state for told in store.roster.present()) != sorted(wanted):
        if time.monotonic() > deadline:
            raise TimeoutError(f"{store.roster.present()}")
        time.sleep(0.1)
    return list(store.roster.present())


@needs_redis
def test_worker_whose_isolation_leaks_leaves_jobs_to_others(store, tmp_path, workers):
    crew = workers(60)
    run = asked(store, "quick")
    crew.queue.enqueue(run)
    leaky = crew.start(LEAK="1")
    (told,) = standing(store, [WorkerState.REFUSING])
    assert told.reason == "1 known escape: a hole"
    assert crew.queue.depth() == 1
    crew.start(BATTERY="real")
    assert ended(store, run, 120).state is RunState.DONE
    ready = standing(store, [WorkerState.REFUSING, WorkerState.READY])
    assert any("no network" in " ".join(each.layers) for each in ready)
    leaky.terminate()
    assert leaky.wait(60) == 0
    assert [told.state for told in store.roster.present()] == [WorkerState.READY]


def test_one_process_whose_isolation_leaks_takes_nothing(store, tmp_path):
    run = asked(store, "quick")
    settings, stop = settings_in(tmp_path), threading.Event()
    leaky = Admission(settings, lambda _settings: Inspection(obstacle="a hole"))
    name = "tests.worker.fake_pipeline:examine"
    loop = threading.Thread(target=work, args=(settings, stop, name, leaky))
    loop.start()
    try:
        standing(store, [WorkerState.REFUSING])
        assert store.count_runs()[RunState.QUEUED] == 1
    finally:
        stop.set()
        loop.join()
    assert notes(tmp_path) == []
    assert store.run(run).attempts == 0
