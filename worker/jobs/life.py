"""Carrying out a recorded run, with or without a broker."""

from __future__ import annotations

import logging
from collections.abc import Callable, Mapping
from typing import Any

from celery.exceptions import SoftTimeLimitExceeded
from sqlalchemy.exc import SQLAlchemyError

from worker.check import GpuNeededError
from worker.errors import MachineError, UsageError
from worker.jobs.heartbeat import Heartbeat
from worker.jobs.packing import clone_key
from worker.jobs.progress import Tell, Unfinished
from worker.queue import Limits, Ring
from worker.settings.server import Settings
from worker.store import Attempt, Busy, Over, RunRecord, Store
from worker.store.blobs import Blobs

TOO_LONG = "it took longer than a run may take"

_log = logging.getLogger(__name__)

Examine = Callable[[RunRecord, Settings, Tell], Mapping[str, Any]]
"""Returns a run's report document; tells meanwhile what it does.

Raises ``UsageError``, ``MachineError`` and ``GpuNeededError`` as a check
does, and where it was interrupted ``Unfinished``, or ``KeyboardInterrupt`` before
there was a report.
"""


def unheard(_run: RunRecord) -> None:
    """Ring for nobody: without a broker, whoever takes a run looks into the store."""


def carry_out(
    run_id: str, settings: Settings, examine: Examine, ring: Ring = unheard
) -> Attempt | Busy | Over:
    """Attempt a run, unless it is under way or over; its end is in the store.

    Whatever goes wrong is ours: the run fails with a sentence, and with an
    incident to look up in the log where no sentence would help.  ``ring``
    is told of a run that has to go on elsewhere.
    """
    with Store(settings.store.url) as store:
        queue = settings.queue
        with store.begin() as books:
            attempt = books.runs.start(run_id, lease=queue.lease, limit=queue.attempts)
        if isinstance(attempt, Attempt):
            _log.info("run %s, attempt %d", run_id, attempt.number)
            _Carrier(attempt, settings, store).carry_out(examine, ring)
        return attempt


class _Carrier:
    """One attempt and its end."""

    def __init__(self, attempt: Attempt, settings: Settings, store: Store) -> None:
        self._attempt = attempt
        self._settings = settings
        self._store = store
        longest = Limits.of(settings).early
        self._heartbeat = Heartbeat(store, attempt, settings.queue.lease, longest)

    def carry_out(self, examine: Examine, ring: Ring) -> None:
        try:
            document = self._examined(examine)
        except UsageError as error:
            self._fail(str(error), refused=True)
        except MachineError as error:
            self._fail(str(error))
        except GpuNeededError:
            self._send_to_gpu(ring)
        except SoftTimeLimitExceeded:
            self._fail(TOO_LONG)
        except Unfinished as unfinished:
            self._interrupted(unfinished)
        except KeyboardInterrupt:
            self._interrupted()
        except Exception:  # noqa: BLE001 the one place where a job's unknown error ends
            incident = self._attempt.run.id[:12]
            _log.exception("incident %s", incident)
            self._fail(f"something of ours broke (incident {incident})")
        else:
            self._finish(document)

    def _examined(self, examine: Examine) -> Mapping[str, Any]:
        with self._heartbeat:
            return examine(self._attempt.run, self._settings.examining, self._heartbeat.tell)

    def _finish(self, document: Mapping[str, Any]) -> None:
        with self._store.begin() as books:
            finished = books.runs.finish(self._attempt, document)
        self._forget_clone(over=finished)

    def _fail(self, error: str, *, refused: bool = False) -> None:
        with self._store.begin() as books:
            failed = books.runs.fail(self._attempt, error, refused=refused)
        self._forget_clone(over=failed)

    def _interrupted(self, unfinished: Unfinished | None = None) -> None:
        """Leave the run to whoever has it now, unless it is ours to end or give back."""
        _log.info("run %s was interrupted", self._attempt.run.id)
        if self._heartbeat.late and unfinished is not None:
            self._finish(_cut_short(unfinished.document()))
        elif self._heartbeat.late:
            self._fail(TOO_LONG)
        elif not self._heartbeat.lost:
            with self._store.begin() as books:
                books.runs.release(self._attempt.run.id)

    def _send_to_gpu(self, ring: Ring) -> None:
        run_id = self._attempt.run.id
        with self._store.begin() as books:
            books.runs.route(run_id, "gpu")
            run = books.runs.get(run_id)
        if run is not None and not run.state.over:
            ring(run)

    def _forget_clone(self, *, over: bool) -> None:
        """Remove the clone; what cannot be removed now goes when the clock sweeps."""
        if over:
            try:
                Blobs(self._settings.store.blobs).remove(clone_key(self._attempt.run.id))
            except OSError:
                _log.warning("the clone of run %s is not removed", self._attempt.run.id)


def _cut_short(document: Mapping[str, Any]) -> Mapping[str, Any]:
    """Return a partial report that passes nothing: the limit is ours, not the author's."""
    limit = {"analyzer": "assayer", "target": "", "error": TOO_LONG}
    verdict = document["verdict"] if document["verdict"] == "failure" else "error"
    return {**document, "broken": [*document["broken"], limit], "verdict": verdict}


def bury(run_id: str, store: Store, *, timed_out: bool) -> bool:
    """Settle a run whose process has ended; whether to try it again."""
    try:
        with store.begin() as books:
            if timed_out:
                books.runs.stop(run_id, f"{TOO_LONG} and was stopped")
                return False
            return books.runs.release(run_id)
    except SQLAlchemyError:
        _log.exception("run %s is settled when its lease has ended", run_id)
        return False
