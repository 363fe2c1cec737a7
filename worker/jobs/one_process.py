"""Without a broker: one loop that takes the store's runs, one after the other."""

from __future__ import annotations

import os
import signal
import time
from contextlib import suppress
from multiprocessing import get_context
from pkgutil import resolve_name
from threading import Event

from worker.jobs.life import bury, carry_out
from worker.queue import Limits
from worker.settings.server import Settings
from worker.store import Store
from worker.sweeping import sweep

EXAMINE = "worker.jobs.examination:examine"
"""The pipeline, by name: it is loaded in a run's own process only."""

_SPAWN = get_context("spawn")
_PAUSE_SECONDS = 0.5


def work(settings: Settings, stop: Event, examine: str = EXAMINE) -> None:
    """Carry out whatever waits until ``stop`` is set.

    Every run has a process group of its own, so that one which crashes or
    takes too long leaves nothing behind.
    """
    with Store(settings.store.url) as store:
        while not stop.is_set():
            run_id = store.next_run()
            if run_id is None:
                stop.wait(_PAUSE_SECONDS)
            else:
                _work_on(run_id, store, settings, stop, examine)


def _work_on(run_id: str, store: Store, settings: Settings, stop: Event, examine: str) -> None:
    process = _SPAWN.Process(target=_carry_out, args=(run_id, settings, examine))
    process.start()
    deadline = time.monotonic() + Limits.of(settings).hard
    while process.is_alive() and time.monotonic() < deadline and not stop.is_set():
        process.join(0.2)
    timed_out = process.is_alive() and not stop.is_set()
    if process.pid is not None:
        with suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)
    process.kill()
    process.join()
    bury(run_id, store, timed_out=timed_out)
    sweep(settings)


def _carry_out(run_id: str, settings: Settings, examine: str) -> None:
    os.setsid()
    carry_out(run_id, settings, resolve_name(examine))
