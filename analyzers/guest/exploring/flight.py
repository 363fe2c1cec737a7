"""What an exploring process runs and since when, in memory that outlives it."""

from __future__ import annotations

import mmap
import struct
import time
from typing import Optional, Tuple

_STATE = struct.Struct("=qdq")
_SIZE = 1 << 20
IDLE, RUNNING = 0, 1


class Flight:
    """The input in flight, known also after the process that ran it has died."""

    def __init__(self) -> None:
        self._memory = mmap.mmap(-1, _SIZE)
        self.end()

    def begin(self, text: bytes) -> None:
        """An input begins."""
        length = min(len(text), _SIZE - _STATE.size)
        self._memory[_STATE.size : _STATE.size + length] = text[:length]
        _STATE.pack_into(self._memory, 0, RUNNING, time.monotonic(), length)

    def end(self) -> None:
        """It has ended."""
        _STATE.pack_into(self._memory, 0, IDLE, 0.0, 0)

    @property
    def now(self) -> Optional[Tuple[str, float]]:
        """The input that runs and since when (monotonic seconds), if one does."""
        state, since, length = _STATE.unpack_from(self._memory)
        if state != RUNNING:
            return None
        text = self._memory[_STATE.size : _STATE.size + length]
        return text.decode("utf-8", "replace"), float(since)
