"""Without a broker: one loop that takes the store's runs, one after the other."""

from __future__ import annotations

import os
import signal
import time
from contextlib import suppress
from multiprocessing import get_context
from multiprocessing.context import SpawnProcess
from pkgutil import resolve_name
from threading import Event

from worker.jobs.life import bury, carry_out
from worker.queue import Limits
from worker.readiness import Admission
from worker.settings.server import Settings
from worker.store import Store
from worker.sweeping import sweep

EXAMINE = "worker.jobs.examination:examine"
"""The pipeline, by name: it is loaded in a run's own process only."""

_SPAWN = get_context("spawn")
_PAUSE_SECONDS = 0.5


def work(
    settings: Settings, stop: Event, examine: str = EXAMINE, admission: Admission | None = None
) -> None:
    """Carry out whatever waits until ``stop`` is set, once the isolation has held.

    Every run has a process group of its own, so that one which crashes or
    takes too long leaves nothing behind.
    """
    admission = admission or Admission(settings)
    try:
        if admission.admit(stop.wait):
            with Store(settings.store.url) as store:
                _work(store, settings, stop, examine, admission)
    finally:
        admission.leave()


def _work(
    store: Store, settings: Settings, stop: Event, examine: str, admission: Admission
) -> None:
    while not stop.is_set():
        admission.beat()
        run_id = store.next_run()
        if run_id is None:
            stop.wait(_PAUSE_SECONDS)
            continue
        process = _SPAWN.Process(target=_carry_out, args=(run_id, settings, examine))
        process.start()
        timed_out = _await_end(process, settings, stop, admission)
        bury(run_id, store, timed_out=timed_out)
        sweep(settings)


def _await_end(
    process: SpawnProcess, settings: Settings, stop: Event, admission: Admission
) -> bool:
    """Return when nothing of the process is left; whether it took too long."""
    deadline = time.monotonic() + Limits.of(settings).hard
    while process.is_alive() and time.monotonic() < deadline and not stop.is_set():
        admission.beat()
        process.join(0.2)
    timed_out = process.is_alive() and not stop.is_set()
    if process.pid is not None:
        with suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)
    process.kill()
    process.join()
    return timed_out


def _carry_out(run_id: str, settings: Settings, examine: str) -> None:
    os.setsid()
    carry_out(run_id, settings, resolve_name(examine))
