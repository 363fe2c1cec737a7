"""Language models answer as the request lets them: text, JSON, tools, refusals, half a text."""

import json

import pytest

from analyzers.guest.protocol.api_calls import ApiRequest
from analyzers.guest.search.answer_models.chat_answers import (
    CALLED,
    CHAT,
    CONTENT,
    CONVERSE,
    CUT,
    MESSAGE,
    REFUSAL,
    REFUSED,
)
from analyzers.guest.search.code_constants import ConstantPool
from analyzers.guest.search.structured_answers import shaped

TOOL = {
    "type": "function",
    "function": {
        "name": "book",
        "parameters": {"type": "object", "properties": {"day": {"type": "string"}}},
    },
}
SCHEMA = {"type": "object", "properties": {"mood": {"enum": ["glad", "sad"]}}}
STRICT = {"type": "json_schema", "json_schema": {"schema": SCHEMA}}


def answered(knobs, keys=("mood",), **parameters):
    request = ApiRequest("openai.chat_completions", parameters=parameters)
    (choice,) = CHAT.answer(shaped(knobs, request, keys))["choices"]
    return choice["message"], choice["finish_reason"]


@pytest.mark.parametrize("knobs", ["hello", (CALLED, "hello"), (REFUSED, "hello"), (CUT, "hello")])
def test_request_for_text_gets_text_alone(knobs):
    assert answered(knobs) == ({"role": "assistant", "content": "hello"}, "stop")


@pytest.mark.parametrize("knobs", ["hello", (CALLED, "hello")])
@pytest.mark.parametrize("choice", ["required", {"type": "function", "function": {"name": "book"}}])
def test_forced_tool_is_called(knobs, choice):
    message, reason = answered(knobs, tools=[TOOL], tool_choice=choice)
    (call,) = message["tool_calls"]
    assert (reason, "content" in message) == ("tool_calls", False)
    assert json.loads(call["function"]["arguments"]) == {"day": "hello"}


def test_free_tool_may_be_called_or_not():
    assert "tool_calls" in answered((CALLED, "x"), tools=[TOOL])[0]
    assert answered("x", tools=[TOOL])[0]["content"] == "x"
    assert answered((CALLED, "x"), tools=[TOOL], tool_choice="none")[0]["content"] == "x"


def test_json_is_answered_where_it_is_asked_for():
    message, _ = answered("hello", response_format={"type": "json_object"})
    assert json.loads(message["content"]) == {"mood": "hello"}
    message, _ = answered('{"a": 1}', response_format={"type": "json_object"})
    assert message["content"] == '{"a": 1}'


def test_schema_may_be_refused_but_free_text_may_not():
    message, _ = answered((REFUSED, REFUSAL), response_format=STRICT)
    assert message == {"role": "assistant", "refusal": REFUSAL}
    assert json.loads(answered("glad", response_format=STRICT)[0]["content"]) == {"mood": "glad"}


def test_text_is_cut_only_at_a_limit():
    message, reason = answered((CUT, '{"mood": "sad"}'), response_format=STRICT, max_tokens=9)
    assert reason == "length"
    with pytest.raises(ValueError, match=r"Unterminated|Expecting"):
        json.loads(message["content"])
    assert answered((CUT, "x"), response_format=STRICT)[1] == "stop"
    message, reason = answered((CUT, '{"mood": "sad"}'), response_format=STRICT, max_tokens=4096)
    assert (json.loads(message["content"]), reason) == ({"mood": "sad"}, "length")


BLOCKS = {"name": "book", "input_schema": TOOL["function"]["parameters"]}
FORMED = {"output_config": {"format": {"type": "json_schema", "schema": SCHEMA}}}


def told(knobs, **parameters):
    answer = MESSAGE.answer(shaped(knobs, ApiRequest("anthropic.messages", parameters=parameters)))
    return answer["content"], answer["stop_reason"]


@pytest.mark.parametrize("knobs", ["hello", (CALLED, "hello"), (REFUSED, "hello"), (CUT, "hello")])
def test_request_for_text_gets_one_block_of_it(knobs):
    (block,), reason = told(knobs)
    assert (block["type"], block["text"], reason) == ("text", "hello", "end_turn")


@pytest.mark.parametrize(
    ("choice", "called"),
    [
        ({"type": "tool", "name": "book"}, True),
        ({"type": "any"}, True),
        ({"type": "auto"}, False),
        ({"type": "none"}, False),
        (None, False),
    ],
)
def test_block_of_a_tool_is_in_place_of_text(choice, called):
    (block,), reason = told("x", tools=[BLOCKS], tool_choice=choice)
    assert (block["type"] == "tool_use", reason == "tool_use") == (called, called)
    assert not called or (block["name"], block["input"]) == ("book", {"day": "x"})


def test_free_tool_may_be_called_by_a_block():
    assert told((CALLED, "x"), tools=[BLOCKS], tool_choice={"type": "auto"})[1] == "tool_use"


def test_refused_schema_has_no_blocks_and_a_cut_one_says_so():
    assert told((REFUSED, REFUSAL), **FORMED) == ([], "refusal")
    (block,), _ = told("glad", **FORMED)
    assert json.loads(block["text"]) == {"mood": "glad"}
    assert told((CUT, "some words"), max_tokens=9)[1] == "max_tokens"


def generated(knobs, **parameters):
    request = ApiRequest("gemini.generate_content", parameters=parameters)
    (candidate,) = CONTENT.answer(shaped(knobs, request, ("mood",)))["candidates"]
    parts = candidate.get("content", {}).get("parts", [])
    return [part.get("text", part.get("function_call")) for part in parts], candidate[
        "finish_reason"
    ]


DECLARED = [{"functionDeclarations": [TOOL["function"]]}]
UPPER = {"type": "OBJECT", "properties": {"mood": {"type": "STRING"}}}


@pytest.mark.parametrize(
    ("knobs", "parameters", "expected"),
    [
        ("hello", {}, (["hello"], "STOP")),
        ((REFUSED, "hello"), {}, (["hello"], "STOP")),
        ("hello", {"response_mime_type": "application/json"}, (['{"mood": "hello"}'], "STOP")),
        ("hello", {"response_schema": UPPER}, (['{"mood": "hello"}'], "STOP")),
        ((REFUSED, REFUSAL), {"response_schema": UPPER}, ([], "SAFETY")),
        ((CUT, "some words"), {"max_output_tokens": 9}, (["some "], "MAX_TOKENS")),
        ("x", {"tools": DECLARED}, (["x"], "STOP")),
        (
            (CALLED, "x"),
            {"tools": DECLARED},
            ([{"name": "book", "args": {"day": "x"}}], "STOP"),
        ),
    ],
)
def test_content_is_what_the_configuration_asks_for(knobs, parameters, expected):
    assert generated(knobs, **parameters) == expected


SPECIFIED = [{"toolSpec": {"name": "book", "inputSchema": {"json": BLOCKS["input_schema"]}}}]
STRUCTURED = {"structure": {"jsonSchema": {"schema": json.dumps(SCHEMA)}}}


@pytest.mark.parametrize(
    ("knobs", "parameters", "block", "reason"),
    [
        ("hello", {}, {"text": "hello"}, "end_turn"),
        ("glad", {"text_format": STRUCTURED}, {"text": '{"mood": "glad"}'}, "end_turn"),
        ((CUT, "some words"), {"max_tokens": 9}, {"text": "some "}, "max_tokens"),
        ("x", {"tools": SPECIFIED, "tool_choice": {"auto": {}}}, {"text": "x"}, "end_turn"),
        (
            "x",
            {"tools": SPECIFIED, "tool_choice": {"tool": {"name": "book"}}},
            {"toolUse": {"toolUseId": "tool-1", "name": "book", "input": {"day": "x"}}},
            "tool_use",
        ),
        (
            "x",
            {"tools": SPECIFIED, "tool_choice": {"any": {}}},
            {"toolUse": {"toolUseId": "tool-1", "name": "book", "input": {"day": "x"}}},
            "tool_use",
        ),
    ],
)
def test_block_holds_what_it_is(knobs, parameters, block, reason):
    request = ApiRequest("aws.bedrock-runtime.converse", parameters=parameters)
    answer = CONVERSE.answer(shaped(knobs, request))
    assert answer["output"]["message"]["content"] == [block]
    assert answer["stopReason"] == reason


def test_seeds_hold_the_legal_variations_of_json():
    seeds = list(CHAT.seeds(ConstantPool(["mood"], [], [])))
    texts = [seed for seed in seeds if isinstance(seed, str)]
    assert any(text.startswith("```json") for text in texts)
    assert any(text.startswith("Here is") for text in texts)
    assert any(text.endswith(",}") for text in texts)
    assert {seed[0] for seed in seeds if isinstance(seed, tuple)} == {CALLED, REFUSED, CUT}
