"""What a process that tries calls may use of the machine."""

from __future__ import annotations

import faulthandler
import mmap
import os
import resource
import sys
from pathlib import Path

GIBIBYTE = 1 << 30


def limit(memory: int) -> None:
    """Let this process allocate ``memory`` bytes more, use one thread, and stay silent."""
    _address_space(memory)
    resource.setrlimit(resource.RLIMIT_CORE, (0, resource.getrlimit(resource.RLIMIT_CORE)[1]))
    faulthandler.disable()
    null = os.open(os.devnull, os.O_RDWR)
    for stream in (0, 1, 2):
        os.dup2(null, stream)
    torch = sys.modules.get("torch")
    if torch is not None:
        torch.set_num_threads(1)


def _address_space(memory: int) -> None:
    pages = int(Path("/proc/self/statm").read_text(encoding="ascii").split()[0])
    most = pages * mmap.PAGESIZE + memory
    _, hard = resource.getrlimit(resource.RLIMIT_AS)
    most = most if hard == resource.RLIM_INFINITY else min(most, hard)
    resource.setrlimit(resource.RLIMIT_AS, (most, hard))
