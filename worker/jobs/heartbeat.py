"""The sign of life of an attempt, and its end when nobody waits for it any more."""

from __future__ import annotations

import logging
import os
import signal
import threading
import time
from types import FrameType
from typing import Self

from sqlalchemy.exc import SQLAlchemyError

from worker.interruption import begin, interrupt, settle
from worker.store import Attempt, Store

BEATS = 4
LONGEST_PAUSE = 5.0
GRACE_SECONDS = 30.0
LONGEST_PROGRESS = 500
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
        begin()
        signal.signal(SIGNAL, self._interrupted)
        self._armed = True
        self._thread.start()
        return self

    def __exit__(self, *_exception: object) -> None:
        """End: from here on nobody is interrupted, however late the signal comes."""
        self._armed = False
        self._stop.set()
        self._thread.join(self._lease)
        settle()

    def tell(self, text: str) -> None:
        """Say what is being done; the last word in some seconds is kept."""
        self._text = text[:LONGEST_PROGRESS]

    def _interrupted(self, number: int, frame: FrameType | None) -> None:
        if self._armed:
            interrupt(number, frame)

    def _beat(self) -> None:
        pause = min(LONGEST_PAUSE, self._lease / BEATS)
        began = renewed = time.monotonic()
        while not (self._stop.wait(pause) or self.lost or self.late):
            self._keep_progress()
            tried = time.monotonic()
            holds = self._renewed()
            if holds:
                renewed = tried
            self.lost = holds is False or tried - renewed > self._lease
            self.late = tried - began > self._longest
        if self.lost or self.late:
            self._end()

    def _keep_progress(self) -> None:
        text, self._text = self._text, None
        if text is not None:
            try:
                with self._store.begin() as books:
                    books.runs.progress(self._attempt, text)
            except SQLAlchemyError:
                _log.warning("the progress of run %s is not kept", self._attempt.run.id)

    def _renewed(self) -> bool | None:
        """Whether the lease holds on; ``None`` when the store does not say."""
        try:
            with self._store.begin() as books:
                return books.runs.renew(self._attempt, self._lease)
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
