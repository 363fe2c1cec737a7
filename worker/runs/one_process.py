"""Without a broker: one loop that takes the store's runs, one after the other."""

from __future__ import annotations

import logging
import os
import signal
import time
from collections.abc import Sequence
from contextlib import suppress
from multiprocessing import get_context
from multiprocessing.context import SpawnProcess
from pkgutil import resolve_name
from threading import Event

from sqlalchemy.exc import SQLAlchemyError

from worker.check.leftovers import remove_leftovers
from worker.runs.readiness import Admission
from worker.runs.run_attempt import carry_out, settle_dead
from worker.settings.operator_settings import Settings
from worker.store.queue_names import QUEUES
from worker.store.run_queue import RunTimeLimits
from worker.store.store import Store
from worker.system import logs

EXAMINE = "worker.runs.examination:examine"
"""The pipeline, by name: it is loaded in a run's own process only."""

_log = logging.getLogger(__name__)
_SPAWN = get_context("spawn")
_PAUSE_SECONDS = 0.5


def work(
    settings: Settings,
    stop: Event,
    examine: str = EXAMINE,
    admission: Admission | None = None,
    queues: Sequence[str] = QUEUES[:1],
) -> None:
    """Carry out what waits in ``queues`` until ``stop`` is set, once the isolation has held.

    Every run has a process group of its own, so that one which crashes or
    takes too long leaves nothing behind.
    """
    admission = admission or Admission(settings, queues=tuple(queues))
    try:
        if admission.admit(stop.wait):
            with Store(settings.store.url) as store:
                while not stop.is_set():
                    admission.beat()
                    run_id = _next(store, queues)
                    if run_id is None:
                        stop.wait(_PAUSE_SECONDS)
                    else:
                        _attempt(run_id, store, settings, stop, examine, admission)
    finally:
        admission.leave()


def _next(store: Store, queues: Sequence[str]) -> str | None:
    try:
        with store.read() as unit:
            return unit.runs.next(queues)
    except SQLAlchemyError:
        _log.exception("the store does not answer")
        return None


def _attempt(
    run_id: str,
    store: Store,
    settings: Settings,
    stop: Event,
    examine: str,
    admission: Admission,
) -> None:
    process = _SPAWN.Process(target=_carry_out, args=(run_id, settings.examining, examine))
    process.start()
    timed_out = _await_end(process, settings, stop, admission)
    if timed_out or process.exitcode != 0:
        settle_dead(run_id, store, timed_out=timed_out)
    remove_leftovers(settings)


def _await_end(
    process: SpawnProcess, settings: Settings, stop: Event, admission: Admission
) -> bool:
    """Return when nothing of the process is left; whether it took too long."""
    deadline = time.monotonic() + RunTimeLimits.of(settings).hard
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
    logs.configure()
    with logs.bound(run=run_id):
        carry_out(run_id, settings, resolve_name(examine))
