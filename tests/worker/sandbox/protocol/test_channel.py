import json
import socket
import struct

import pytest

from worker.sandbox.protocol.channel import LIMIT, Channel, ChannelClosed, decoded
from worker.sandbox.protocol.frame_shapes import BadFrame

PREPARED = {
    "type": "prepared",
    "points": ["a.py::f#0:true", "a.py::f#0:false"],
    "parameters": [
        {"name": "x", "kind": "POSITIONAL_OR_KEYWORD", "default": False, "annotation": None}
    ],
    "standins": ["cv2"],
    "notes": [],
}
RETURNED = {"kind": "returned", "value": "None"}
RAISED = {
    "kind": "raised",
    "exception": "IndexError",
    "message": "list index out of range",
    "path": "a.py",
    "line": 3,
    "function": "f",
    "refusal": False,
    "standin": False,
}
ASKED = {"api": "google.vision.label_detection", "part": "content", "digest": "a" * 64, "size": 3}
RESULT = {
    "index": 0,
    "ending": RETURNED,
    "hits": [0, 1],
    "exchanges": [
        {
            "api": "google.vision.label_detection",
            "digest": "d",
            "answer": {"labels": [{"score": 0.5}]},
        }
    ],
    "seconds": 0.01,
}
SEARCHED = {
    "type": "searched",
    "template": {
        "arguments": {"x": {"kind": "content", "form": "path", "blob": None, "suffix": ".png"}}
    },
    "witnesses": [
        {
            "goal": "g",
            "arguments": {"x": {"kind": "literal", "source": "1"}},
            "script": [{"api": "a", "answer": {}}],
            "confirmed": True,
        }
    ],
    "crashes": [{"arguments": {"x": {"kind": "inert"}}, "script": None, "ending": RAISED}],
    "exhausted": ["g"],
    "bound": "lists up to 3",
    "constants": {"g": ["dog"]},
    "obstacle": None,
    "executions": 12,
}


class Pair:
    """Both ends of a channel; the guest's end is in the test's hand."""

    def __init__(self) -> None:
        ours, self.guest = socket.socketpair()
        self.host = Channel(ours)

    def asked(self, kind: str, probes: int = 1) -> "Pair":
        self.host.send({"type": kind, "probes": [{}] * probes})
        self.heard()
        return self

    def prepared(self) -> "Pair":
        self.asked("prepare").says(PREPARED)
        self.host.receive(120)
        return self

    def heard(self) -> dict:
        (length,) = struct.unpack(">I", self.guest.recv(4))
        return json.loads(self.guest.recv(length, socket.MSG_WAITALL))

    def says(self, message: object) -> None:
        payload = json.dumps(message).encode()
        self.guest.sendall(struct.pack(">I", len(payload)) + payload)

    def receives(self, message: object) -> dict:
        self.says(message)
        return self.host.receive(120)


@pytest.fixture
def pair():
    pair = Pair()
    yield pair
    pair.host.close()
    pair.guest.close()


@pytest.mark.parametrize(
    "ending",
    [RETURNED, RAISED, {"kind": "timed-out", "seconds": 1}, {"kind": "not-run", "reason": "r"}],
)
def test_results_arrive_whole(pair, ending):
    pair.prepared().asked("run")
    message = {"type": "ran", "results": [{**RESULT, "ending": ending}]}
    assert pair.receives(message) == message


ARRAY = {
    "kind": "array",
    "type": "Tensor",
    "dtype": "torch.float32",
    "shape": [3],
    "device": "cpu",
    "numbers": [1.0, "nan", 2.5],
    "sum": 3.5,
    "absolute": 3.5,
    "finite": 2,
}
PARTS = {"kind": "parts", "type": "dict", "access": "key", "size": 1, "parts": {"'a'": ARRAY}}


def observed(result=ARRAY, **arguments):
    observation = {"result": result, "arguments": arguments, "random": False}
    return {
        "type": "ran",
        "results": [{**RESULT, "ending": {**RETURNED, "observation": observation}}],
    }


def test_observation_of_a_result_arrives_whole(pair):
    pair.prepared().asked("run")
    message = observed(PARTS, x=ARRAY)
    assert pair.receives(message) == message


@pytest.mark.parametrize(
    "result",
    [
        {**ARRAY, "dtype": "float32'); import os #"},
        {**ARRAY, "type": "Tensor\n"},
        {**ARRAY, "device": "cpu' or '"},
        {**ARRAY, "shape": [0]},
        {**ARRAY, "shape": [-3]},
        {**ARRAY, "numbers": [1.0]},
        {**ARRAY, "numbers": [1.0, 2.0, "many"]},
        {**ARRAY, "kind": "tensor"},
        {**PARTS, "access": "call"},
        {**PARTS, "parts": {"exit()": ARRAY}},
        {**PARTS, "parts": {"'a'": {**ARRAY, "sum": None}}},
    ],
    ids=lambda result: str(result)[:100],
)
def test_forged_observation_is_refused(pair, result):
    pair.prepared().asked("run")
    with pytest.raises(BadFrame):
        pair.receives(observed(result))


def test_forged_name_of_an_argument_is_refused(pair):
    pair.prepared().asked("run")
    with pytest.raises(BadFrame):
        pair.receives(observed(**{"exit()": ARRAY}))


def test_search_arrives_whole(pair):
    assert pair.asked("search").receives(SEARCHED) == SEARCHED


def test_bytes_travel_both_ways(pair):
    pair.host.send({"type": "run", "blobs": {"d": b"\x00\xff"}, "probes": []})
    assert pair.heard()["blobs"] == {"d": {"$bytes": "AP8="}}
    asked = {
        "type": "ask",
        "api": "a",
        "request": {"content": {"$bytes": "AP8="}, "parameters": {}},
    }
    assert pair.receives(asked)["request"]["content"] == b"\x00\xff"


def test_lone_surrogates_become_encodable(pair):
    message = pair.asked("prepare").receives({"type": "unprepared", "reason": "\ud800 \U0001f600"})
    assert message["reason"] == "\N{REPLACEMENT CHARACTER} \U0001f600"


@pytest.mark.parametrize(
    "change",
    [
        {"index": 1},
        {"index": -1},
        {"index": True},
        {"index": "0"},
        {"hits": [2]},
        {"hits": [-1]},
        {"hits": [0.0]},
        {"hits": "01"},
        {"hits": None},
        {"seconds": "1"},
        {"seconds": -1},
        {"seconds": float("nan")},
        {"seconds": float("inf")},
        {"ending": {"kind": "died"}},
        {"ending": {"kind": ["returned"]}},
        {"ending": {**RETURNED, "value": 1}},
        {"ending": {**RAISED, "line": "3"}},
        {"ending": {**RAISED, "refusal": 1}},
        {"ending": None},
        {"exchanges": [{"api": "a", "digest": "d", "answer": []}]},
        {"exchanges": [{"api": "a", "digest": "d"}]},
        {"exchanges": {}},
        {"verdict": "success"},
        {"outside": None},
        {"outside": "example.com:443"},
        {"outside": [443]},
        {"outside": ["x" * 301]},
        {"outside": ["example.com:443"] * 21},
        {"asked": None},
        {"asked": [ASKED] * 101},
        {"asked": [{**ASKED, "part": "parameters"}]},
        {"asked": [{**ASKED, "digest": "A" * 64}]},
        {"asked": [{**ASKED, "digest": "a" * 64 + "\n"}]},
        {"asked": [{**ASKED, "size": -1}]},
        {"asked": [{**ASKED, "text": "x" * 4001}]},
        {"asked": [{**ASKED, "text": None}]},
    ],
    ids=lambda change: str(change)[:80],
)
def test_forged_result_is_refused(pair, change):
    pair.prepared().asked("run")
    with pytest.raises(BadFrame):
        pair.receives({"type": "ran", "results": [{**RESULT, **change}]})


def test_addresses_arrive_with_a_result(pair):
    pair.prepared().asked("run")
    message = {"type": "ran", "results": [{**RESULT, "outside": ["x" * 300] * 20}]}
    assert pair.receives(message) == message


def test_what_was_asked_about_arrives_with_a_result(pair):
    pair.prepared().asked("run")
    asked = [{**ASKED, "text": "x" * 4000}] + [ASKED] * 99
    message = {"type": "ran", "results": [{**RESULT, "asked": asked}]}
    assert pair.receives(message) == message


def test_origin_of_an_exception_arrives(pair):
    pair.prepared().asked("run")
    ending = {**RAISED, "origin": "code", "meant": "labels"}
    message = {"type": "ran", "results": [{**RESULT, "ending": ending}]}
    assert pair.receives(message) == message


@pytest.mark.parametrize("change", [{"origin": "author"}, {"meant": "a\nb"}, {"meant": "a" * 101}])
def test_forged_origin_is_refused(pair, change):
    pair.prepared().asked("run")
    ending = {**RAISED, "origin": "code", "meant": "", **change}
    with pytest.raises(BadFrame):
        pair.receives({"type": "ran", "results": [{**RESULT, "ending": ending}]})


@pytest.mark.parametrize("field", sorted(RESULT))
def test_missing_field_is_refused(pair, field):
    pair.prepared().asked("run")
    result = {name: value for name, value in RESULT.items() if name != field}
    with pytest.raises(BadFrame, match=field):
        pair.receives({"type": "ran", "results": [result]})


@pytest.mark.parametrize(
    ("request_kind", "message"),
    [
        ("prepare", {"type": "done", "ended": None}),
        ("prepare", SEARCHED),
        ("run", PREPARED),
        ("search", {"type": "ask", "api": "a", "request": {"parameters": {}}}),
        ("quit", {"type": "unprepared", "reason": ""}),
        ("prepare", {"type": "approved"}),
        ("prepare", {"type": None}),
        ("prepare", {}),
        ("prepare", []),
        ("prepare", "prepared"),
        ("run", {"type": "done", "ended": {"index": 1, "signal": 9}}),
        ("run", {"type": "done", "ended": {"index": 0, "signal": "9"}}),
        ("run", {"type": "ask", "api": "a", "request": {"content": "text", "parameters": {}}}),
        (
            "run",
            {"type": "ask", "api": "a", "request": {"content": {"$bytes": "?"}, "parameters": {}}},
        ),
    ],
    ids=str,
)
def test_forged_message_is_refused(pair, request_kind, message):
    pair.prepared().asked(request_kind)
    with pytest.raises(BadFrame):
        pair.receives(message)


def test_first_word_is_the_hosts(pair):
    with pytest.raises(BadFrame, match="no reply"):
        pair.receives(PREPARED)


@pytest.mark.parametrize(
    "payload",
    [
        b"",
        b"{",
        b"\xff\xfe",
        b'{"type": "unprepared", "reason": NaN}',
        b'{"type": "unprepared", "reason": ' + b"9" * 10_000 + b"}",
        b"[" * 100_000,
        b"[" * 100_000 + b"]" * 100_000,
        b"[" + b"[]," * (1 << 21) + b"[]]",
        b'{"a": "\xed\xa0\x80"}',
    ],
    ids=lambda payload: repr(payload[:40]),
)
def test_garbage_is_refused(payload):
    with pytest.raises(BadFrame):
        decoded(payload)


def test_deep_answer_is_refused(pair):
    answer: dict = {}
    for _ in range(100):
        answer = {"a": [answer]}
    pair.prepared().asked("run")
    with pytest.raises(BadFrame, match="deeper"):
        pair.receives(
            {
                "type": "ran",
                "results": [
                    {**RESULT, "exchanges": [{"api": "a", "digest": "d", "answer": answer}]}
                ],
            }
        )


def test_oversize_is_refused_unread(pair):
    pair.guest.sendall(struct.pack(">I", LIMIT + 1))
    with pytest.raises(BadFrame, match="announces"):
        pair.host.receive(120)


def test_oversize_of_ours_is_not_sent(pair):
    with pytest.raises(ValueError, match="exceeds"):
        pair.host.send({"type": "run", "blobs": {"d": bytes(LIMIT)}})


def test_end_of_guest_is_told(pair):
    pair.guest.sendall(struct.pack(">I", 10) + b"{")
    pair.guest.close()
    with pytest.raises(ChannelClosed):
        pair.host.receive(120)
    with pytest.raises(ChannelClosed):
        pair.host.send({"type": "quit"})


def test_descriptor_serves_as_channel():
    ours, theirs = socket.socketpair()
    channel = Channel(ours.detach())
    channel.send({"type": "quit"})
    assert theirs.recv(4)
    channel.close()
    theirs.close()
