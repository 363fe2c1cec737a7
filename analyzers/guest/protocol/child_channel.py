"""Memory that a child shares with the zygote: where it is, what it has to say."""

from __future__ import annotations

import base64
import binascii
import json
import math
import mmap
import os
import struct
import time
from typing import Any, Dict, List, Mapping, Optional

from ..runtime.time_limits import CLOCK
from . import api_calls

LIMIT = 32 * 1024 * 1024
_HEADER = struct.Struct(">I")


class WireError(Exception):
    """The other side does not speak the protocol."""


def pack(frame: Mapping[str, Any], attached: bytes = b"") -> bytes:
    """Return a frame as bytes, ``attached`` after the JSON; ``WireError`` if too long."""
    try:
        body = _dumped(frame)
    except ValueError:
        body = _dumped(_finite(frame))
    if attached:
        body = b"\0".join((body, attached))
    if len(body) > LIMIT:
        raise WireError(f"a frame of {len(body)} bytes is too long")
    return _HEADER.pack(len(body)) + body


def unpack(body: bytes) -> Dict[str, Any]:
    """The frame that a body holds; raises :class:`WireError`."""
    try:
        frame = json.loads(body, object_hook=_bytes)
    except (ValueError, RecursionError) as error:
        raise WireError(f"not JSON: {error}") from error
    if not isinstance(frame, dict) or not isinstance(frame.get("type"), str):
        raise WireError("not an object with a type")
    return frame


def _dumped(frame: Any) -> bytes:
    text = json.dumps(frame, separators=(",", ":"), default=_unplain, allow_nan=False)
    return text.encode("ascii")


def _finite(value: Any) -> Any:
    """The same with the numbers that JSON lacks as protobuf's JSON writes them."""
    if isinstance(value, float) and not math.isfinite(value):
        return "NaN" if math.isnan(value) else "Infinity" if value > 0 else "-Infinity"
    if isinstance(value, dict):
        return {key: _finite(item) for key, item in value.items()}
    if isinstance(value, (list, tuple)):
        return [_finite(item) for item in value]
    return value


def _unplain(value: Any) -> Any:
    if isinstance(value, (bytes, bytearray, memoryview)):
        return {"$bytes": base64.b64encode(bytes(value)).decode("ascii")}
    return str(value)


def _bytes(value: Dict[str, Any]) -> Any:
    encoded = value.get("$bytes")
    if len(value) != 1 or not isinstance(encoded, str):
        return value
    try:
        return base64.b64decode(encoded, validate=True)
    except (binascii.Error, ValueError) as error:
        raise WireError("not base64") from error


class Wire:
    """One end of the socket, as a file descriptor."""

    def __init__(self, descriptor: int) -> None:
        self.descriptor = descriptor

    def send(self, frame: Mapping[str, Any], attached: bytes = b"") -> None:
        """Write a whole frame."""
        self.write(pack(frame, attached))

    def write(self, data: bytes) -> None:
        """Write packed frames."""
        view = memoryview(data)
        while view:
            view = view[os.write(self.descriptor, view) :]

    def receive(self) -> Optional[Dict[str, Any]]:
        """Read a whole frame; ``None`` at the end of the stream."""
        header = self._read(_HEADER.size)
        if not header:
            return None
        (length,) = _HEADER.unpack(header)
        if length > LIMIT:
            raise WireError(f"a frame of {length} bytes is too long")
        return unpack(self._read(length))

    def _read(self, size: int) -> bytes:
        parts = bytearray()
        while len(parts) < size:
            part = os.read(self.descriptor, min(size - len(parts), 1 << 20))
            if not part:
                if parts:
                    raise WireError("the stream ended inside a frame")
                return b""
            parts += part
        return bytes(parts)


IDLE, RUNNING, SENDING, AWAITING = 0, 1, 2, 3
_STATE = struct.Struct("=qqdq")
_SIZE = 1 << 20


class SharedMemory:
    """The running probe and the child's results; after its death the zygote sends what is left."""

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
        """Return what the child is doing."""
        return int(_STATE.unpack_from(self._memory)[1])

    @property
    def since(self) -> float:
        """Return when it began to (monotonic seconds)."""
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
        """The host's answer; raises ``NoAnswer``."""
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
