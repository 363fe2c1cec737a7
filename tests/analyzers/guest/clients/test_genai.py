"""Requests of Google's SDKs of generative models are answered, with the SDK and without it."""

from importlib.util import find_spec
from types import SimpleNamespace

import pytest
from pydantic import BaseModel

from analyzers.guest.clients.genai_standins import shape_of, with_parsed, with_schema
from tests.analyzers.guest.clients.conftest import request_of
from tests.analyzers.guest.guests import literal

WORDS = literal("some words")
SDK = ("installed",) if find_spec("google.genai") else ()
CALL = {"function_call": {"name": "book", "args": {"day": "Monday"}}}


def says(*parts, reason="STOP", **around):
    content = {"content": {"role": "model", "parts": list(parts)}} if parts else {}
    return ("gemini.generate_content", {"candidates": [{"finish_reason": reason, **content}]})


def text(said):
    return {"text": said}


@pytest.fixture(params=["missing", *SDK])
def python(request: pytest.FixtureRequest) -> str:
    return str(request.param)


@pytest.mark.skipif(not SDK, reason="google-genai is absent")
@pytest.mark.parametrize("function", ["streamed", "later_streamed"])
def test_stream_brings_the_text_in_parts(warm, function) -> None:
    script = [says(text("hello"))]
    assert warm.value(("gemini.py", function), WORDS, script, "installed") == "['he', 'llo']"
    blocked = [("gemini.generate_content", {"prompt_feedback": {"block_reason": "SAFETY"}})]
    assert warm.value(("gemini.py", function), WORDS, blocked, "installed") == "[None]"


@pytest.mark.parametrize(
    ("function", "script", "value"),
    [
        ("verdict", says(text("spam")), "('spam', True)"),
        ("conversed", says(text("hi")), "('hi', 18)"),
        ("later", says(text("so"), text("on")), "'soon'"),
        ("ended", says(reason="SAFETY"), "(None, 'SAFETY')"),
        ("ended", says(text("half"), reason="MAX_TOKENS"), "('half', 'MAX_TOKENS')"),
        ("called", says(CALL), "[('book', 'Monday')]"),
        ("posted", says(text("hi")), "('hi', 'STOP')"),
        ("guarded", says(text("no JSON")), "None"),
    ],
)
def test_content_is_answered(warm, python, function, script, value) -> None:
    assert warm.value(("gemini.py", function), WORDS, [script], python) == value


def test_first_generation_is_answered(warm) -> None:
    place = ("gemini_first.py", "verdict")
    assert warm.value(place, WORDS, [says(text("spam "))], "missing") == "'spam'"


def test_text_of_the_first_generation_raises_where_there_is_none(warm) -> None:
    blocked = ("gemini.generate_content", {"prompt_feedback": {"block_reason": "SAFETY"}})
    for name in ("verdict", "chatted"):
        assert warm.value(("gemini_first.py", name), WORDS, [says(text("hi"))], "missing") == "'hi'"
        for script in (blocked, says(reason="SAFETY")):
            ran = warm.run(("gemini_first.py", name), WORDS, [script], "missing")
            assert ran["ending"]["exception"] == "ValueError"
    assert warm.value(("gemini_first.py", "guarded"), WORDS, [blocked], "missing") == "None"


def test_parsed_text_raises(warm, python) -> None:
    ending = warm.run(("gemini.py", "plain"), WORDS, [says(text("no JSON"))], python)["ending"]
    assert ending["exception"] == "json.decoder.JSONDecodeError"


@pytest.mark.parametrize(
    ("file", "function", "parameters"),
    [
        ("gemini.py", "verdict", {"model": "gemini", "temperature": 0}),
        ("gemini_first.py", "formed", {"response_mime_type": "application/json"}),
    ],
)
def test_host_is_asked_what_contents_say(warm, file, function, parameters) -> None:
    expected = request_of(text="some words", **parameters)
    asked = warm.requests((file, function), WORDS, says(text("1"))[1], "missing")
    assert asked == [expected]


@pytest.mark.parametrize("file", ["gemini.py", "gemini_first.py"])
def test_standin_streams_in_parts(warm, file) -> None:
    assert warm.value((file, "streamed"), WORDS, [says(text("1234"))], "missing") == "['12', '34']"


class Mood(BaseModel):
    mood: str


@pytest.mark.parametrize(
    ("shape", "said", "parsed"),
    [
        (Mood, '{"mood": "glad"}', Mood(mood="glad")),
        (list[Mood], '[{"mood": "sad"}]', [Mood(mood="sad")]),
        (Mood, "I cannot say.", None),
    ],
)
def test_text_is_read_as_the_type_that_is_asked_for(shape, said, parsed) -> None:
    options = {"config": {"response_schema": shape}}
    assert shape_of(options) is shape
    assert with_schema(options, shape)["config"]["response_schema"]["type"] in ("object", "array")
    assert with_parsed(SimpleNamespace(text=said), shape).parsed == parsed


def test_schema_of_a_request_stays_as_it_is() -> None:
    assert shape_of({"config": {"response_schema": {"type": "OBJECT"}}}) is None
