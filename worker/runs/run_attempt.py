"""Carrying out a recorded run, with or without a broker."""

from __future__ import annotations

import logging
import os
import signal
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from types import FrameType
from typing import Any, Self

from celery.exceptions import SoftTimeLimitExceeded
from sqlalchemy.exc import SQLAlchemyError

from analyzers.vocabulary import Finding, Target, Verdict
from worker.check.check_plan import ComparedSides, GpuNeededError
from worker.errors import MachineError, UsageError
from worker.settings.operator_settings import Settings
from worker.store.blobs import Blobs, clone_key
from worker.store.records import Attempt, RunBusy, RunOver, RunRecord
from worker.store.run_queue import Notify, RunTimeLimits
from worker.store.store import Store
from worker.system.interruption import acknowledge_interrupt, interrupt, reset_interrupt

ReportProgress = Callable[[str], None]


class PartialReport(KeyboardInterrupt):
    """An interruption that leaves a partial report; ``document`` makes it, with its files."""

    def __init__(self, document: Callable[[], Mapping[str, Any]]) -> None:
        super().__init__()
        self.document = document


class ProgressReporter:
    """Listens to a check and tells where it is, in a sentence and a line for each finding.

    They name functions of the tested project: escape them.
    """

    def __init__(self, tell: ReportProgress, clock: Callable[[], float] = time.monotonic) -> None:
        self._tell = tell
        self._clock = clock
        self._began = clock()
        self._total = 0
        self._begun = 0
        self._findings: list[str] = []

    def compared(self, comparison: ComparedSides) -> None:
        """Tell how much has changed."""
        self._tell(f"{_counted(comparison.files, 'changed file')} read")

    def detected(self, targets: Sequence[Target]) -> None:
        """Tell how many functions there are."""
        self._total = len(targets)
        self._began = self._clock()
        if targets:
            self._tell(f"{_counted(self._total, 'function')} to test")

    def preparing(self, what: str) -> None:
        """Tell what takes time."""
        self._tell(what)

    def examining(self, target: Target) -> None:
        """Tell which function is tested, what was found so far, and how long it may take."""
        self._begun += 1
        found = f"; {_counted(len(self._findings), 'finding')} so far" if self._findings else ""
        sentence = f"testing function {self._begun} of {self._total}: {target.id}{found}"
        self._tell("\n".join([f"{sentence}{self._left()}", *self._findings]))

    def found(self, verdict: Verdict) -> None:
        """Keep a line about a finding; an earlier one's that is found again stays."""
        if isinstance(verdict, Finding):
            place = f"{verdict.path}:{verdict.line}"
            self._findings.append(f"{verdict.level}, {place}: {verdict.title}"[:MOST_LINE])

    def _left(self) -> str:
        """Return how long the other functions take, if they take as long as those before."""
        done = self._begun - 1
        if not done:
            return ""
        seconds = (self._clock() - self._began) / done * (self._total - done)
        amount = f"{seconds / 60:.0f} min" if seconds >= 90 else f"{seconds:.0f} s"
        return f"; about {amount} left"


def _counted(count: int, noun: str) -> str:
    return f"{count} {noun}" if count == 1 else f"{count} {noun}s"


BEATS_PER_LEASE = 4
MAX_PAUSE = 5.0
GRACE_SECONDS = 30.0
MAX_PROGRESS_LENGTH = 2000
MOST_LINE = 200
SIGNAL = signal.SIGUSR2

_log = logging.getLogger(__name__)


class Heartbeat:
    """Renews an attempt's lease of ``lease`` seconds, and tells its progress, in a thread.

    When the lease is lost, the run was cancelled, or ``longest`` seconds are
    over, the main thread gets a ``KeyboardInterrupt``; one that does not end
    within ``GRACE_SECONDS`` is killed with its process, and its guests with
    it.  ``lost`` and ``late`` tell why.
    """

    def __init__(self, store: Store, attempt: Attempt, lease: float, longest: float) -> None:
        self._store = store
        self._attempt = attempt
        self._lease = lease
        self._longest = longest
        self._text: str | None = None
        self._stop = threading.Event()
        self._armed = False
        self._thread = threading.Thread(target=self._beat, daemon=True)
        self.lost = self.late = False

    def __enter__(self) -> Self:
        """Begin; only in the main thread, which is the one to be interrupted."""
        reset_interrupt()
        signal.signal(SIGNAL, self._interrupted)
        self._armed = True
        self._thread.start()
        return self

    def __exit__(self, *_exception: object) -> None:
        """End: from here on nobody is interrupted, however late the signal comes."""
        self._armed = False
        self._stop.set()
        self._thread.join(self._lease)
        acknowledge_interrupt()

    def tell(self, text: str) -> None:
        """Say what is being done; the last word in some seconds is kept."""
        self._text = text[:MAX_PROGRESS_LENGTH]

    def _interrupted(self, number: int, frame: FrameType | None) -> None:
        if self._armed:
            interrupt(number, frame)

    def _beat(self) -> None:
        pause = min(MAX_PAUSE, self._lease / BEATS_PER_LEASE)
        began = renewed = time.monotonic()
        while not (self._stop.wait(pause) or self.lost or self.late):
            tried = time.monotonic()
            holds = self._renewed()
            if holds:
                renewed = tried
            self.lost = holds is False or tried - renewed > self._lease
            self.late = tried - began > self._longest
        if self.lost or self.late:
            self._end()

    def _renewed(self) -> bool | None:
        """Renew the lease and keep the progress in one transaction: a fleet makes many."""
        text, self._text = self._text, None
        try:
            with self._store.write() as unit:
                if text is not None:
                    unit.runs.progress(self._attempt, text)
                return unit.runs.renew(self._attempt, self._lease)
        except SQLAlchemyError:
            _log.warning("the lease of run %s is not renewed", self._attempt.run.id)
            return None

    def _end(self) -> None:
        why = "takes too long" if self.late else "is not wanted here any more"
        _log.info("run %s %s", self._attempt.run.id, why)
        main = threading.main_thread().ident
        assert main is not None
        signal.pthread_kill(main, SIGNAL)
        if not self._stop.wait(GRACE_SECONDS):
            _log.error("run %s does not end and is killed", self._attempt.run.id)
            os.kill(os.getpid(), signal.SIGKILL)


TOO_LONG = "it took longer than a run may take"

Examine = Callable[[RunRecord, Settings, ReportProgress], Mapping[str, Any]]
"""Returns a run's report document; tells meanwhile what it does.

Raises ``UsageError``, ``MachineError`` and ``GpuNeededError`` as a check
does, and where it was interrupted ``PartialReport``, or ``KeyboardInterrupt`` before
there was a report.
"""


def notify_nobody(_run: RunRecord) -> None:
    """Ring for nobody: without a broker, whoever takes a run looks into the store."""


def carry_out(
    run_id: str, settings: Settings, examine: Examine, notify: Notify = notify_nobody
) -> Attempt | RunBusy | RunOver:
    """Attempt a run, unless it is under way or over; its end is in the store.

    Whatever goes wrong is ours: the run fails with a sentence, and with an
    incident to look up in the log where no sentence would help.  ``ring``
    is told of a run that has to go on elsewhere.
    """
    with Store(settings.store.url) as store:
        queue = settings.queue
        with store.write() as unit:
            attempt = unit.runs.start(run_id, lease=queue.lease, limit=queue.attempts)
        if isinstance(attempt, Attempt):
            _log.info("run %s, attempt %d", run_id, attempt.number)
            _AttemptRunner(attempt, settings, store).carry_out(examine, notify)
        return attempt


class _AttemptRunner:
    """One attempt and its end."""

    def __init__(self, attempt: Attempt, settings: Settings, store: Store) -> None:
        self._attempt = attempt
        self._settings = settings
        self._store = store
        longest = RunTimeLimits.of(settings).early
        self._heartbeat = Heartbeat(store, attempt, settings.queue.lease, longest)

    def carry_out(self, examine: Examine, notify: Notify) -> None:
        try:
            document = self._examined(examine)
        except UsageError as error:
            self._fail(str(error), refused=True)
        except MachineError as error:
            self._fail(str(error))
        except GpuNeededError:
            self._send_to_gpu(notify)
        except SoftTimeLimitExceeded:
            self._fail(TOO_LONG)
        except PartialReport as unfinished:
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
        with self._store.write() as unit:
            finished = unit.runs.finish(self._attempt, document)
        self._forget_clone(over=finished)

    def _fail(self, error: str, *, refused: bool = False) -> None:
        with self._store.write() as unit:
            failed = unit.runs.fail(self._attempt, error, refused=refused)
        self._forget_clone(over=failed)

    def _interrupted(self, unfinished: PartialReport | None = None) -> None:
        """Leave the run to whoever has it now, unless it is ours to end or give back."""
        _log.info("run %s was interrupted", self._attempt.run.id)
        if self._heartbeat.late and unfinished is not None:
            self._finish(_as_partial(unfinished.document()))
        elif self._heartbeat.late:
            self._fail(TOO_LONG)
        elif not self._heartbeat.lost:
            with self._store.write() as unit:
                unit.runs.release(self._attempt.run.id)

    def _send_to_gpu(self, notify: Notify) -> None:
        run_id = self._attempt.run.id
        with self._store.write() as unit:
            unit.runs.route(run_id, "gpu")
            run = unit.runs.get(run_id)
        if run is not None and not run.state.over:
            notify(run)

    def _forget_clone(self, *, over: bool) -> None:
        """Remove the clone; what cannot be removed now goes when the clock sweeps."""
        if over:
            try:
                Blobs(self._settings.store.blobs).remove(clone_key(self._attempt.run.id))
            except OSError:
                _log.warning("the clone of run %s is not removed", self._attempt.run.id)


def _as_partial(document: Mapping[str, Any]) -> Mapping[str, Any]:
    """Return a partial report that passes nothing: the limit is ours, not the author's."""
    limit = {"analyzer": "assayer", "target": "", "error": TOO_LONG}
    verdict = document["verdict"] if document["verdict"] == "failure" else "error"
    return {**document, "broken": [*document["broken"], limit], "verdict": verdict}


def settle_dead(run_id: str, store: Store, *, timed_out: bool) -> bool:
    """Settle a run whose process has ended; whether to try it again."""
    try:
        with store.write() as unit:
            if timed_out:
                unit.runs.stop(run_id, f"{TOO_LONG} and was stopped")
                return False
            return unit.runs.release(run_id)
    except SQLAlchemyError:
        _log.exception("run %s is settled when its lease has ended", run_id)
        return False
