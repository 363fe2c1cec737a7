import os
import socket
import struct

import pytest

from analyzers.guest.protocol.child_channel import LIMIT, Wire, WireError, pack, unpack


@pytest.fixture
def ends():
    ours, theirs = socket.socketpair()
    yield Wire(ours.fileno()), theirs
    ours.close()
    theirs.close()


def test_bytes_survive_the_wire(ends) -> None:
    wire, other = ends
    other.sendall(pack({"type": "run", "blobs": {"d": b"\x00\xff"}}))
    assert wire.receive() == {"type": "run", "blobs": {"d": b"\x00\xff"}}


def test_end_of_stream_is_none(ends) -> None:
    wire, other = ends
    other.close()
    assert wire.receive() is None


def test_broken_frame_is_an_error(ends) -> None:
    wire, other = ends
    other.sendall(struct.pack(">I", 100) + b"{}")
    other.shutdown(socket.SHUT_WR)
    with pytest.raises(WireError):
        wire.receive()


def test_long_frames_are_refused(ends) -> None:
    wire, other = ends
    other.sendall(struct.pack(">I", LIMIT + 1))
    with pytest.raises(WireError):
        wire.receive()
    with pytest.raises(WireError):
        pack({"type": "x", "text": "x" * (LIMIT + 1)})


@pytest.mark.parametrize(
    "body", [b"[]", b"{", b'{"type": 1}', b'{"type": "x", "y": {"$bytes": "?"}}', b"[" * 9999]
)
def test_what_is_no_frame_is_refused(body: bytes) -> None:
    with pytest.raises(WireError):
        unpack(body)


def test_numbers_beyond_json_become_text() -> None:
    frame = {"type": "ran", "answer": {"score": float("nan"), "list": [float("inf"), 1.5]}}
    assert unpack(pack(frame)[4:])["answer"] == {"score": "NaN", "list": ["Infinity", 1.5]}


def test_large_frame_crosses_small_pipe() -> None:
    reading, writing = os.pipe()
    if os.fork() == 0:
        os.close(reading)
        Wire(writing).send({"type": "x", "data": b"z" * 3_000_000})
        os._exit(0)
    os.close(writing)
    frame = Wire(reading).receive()
    os.close(reading)
    os.wait()
    assert frame is not None
    assert len(frame["data"]) == 3_000_000
