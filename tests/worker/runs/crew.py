"""Real workers, with a pipeline that does what a job's reason says."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from tests.worker.fake_pipeline import notes
from worker.runs.one_process import work
from worker.runs.readiness import Admission, Inspection
from worker.runs.scheduler import PeriodicJob, Scheduler, SchedulerContext, settle_expired
from worker.settings.operator_settings import QueueSettings, Settings, StoreSettings
from worker.store.blobs import Blobs
from worker.store.records import Job, RunRecord
from worker.store.run_queue import BrokerQueue, RunTimeLimits, celery_app, open_queue
from worker.store.store import Store

ROOT = Path(__file__).parents[3]
PATIENCE = 600
HOLDS = Inspection()
EXAMINE = "tests.worker.fake_pipeline:examine"


def settings_in(
    folder: Path, url: str | None = None, *, seconds: int = 60, lease: float = 60
) -> Settings:
    return Settings(
        queue=QueueSettings(url=url, seconds=seconds, attempts=2, lease=lease, gpu_wait=0),
        store=StoreSettings(url=f"sqlite:///{folder}/assayer.db", blobs=str(folder)),
    )


def asked(store: Store, reason: str, **more: object) -> str:
    job = Job("octo/app", None, None, reason, **more)
    with store.write() as unit:
        run = unit.runs.ask(job)
    assert run is not None
    return run.id


def found(store: Store, run: str) -> RunRecord:
    with store.read() as unit:
        record = unit.runs.get(run)
    assert record is not None
    return record


def until(condition: Callable[[], object], within: float = PATIENCE) -> None:
    deadline = time.monotonic() + within
    while not condition():
        if time.monotonic() > deadline:
            raise TimeoutError("it never came to that")
        time.sleep(0.05)


def ended(store: Store, run: str, within: float = PATIENCE) -> RunRecord:
    try:
        until(lambda: found(store, run).state.over, within)
    except TimeoutError:
        raise TimeoutError(f"{found(store, run)}") from None
    return found(store, run)


def started(folder: Path, run: str) -> None:
    until(lambda: any(note[:2] == ["start", run] for note in notes(folder)))


@contextmanager
def one_process(
    settings: Settings, inspection: Inspection = HOLDS, queues: tuple[str, ...] = ("cpu",)
) -> Iterator[None]:
    """The loop without a broker, in a thread; its runs have processes of their own."""
    stop = threading.Event()
    admission = Admission(settings, lambda _settings: inspection, queues)
    loop = threading.Thread(target=work, args=(settings, stop, EXAMINE, admission, queues))
    loop.start()
    try:
        yield
    finally:
        stop.set()
        loop.join()


@contextmanager
def ticking(settings: Settings, seconds: float = 0.5) -> Iterator[None]:
    """A clock that sweeps more often than a real one."""
    stop = threading.Event()

    def tick() -> None:
        with Store(settings.store.url) as store:
            queue, blobs = open_queue(settings, store), Blobs(settings.store.blobs)
            clock = Scheduler(
                SchedulerContext(settings, store, queue, blobs),
                [PeriodicJob("sweep", seconds, settle_expired)],
            )
            while not stop.wait(0.1):
                clock.tick()

    thread = threading.Thread(target=tick)
    thread.start()
    try:
        yield
    finally:
        stop.set()
        thread.join()


class Workers:
    """Real Celery workers on a real Redis."""

    def __init__(self, folder: Path, settings: Settings) -> None:
        self.settings = settings
        assert settings.queue.url is not None
        self.queue = BrokerQueue(celery_app(settings.queue.url, RunTimeLimits.of(settings)))
        self._folder = folder
        self._processes: list[subprocess.Popen[bytes]] = []

    def start(
        self, concurrency: int = 1, queues: str = "cpu", **more: str
    ) -> subprocess.Popen[bytes]:
        queue, store = self.settings.queue, self.settings.store
        environment = {
            **os.environ,
            "ASSAYER_QUEUE__URL": str(queue.url),
            "ASSAYER_QUEUE__SECONDS": str(queue.seconds),
            "ASSAYER_QUEUE__ATTEMPTS": str(queue.attempts),
            "ASSAYER_QUEUE__LEASE": str(queue.lease),
            "ASSAYER_STORE__URL": store.url,
            "ASSAYER_STORE__BLOBS": store.blobs,
            **more,
        }
        number = len(self._processes)
        options = ["--concurrency", str(concurrency), "--hostname", f"w{number}@test"]
        process = subprocess.Popen(
            [
                sys.executable,
                "-m",
                "tests.worker.fake_pipeline",
                *options,
                "--queues",
                queues,
            ],
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
