"""The host's end of the channel: nothing the guest says is believed unchecked."""

from __future__ import annotations

import base64
import binascii
import json
import re
import socket
import time
from collections.abc import Mapping, Sequence
from contextlib import suppress
from typing import Any, NoReturn

from worker.sandbox.protocol.frame_shapes import BadFrame
from worker.sandbox.protocol.guest_frames import check

LIMIT = 32 * 1024 * 1024
PARTS = 1 << 21
PIECE = 1 << 20
SEND_SECONDS = 60.0
BYTES = "$bytes"
ATTACHED = "$attached"
_SURROGATE = re.compile("[\ud800-\udfff]")
_HEADER = 4
REQUESTS = frozenset(
    {
        "prepare",
        "run",
        "search",
        "explore",
        "observe",
        "record",
        "relate",
        "execute",
        "assemble",
        "resolve",
        "quit",
    }
)


class ChannelClosed(Exception):  # noqa: N818 - a noun of the outside
    """The guest has closed its end, as a rule by ending."""


class ChannelTimeout(Exception):  # noqa: N818 - a noun of the outside
    """The guest did not say, or take, a whole frame in time."""


class Channel:
    """Frames of JSON over a socket (``docs/guest-protocol.md``); after an error end the guest."""

    def __init__(self, sock: socket.socket | int) -> None:
        if isinstance(sock, int):
            sock = socket.socket(fileno=sock)
        self._socket = sock
        self._request: Mapping[str, Any] = {}
        self._points = 0

    def send(self, message: Mapping[str, Any], timeout: float = SEND_SECONDS) -> None:
        """Send one message; ``bytes`` in it may stand anywhere.

        Raises ``ChannelClosed``, ``ChannelTimeout``, ``BadFrame`` (the guest spoke before it was
        asked), or ``ValueError`` for a message that is no JSON or longer than a frame.
        """
        text = json.dumps(message, default=_encoded, allow_nan=False)
        payload = text.encode("ascii")
        if len(payload) > LIMIT:
            raise ValueError(f"a frame of {len(payload)} bytes exceeds {LIMIT}")
        if message["type"] in REQUESTS:
            self._socket.setblocking(False)  # noqa: FBT003 - its only parameter
            with suppress(BlockingIOError, ConnectionError):
                if self._socket.recv(1, socket.MSG_PEEK):
                    raise BadFrame("a reply to nothing")
        self._socket.settimeout(timeout)
        try:
            self._socket.sendall(len(payload).to_bytes(_HEADER, "big") + payload)
        except TimeoutError as error:
            raise ChannelTimeout(f"took no frame in {timeout:g} s") from error
        except OSError as error:
            raise ChannelClosed(str(error)) from error
        if message["type"] in REQUESTS:
            self._request = message

    def send_with(self, message: Mapping[str, Any], descriptors: Sequence[int] = ()) -> None:
        """Send a short message, and descriptors with it; raise as :meth:`send`."""
        payload = json.dumps(message).encode("ascii")
        data = len(payload).to_bytes(_HEADER, "big") + payload
        self._socket.settimeout(SEND_SECONDS)
        try:
            sent = socket.send_fds(self._socket, [data], descriptors)
            self._socket.sendall(data[sent:])
        except TimeoutError as error:
            raise ChannelTimeout(f"took no frame in {SEND_SECONDS:g} s") from error
        except OSError as error:
            raise ChannelClosed(str(error)) from error

    def receive(self, timeout: float) -> dict[str, Any]:
        """Return the next message; raise ``ChannelClosed``, ``ChannelTimeout``, ``BadFrame``."""
        message = decoded(self.frame(timeout))
        check(message, self._request, self._points)
        if message["type"] == "prepared":
            self._points = len(message["points"])
        return message

    def frame(self, timeout: float, limit: int = LIMIT) -> bytes:
        """Return the next frame of at most ``limit`` bytes, unchecked; raise as :meth:`receive`."""
        deadline = time.monotonic() + timeout
        length = int.from_bytes(self._exactly(_HEADER, deadline), "big")
        if length > limit:
            raise BadFrame(f"announces {length} bytes, more than {limit}")
        return self._exactly(length, deadline)

    def close(self) -> None:
        """Close our end."""
        self._socket.close()

    def _exactly(self, count: int, deadline: float) -> bytes:
        received = bytearray()
        while len(received) < count:
            remaining = deadline - time.monotonic()
            if remaining <= 0:
                raise ChannelTimeout("said no whole frame in time")
            self._socket.settimeout(remaining)
            try:
                piece = self._socket.recv(min(count - len(received), PIECE))
            except TimeoutError:
                continue
            except OSError as error:
                raise ChannelClosed(str(error)) from error
            if not piece:
                raise ChannelClosed("the guest has closed the channel")
            received += piece
        return bytes(received)


def _encoded(value: object) -> dict[str, str]:
    if isinstance(value, bytes | bytearray | memoryview):
        return {BYTES: base64.b64encode(value).decode("ascii")}
    raise ValueError(f"{type(value).__name__} is not JSON")


def decoded(payload: bytes) -> dict[str, Any]:
    """Return the object in a payload, or raise ``BadFrame``; lone surrogates become U+FFFD."""
    payload, attaches, attached = payload.partition(b"\0")
    if sum(map(payload.count, (b"{", b"[", b","))) > PARTS:
        raise BadFrame(f"holds more than {PARTS} parts")
    try:
        message = json.loads(
            payload.decode("utf-8"), parse_constant=_refuse, object_pairs_hook=_unique
        )
        if b'"$bytes"' in payload or b"\\ud" in payload or b"\\uD" in payload:
            message = _restored(message)
    except (ValueError, RecursionError) as error:
        raise BadFrame(f"is no JSON: {error}") from error
    if not isinstance(message, dict):
        raise BadFrame("is no object")
    if attaches:
        request = message.get("request") if message.get("type") == "ask" else None
        if not isinstance(request, dict) or request.get("content") != {ATTACHED: len(attached)}:
            raise BadFrame("attaches what it does not name")
        request["content"] = attached
    return message


def _refuse(constant: str) -> NoReturn:
    raise BadFrame(f"holds {constant}, which is no JSON")


def _unique(pairs: list[tuple[str, object]]) -> dict[str, object]:
    found = dict(pairs)
    if len(found) < len(pairs):
        raise BadFrame("holds an object with a name twice")
    return found


def _restored(value: object) -> object:
    """Return ``value`` with its bytes decoded and its text made encodable."""
    if isinstance(value, str):
        return _SURROGATE.sub("\N{REPLACEMENT CHARACTER}", value)
    if isinstance(value, list):
        return [_restored(item) for item in value]
    if isinstance(value, dict):
        if value.keys() == {BYTES} and isinstance(value[BYTES], str):
            try:
                return base64.b64decode(value[BYTES], validate=True)
            except (binascii.Error, ValueError) as error:
                raise BadFrame("holds bytes that are not base64") from error
        return {_restored(key): _restored(item) for key, item in value.items()}
    return value
