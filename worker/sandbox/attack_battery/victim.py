"""The zygote's memory, attacked from the child in which a tested function runs.

The real guest loads this file as a tested project's.
"""

import ctypes
import os
from pathlib import Path

MARK = ctypes.create_string_buffer(b"whole")


def rewrite() -> str:
    """Overwrite ``MARK`` in the zygote's memory and read it back."""
    with Path(f"/proc/{os.getppid()}/mem").open("r+b", buffering=0) as memory:
        memory.seek(ctypes.addressof(MARK))
        memory.write(b"holed")
        memory.seek(ctypes.addressof(MARK))
        return memory.read(5).decode()
