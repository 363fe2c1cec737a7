"""What a process runs and since when, in memory that outlives it."""

from __future__ import annotations

import mmap
import struct
import time
from typing import NamedTuple, Optional

_STATE = struct.Struct("=qqdqq")
_SIZE = 1 << 20
IDLE, RUNNING, BROKEN = 0, 1, 2


class Flying(NamedTuple):
    """What runs, since when (monotonic seconds), and which step of the work it is."""

    text: str
    since: float
    step: int


class Flight:
    """The input in flight, known also after the process that ran it has died."""

    def __init__(self) -> None:
        self._memory = mmap.mmap(-1, _SIZE)

    def begin(self, text: bytes, step: int = 0) -> None:
        """An input begins."""
        length = min(len(text), _SIZE - _STATE.size)
        self._memory[_STATE.size : _STATE.size + length] = text[:length]
        begun = self.begun + 1
        _STATE.pack_into(self._memory, 0, RUNNING, begun, time.monotonic(), length, step)

    def end(self) -> None:
        """It has ended."""
        _STATE.pack_into(self._memory, 0, IDLE, self.begun, 0.0, 0, 0)

    def break_off(self) -> None:
        """The process itself fails, whatever it was at."""
        _STATE.pack_into(self._memory, 0, BROKEN, *_STATE.unpack_from(self._memory)[1:])

    @property
    def begun(self) -> int:
        """How many inputs have begun."""
        return int(_STATE.unpack_from(self._memory)[1])

    @property
    def is_broken(self) -> bool:
        """Whether the process itself has failed."""
        return bool(_STATE.unpack_from(self._memory)[0] == BROKEN)

    @property
    def now(self) -> Optional[Flying]:
        """The input that runs, if one does."""
        state, _, since, _, step = _STATE.unpack_from(self._memory)
        return Flying(self._text, float(since), int(step)) if state == RUNNING else None

    @property
    def broke(self) -> Optional[str]:
        """The input at which the process failed, if it was at one."""
        return (self._text or None) if self.is_broken else None

    @property
    def _text(self) -> str:
        length = _STATE.unpack_from(self._memory)[3]
        text = self._memory[_STATE.size : _STATE.size + length]
        return text.decode("utf-8", "replace")
