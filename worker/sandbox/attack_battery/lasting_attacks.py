"""Attacks that each have a guest of their own.

Some want to stay after the end, others to use so much that the whole guest is
stopped.  All are bounded, in what they use and in time.
"""

from __future__ import annotations

import os
import signal
import tempfile
import time
from collections.abc import Callable, Mapping
from contextlib import suppress
from pathlib import Path
from typing import NoReturn

from .battery_support import Attacks, Canary

SECONDS = 30
HOG = 96 * 1024 * 1024
SHARED_MEMORY = 64 * 1024 * 1024
PRINTED = 512 * 1024 * 1024
PROCESSOR_SECONDS = 5.0


def ignore_signals(canary: Canary) -> None:
    """Stay, deaf to every signal that can be ignored."""
    for number in signal.valid_signals() - {signal.SIGKILL, signal.SIGSTOP}:
        signal.signal(number, signal.SIG_IGN)
    _become(f"{canary.token}-deaf")


def daemonise(canary: Canary) -> None:
    """Leave a daemon: another session where there may be one, another parent."""
    if os.fork() == 0:
        with suppress(OSError):
            os.setsid()
        if os.fork() == 0:
            _become(f"{canary.token}-daemon")
        os._exit(0)
    time.sleep(SECONDS)


def _become(name: str) -> NoReturn:
    os.execv("/bin/sleep", [name, str(SECONDS)])  # noqa: S606 - the point of it


def hoard(canary: Canary) -> str:
    """Hold much memory together, each process little."""
    for _ in range(4):
        if os.fork() == 0:
            hoard = bytearray(os.urandom(1 << 20) * (HOG >> 20))
            time.sleep(canary.hold)
            os._exit(len(hoard) == 0)
    time.sleep(canary.hold)
    return f"{4 * HOG} bytes in 4 processes"


def scratch(canary: Canary) -> str:
    """Hold more in the scratch folder than it may, in files of allowed size."""
    return _filled(tempfile.gettempdir(), canary.scratch, canary)


def shared_memory(canary: Canary) -> str:
    """Hold more in shared memory than it may, in files of allowed size."""
    return _filled("/dev/shm", SHARED_MEMORY, canary)  # noqa: S108 - the guest's own


def _filled(place: str, size: int, canary: Canary) -> str:
    written = 0
    with tempfile.TemporaryDirectory(dir=place, prefix=canary.token) as folder:
        piece = bytes(min(canary.file_size, 1 << 20))
        while written <= size:
            Path(folder, str(written)).write_bytes(piece)
            written += len(piece)
        time.sleep(canary.hold)
    return f"{written} bytes"


def small_files(canary: Canary) -> str:
    """Hold more files than allowed, all empty."""
    with tempfile.TemporaryDirectory() as folder:
        for number in range(canary.files + 1):
            Path(folder, str(number)).touch()
        time.sleep(canary.hold)
    return f"{canary.files + 1} files"


def flood(_canary: Canary) -> str:
    """Print 512 MiB."""
    piece = bytes(1 << 20)
    for _ in range(PRINTED >> 20):
        os.write(2, piece)
    return f"{PRINTED} bytes printed"


def burn(_canary: Canary) -> str:
    """Use more of the processor than allowed: 5 s."""
    while time.process_time() < PROCESSOR_SECONDS:
        pass
    return f"{PROCESSOR_SECONDS} s of processor time"


STAYING: Mapping[str, Callable[[Canary], None]] = {
    "ignoring signals": ignore_signals,
    "daemonising": daemonise,
}
HOLDING: Attacks = {
    "memory of many processes": hoard,
    "filling the scratch folder": scratch,
    "boundless shared memory": shared_memory,
    "many small files": small_files,
    "flooding the output": flood,
    "burning the processor": burn,
}
