"""Processes of the guest, and what keeps tested code away from their streams."""

from __future__ import annotations

import ctypes
import os
import signal
import sys
import time
from pathlib import Path
from typing import Any, Callable, NoReturn

_DUMPABLE = 4
_PARENT_DEATH_SIGNAL = 1
PATIENCE_SECONDS = 5.0


OUR_FAILURE = 70
"""The exit status of a child whose own work failed (sysexits(3), EX_SOFTWARE)."""


def fork(work: Callable[[], None]) -> int:
    """Do ``work`` in a child process; it exits with ``OUR_FAILURE`` when that fails.

    Where the user has as many processes as it may, those that have just been
    killed are waited for.
    """
    until = time.monotonic() + PATIENCE_SECONDS
    while True:
        try:
            child = os.fork()
            break
        except BlockingIOError:
            if time.monotonic() > until:
                raise
            time.sleep(0.02)
    if child == 0:
        _leave_after(work)
    return child


def _leave_after(work: Callable[[], None]) -> NoReturn:
    status = OUR_FAILURE
    try:
        signal.pthread_sigmask(signal.SIG_UNBLOCK, [signal.SIGCHLD])
        work()
        status = 0
    except BaseException:
        complain()
    finally:
        os._exit(status)


def end_with_parent() -> None:
    """Let this process be killed once the one that forked it has ended (Linux)."""
    ctypes.CDLL(None).prctl(_PARENT_DEATH_SIGNAL, signal.SIGKILL, 0, 0, 0)


def complain() -> None:
    """Say on the host's stream what went wrong with ourselves."""
    import traceback

    text = traceback.format_exc()[-4000:]
    try:
        os.write(_errors, text.encode("utf-8", "replace"))
    except OSError:
        os._exit(2)


_errors = 2


_host = -1


def hide(descriptor: int) -> int:
    """Keep streams and descriptor out of the way of tested code."""
    global _errors, _host
    _host = descriptor
    _errors = os.dup(2)
    os.set_inheritable(_errors, False)
    os.set_inheritable(descriptor, False)
    null = os.open(os.devnull, os.O_RDWR)
    for stream in (0, 1, 2):
        os.dup2(null, stream)
    sys.stdin, sys.stdout, sys.stderr = _streams()
    ctypes.CDLL(None).prctl(_DUMPABLE, 0, 0, 0, 0)
    return descriptor


def part_with_host() -> None:
    """Close the way to the host in a process that has nothing to say there."""
    global _host
    if _host >= 0:
        os.close(_host)
        _host = -1


def _streams() -> Any:
    null = Path(os.devnull)
    return null.open(), null.open("w"), null.open("w")
