"""Memory that a child shares with the zygote: where it is, what it has to say."""

from __future__ import annotations

import mmap
import struct
import time
from typing import List

from ..runtime.time_limits import CLOCK
from . import api_calls
from .wire import Wire, pack

IDLE, RUNNING, SENDING, AWAITING = 0, 1, 2, 3
_STATE = struct.Struct("=qqdq")
_SIZE = 1 << 20


class SharedMemory:
    """The probe that runs, since when, and results that wait to be sent.

    The child writes; after its death the zygote sends what is left.
    """

    def __init__(self) -> None:
        self._memory = mmap.mmap(-1, _SIZE)
        self.reset(0)

    def reset(self, index: int) -> None:
        """Begin with a probe."""
        self._put(index, IDLE, 0)

    def _put(self, index: int, state: int, length: int) -> None:
        _STATE.pack_into(self._memory, 0, index, state, time.monotonic(), length)

    @property
    def index(self) -> int:
        """The probe that runs, or else the first that has not run."""
        return int(_STATE.unpack_from(self._memory)[0])

    @property
    def state(self) -> int:
        """What the child is doing."""
        return int(_STATE.unpack_from(self._memory)[1])

    @property
    def since(self) -> float:
        """When it began to (monotonic seconds)."""
        return float(_STATE.unpack_from(self._memory)[2])

    @property
    def _length(self) -> int:
        return int(_STATE.unpack_from(self._memory)[3])

    def enter(self, state: int) -> int:
        """Change the state; return the one before."""
        before = self.state
        self._put(self.index, state, self._length)
        return before

    def run(self, index: int) -> None:
        """A probe begins."""
        self._put(index, RUNNING, self._length)

    def done(self, index: int, result: bytes, wire: Wire) -> None:
        """A probe has ended with a result (its JSON)."""
        length = self._length
        if _STATE.size + length + len(result) + 1 > _SIZE:
            self._put(index + 1, SENDING, length)
            self.flush(wire)
            length = 0
        if _STATE.size + len(result) + 1 > _SIZE:
            self._put(index + 1, SENDING, 0)
            send_results(wire, [result])
        else:
            at = _STATE.size + length
            self._memory[at : at + len(result) + 1] = result + b"\n"
            length += len(result) + 1
        self._put(index + 1, IDLE, length)

    def flush(self, wire: Wire) -> None:
        """Send what waits."""
        length = self._length
        waiting = self._memory[_STATE.size : _STATE.size + length]
        self._put(self.index, SENDING, length)
        if length:
            send_results(wire, waiting.split(b"\n")[:-1])
        self._put(self.index, IDLE, 0)


def send_results(wire: Wire, results: List[bytes]) -> None:
    """Send a ``ran`` frame with results that are JSON already."""
    frame = pack({"type": "ran", "results": []})
    body = frame[4:].replace(b"[]", b"[" + b",".join(results) + b"]")
    wire.write(struct.pack(">I", len(body)) + body)


class HostSupplier:
    """Asks the host; the time it takes is not the tested code's."""

    faithful = True

    def __init__(self, wire: Wire, board: SharedMemory) -> None:
        self._wire = wire
        self._board = board

    def __call__(self, request: api_calls.ApiRequest) -> api_calls.Answer:
        """The host's answer; raises ``Refused``."""
        content = None if request.content is None else bytes(request.content)
        frame = {
            "content": {"$attached": len(content)} if content else content,
            "text": None if request.text is None else str(request.text),
            "uri": None if request.uri is None else str(request.uri),
            "parameters": request.parameters,
        }
        with CLOCK.paused():
            before = self._board.enter(SENDING)
            self._wire.send({"type": "ask", "api": request.api, "request": frame}, content or b"")
            self._board.enter(AWAITING)
            reply = self._wire.receive()
            self._board.enter(before)
        if reply is None or reply["type"] != "answer":
            reason = "the host has gone" if reply is None else reply.get("reason", "")
            raise api_calls.NoAnswer(f"{request.api}: {reason}")
        answer: api_calls.Answer = reply["answer"]
        return answer
