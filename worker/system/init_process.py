"""The duties of process 1 in a container: reap every orphan; the program moves to a child."""

from __future__ import annotations

import os
import signal
from contextlib import suppress

FORWARDED = frozenset(
    {
        signal.SIGHUP,
        signal.SIGINT,
        signal.SIGQUIT,
        signal.SIGTERM,
        signal.SIGUSR1,
        signal.SIGUSR2,
    }
)
FROM_KERNEL = 128


def run_as_init_child() -> None:
    """Go on in a child where we are process 1; call it before any thread starts."""
    if os.getpid() != 1:
        return
    signals = FORWARDED | {signal.SIGCHLD}
    before = signal.pthread_sigmask(signal.SIG_BLOCK, signals)
    child = os.fork()
    if child == 0:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)
        return
    status: int | None = None
    while status is None:
        heard = signal.sigwaitinfo(signals)
        if heard.si_signo == signal.SIGCHLD:
            status = _reaped(child)
        elif heard.si_code != FROM_KERNEL:
            with suppress(ProcessLookupError):
                os.kill(child, heard.si_signo)
    os._exit(status)


def _reaped(child: int) -> int | None:
    """Wait for all that have ended; the exit status of ``child`` once it is among them."""
    ended: int | None = None
    with suppress(ChildProcessError):
        while True:
            pid, status = os.waitpid(-1, os.WNOHANG)
            if pid == 0:
                break
            if pid == child:
                code = os.waitstatus_to_exitcode(status)
                ended = code if code >= 0 else FROM_KERNEL - code
    return ended
