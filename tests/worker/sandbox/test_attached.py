"""A question's file follows its JSON as it is."""

import json

import pytest

from analyzers.guest.protocol.child_channel import pack
from worker.sandbox.protocol.channel import decoded
from worker.sandbox.protocol.frame_shapes import BadFrame


def asked(content, **more):
    request = {"content": content, "text": None, "uri": None, "parameters": {}}
    return {"type": "ask", "api": "a", "request": request, **more}


def payload(message, attached=None):
    text = json.dumps(message).encode()
    return text if attached is None else text + b"\0" + attached


@pytest.mark.parametrize("content", [b"x", b"\x00\x00", b'{"type": "done"}\x00', b"\xff" * 100_000])
def test_attached_file_arrives_whole(content):
    frame = pack(asked({"$attached": len(content)}), content)
    assert len(frame) < len(content) + 200
    assert decoded(frame[4:])["request"]["content"] == content


def test_file_may_still_be_written_in_base64():
    assert decoded(pack(asked(b"\x00\xff"))[4:])["request"]["content"] == b"\x00\xff"


@pytest.mark.parametrize(
    ("message", "attached"),
    [
        (asked({"$attached": 3}), b"four"),
        (asked({"$attached": 5}), b"four"),
        (asked({"$attached": -4}), b"four"),
        (asked({"$attached": "4"}), b"four"),
        (asked({"$attached": 4, "more": 1}), b"four"),
        (asked(None), b"four"),
        (asked(None), b""),
        (asked("text"), b"four"),
        ({"type": "ask", "api": "a", "request": []}, b"four"),
        ({"type": "ask", "api": "a"}, b"four"),
        ({"type": "done", "ended": None, "request": {"content": {"$attached": 4}}}, b"four"),
        ([], b"four"),
    ],
    ids=str,
)
def test_attachment_that_is_not_named_is_refused(message, attached):
    with pytest.raises(BadFrame):
        decoded(payload(message, attached))
