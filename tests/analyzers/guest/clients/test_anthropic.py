"""Messages of Anthropic's clients are answered, with the SDK and without it."""

from importlib.util import find_spec

import pytest

from tests.analyzers.guest.clients.conftest import request_of
from tests.analyzers.guest.guests import literal

WORDS = literal("some words")
SDK = ("installed",) if find_spec("anthropic") else ()


def says(*blocks, **around):
    return ("anthropic.messages", {"content": list(blocks), **around})


def text(said):
    return {"type": "text", "text": said}


CALL = {"type": "tool_use", "id": "t", "name": "book", "input": {"day": "Monday"}}


@pytest.fixture(params=["missing", *SDK])
def python(request: pytest.FixtureRequest) -> str:
    return str(request.param)


@pytest.mark.parametrize(
    ("function", "script", "value"),
    [
        ("verdict", says(text("spam")), "('spam', 'end_turn', 'claude', 12)"),
        (
            "verdict",
            says(text("sp"), stop_reason="max_tokens"),
            "('sp', 'max_tokens', 'claude', 12)",
        ),
        ("later", says(text("so"), CALL, text("on")), "'soon'"),
        ("later", says(), "''"),
        ("called", says(text("I book."), CALL), "(['I book.'], ['Monday'])"),
        ("regional", says(text("hi")), "['hi', 'hi']"),
        ("posted", says(text("hi")), "('hi', 'end_turn')"),
        ("guarded", says(text("no JSON")), "None"),
    ],
)
def test_messages_are_answered(warm, python, function, script, value) -> None:
    assert warm.value(("claude.py", function), WORDS, [script], python) == value


def test_parsed_text_raises(warm, python) -> None:
    ending = warm.run(("claude.py", "plain"), WORDS, [says(text("no JSON"))], python)["ending"]
    assert ending["exception"] == "json.decoder.JSONDecodeError"


@pytest.mark.parametrize(
    ("function", "parameters"),
    [
        ("verdict", {"model": "claude", "max_tokens": 99, "system": "Be brief."}),
        ("posted", {"model": "m", "max_tokens": 9}),
    ],
)
def test_host_is_asked_what_messages_say(warm, python, function, parameters) -> None:
    place, answer = ("claude.py", function), says(text("no"))[1]
    expected = request_of(text="some words", **parameters)
    assert warm.requests(place, WORDS, answer, python) == [expected]


@pytest.mark.skipif(not SDK, reason="anthropic is absent")
@pytest.mark.parametrize(
    ("function", "blocks", "value"),
    [
        (
            "event_types",
            [text("hi")],
            "['message_start', 'content_block_start', 'content_block_delta', 'content_block_delta',"
            " 'content_block_stop', 'message_delta', 'message_stop']",
        ),
        (
            "streamed_text",
            [{"type": "thinking", "thinking": "so", "signature": "x"}, text("hello"), CALL],
            "(['he', 'llo'], ['thinking', 'text', 'tool_use'])",
        ),
    ],
)
def test_stream_brings_blocks_in_parts(warm, python, function, blocks, value) -> None:
    assert warm.value(("claude.py", function), WORDS, [says(*blocks)], python) == value


def test_status_raises_what_the_sdk_has_for_it(warm) -> None:
    refused = ("anthropic.messages", {"Delivery": {"status": 429}})
    for python in SDK:
        ending = warm.run(("claude.py", "verdict"), WORDS, [refused], python)["ending"]
        assert ending["exception"] == "anthropic.RateLimitError"
