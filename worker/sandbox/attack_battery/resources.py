"""Ways to use more than one's share, all bounded."""

from __future__ import annotations

import os
import resource
import signal
import tempfile
import time

from .canary import Attacks, Canary

FORKS = 200


def processes(_canary: Canary) -> str:
    """Start 200 sleeping processes."""
    children: list[int] = []
    try:
        for _ in range(FORKS):
            child = os.fork()
            if child == 0:
                time.sleep(10)
                os._exit(0)
            children.append(child)
    finally:
        for child in children:
            os.kill(child, signal.SIGKILL)
    return f"{FORKS} processes"


def address_space(canary: Canary) -> str:
    """Reserve more memory than one process may have."""
    return f"{len(bytearray(canary.address_space))} bytes"


def file_size(canary: Canary) -> str:
    """Make a file longer than allowed, without filling it."""
    with tempfile.TemporaryFile() as file:
        file.truncate(canary.file_size + 1)
        return f"{canary.file_size + 1} bytes"


def open_files(canary: Canary) -> str:
    """Open more files than allowed."""
    for _ in range(canary.open_files):
        os.dup(0)
    return f"{canary.open_files} more files"


def raise_limits(_canary: Canary) -> str:
    """Raise a limit again."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard + 1))
    return f"raised to {hard + 1} open files"


def core_dump(_canary: Canary) -> str:
    """Leave a core dump."""
    soft, hard = resource.getrlimit(resource.RLIMIT_CORE)
    return f"{soft}, {hard}" if soft or hard else ""


ATTACKS: Attacks = {
    "many processes": processes,
    "address space": address_space,
    "a file too long": file_size,
    "many open files": open_files,
    "raising a limit": raise_limits,
    "core dumps": core_dump,
}
