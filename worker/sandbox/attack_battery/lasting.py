"""Ways to stay after the end, tried in a guest that is then closed."""

from __future__ import annotations

import os
import signal
import time
from collections.abc import Callable, Mapping
from typing import NoReturn

from .canary import Canary

SECONDS = 30
HOG = 96 * 1024 * 1024


def ignore_signals(canary: Canary) -> None:
    """Stay, deaf to every signal that can be ignored."""
    for number in signal.valid_signals() - {signal.SIGKILL, signal.SIGSTOP}:
        signal.signal(number, signal.SIG_IGN)
    _become(f"{canary.token}-deaf")


def daemonise(canary: Canary) -> None:
    """Leave a daemon: another session, another parent."""
    if os.fork() == 0:
        os.setsid()
        if os.fork() == 0:
            _become(f"{canary.token}-daemon")
        os._exit(0)
    time.sleep(SECONDS)


def _become(name: str) -> NoReturn:
    os.execv("/bin/sleep", [name, str(SECONDS)])  # noqa: S606 - the point of it


def hoard(_canary: Canary) -> None:
    """Hold much memory together, each process little."""
    for _ in range(4):
        if os.fork() == 0:
            hoard = bytearray(os.urandom(1 << 20) * (HOG >> 20))
            time.sleep(SECONDS)
            os._exit(len(hoard) == 0)
    time.sleep(SECONDS)


LASTING: Mapping[str, Callable[[Canary], None]] = {
    "ignoring signals": ignore_signals,
    "daemonising": daemonise,
    "memory of many processes": hoard,
}
