"""Answers take a shape only where the question allows it."""

import json

import pytest

from analyzers.guest.protocol.api_calls import ApiRequest
from analyzers.guest.search.answer_models.chat_answers import (
    CHAT,
    COHERE,
    CONTENT,
    CONVERSE,
    HUB,
    MESSAGE,
    RESPONSE,
)
from analyzers.guest.search.answer_shapes import ShapedAnswers, in_shape

TOOL = {"name": "book", "parameters": {"type": "object", "properties": {"day": {}}}}
TOOLS = {"tools": [{"type": "function", "function": TOOL}]}
STRICT = {"tools": [{"type": "function", "function": {**TOOL, "strict": True}}]}
SCHEMA = {"response_format": {"json_schema": {"schema": {"type": "object"}}}}
THINKING = {"thinking": {"type": "enabled", "budget_tokens": 2048}}
REASONING = {"additionalModelRequestFields": {"reasoning_config": {"type": "enabled"}}}
FLAT = {"tools": [TOOL]}
LIMITED = {"max_tokens": 9, "stream": {"cut": True}}
CHAT_API = "openai.chat_completions"
APIS = {
    "openai.chat_completions": CHAT,
    "anthropic.messages": MESSAGE,
    "gemini.generate_content": CONTENT,
    "aws.bedrock-runtime.converse": CONVERSE,
    "openai.responses": RESPONSE,
    "huggingface.chat_completion": HUB,
    "cohere.chat": COHERE,
}


def shaped(api, name, stream=None, **parameters):
    """The plain answer, and the one in the shape."""
    plain = APIS[api].answer("hello there")
    request = ApiRequest(api, parameters=parameters, stream=stream or {})
    return plain, in_shape(name, request, plain)


@pytest.mark.parametrize(
    ("api", "name", "parameters"),
    [
        ("openai.chat_completions", "tool-call", TOOLS),
        ("openai.chat_completions", "tool-call-with-text", TOOLS),
        ("openai.chat_completions", "arguments-cut", {**TOOLS, "max_tokens": 9}),
        ("openai.chat_completions", "arguments-no-json", TOOLS),
        ("openai.chat_completions", "refusal", SCHEMA),
        ("openai.chat_completions", "cut", {"max_completion_tokens": 9}),
        ("openai.chat_completions", "usage-chunk", {"stream": {"usage": True}}),
        ("openai.chat_completions", "filter-chunk", {"stream": {"filtered": True}}),
        ("anthropic.messages", "tool-call", {"tools": [{"name": "book", "input_schema": {}}]}),
        ("anthropic.messages", "thinking", THINKING),
        ("gemini.generate_content", "cut-empty", {"max_output_tokens": 9}),
        ("aws.bedrock-runtime.converse", "thinking", REASONING),
        ("openai.responses", "tool-call", {"tools": [{"type": "function", **TOOL}]}),
        ("openai.responses", "tool-call-with-text", {"tools": [{"type": "function", **TOOL}]}),
        ("openai.responses", "thinking", {"reasoning": {"effort": "low"}}),
        ("openai.responses", "refusal", {"text": {"format": {"schema": {"type": "object"}}}}),
        ("openai.responses", "incomplete", {"max_output_tokens": 9}),
        ("openai.responses", "cut-empty", {"reasoning": {"effort": "low"}, "max_output_tokens": 9}),
        ("openai.responses", "arguments-cut", {**FLAT, "max_output_tokens": 9}),
        ("openai.responses", "failed", {"stream": {"padded": True}}),
        ("openai.responses", "failed", {"background": True}),
        ("anthropic.messages", "stream-arguments-cut", {**FLAT, **LIMITED}),
        ("anthropic.messages", "text-and-tool-call", FLAT),
        ("aws.bedrock-runtime.converse", "stream-arguments-cut", {**FLAT, **LIMITED}),
        ("huggingface.chat_completion", "tool-call", TOOLS),
        ("cohere.chat", "tool-call", TOOLS),
        ("cohere.chat", "tool-call-with-text", TOOLS),
        ("cohere.chat", "thinking", THINKING),
    ],
)
def test_shape_is_taken_only_where_the_request_allows_it(api, name, parameters):
    plain, other = shaped(api, name, **parameters)
    assert other != plain
    assert shaped(api, name) == (plain, plain)


@pytest.mark.parametrize(
    ("name", "parameters"),
    [
        ("tool-call", {**TOOLS, "tool_choice": "none"}),
        ("arguments-cut", TOOLS),
        ("arguments-no-json", {**TOOLS, "max_tokens": 9}),
        ("arguments-no-json", STRICT),
        ("fenced", SCHEMA),
        ("usage-chunk", {"stream": {"usage": False}}),
    ],
)
def test_request_rules_a_shape_out(name, parameters):
    plain, other = shaped("openai.chat_completions", name, **parameters)
    assert other == plain


@pytest.mark.parametrize(
    ("api", "name", "parameters"),
    [
        ("openai.responses", "incomplete", {}),
        ("openai.responses", "cut-empty", {"max_output_tokens": 9}),
        ("openai.responses", "failed", {"max_output_tokens": 9}),
        ("openai.responses", "refusal", {"response_format": {"type": "json_object"}}),
        ("anthropic.messages", "text-and-tool-call", {"tools": [{"name": "book"}]}),
        ("anthropic.messages", "stream-arguments-cut", {**FLAT, "max_tokens": 9}),
    ],
)
def test_other_request_rules_a_shape_out(api, name, parameters):
    plain, other = shaped(api, name, **parameters)
    assert other == plain


def test_response_says_that_it_is_cut_off():
    _, answer = shaped("openai.responses", "incomplete", max_output_tokens=9)
    (part,) = answer["output"][0]["content"]
    assert (part["text"], answer["status"]) == ("hello", "incomplete")
    _, answer = shaped("openai.responses", "arguments-cut", **FLAT, max_output_tokens=9)
    assert answer["output"][0]["status"] == "incomplete"


def test_thoughts_come_before_the_text():
    _, answer = shaped("anthropic.messages", "thinking", **THINKING)
    assert [block["type"] for block in answer["content"]] == ["thinking", "text"]
    _, answer = shaped("aws.bedrock-runtime.converse", "thinking", **REASONING)
    first, second = answer["output"]["message"]["content"]
    assert (list(first), second) == (["reasoningContent"], {"text": "hello there"})


def test_blocked_answers_of_gemini_have_no_text():
    assert "candidates" not in shaped("gemini.generate_content", "blocked-prompt")[1]
    (candidate,) = shaped("gemini.generate_content", "blocked-answer")[1]["candidates"]
    assert (candidate["finish_reason"], "content" in candidate) == ("SAFETY", False)


def test_arguments_are_cut_in_the_middle():
    _, answer = shaped("openai.chat_completions", "arguments-cut", **TOOLS, max_tokens=9)
    (call,) = answer["choices"][0]["message"]["tool_calls"]
    with pytest.raises(json.JSONDecodeError):
        json.loads(call["function"]["arguments"])


ENDINGS = {
    "openai.chat_completions": ("choices", 0, "finish_reason", "length"),
    "openai.responses": ("status", "incomplete"),
    "anthropic.messages": ("stop_reason", "max_tokens"),
    "gemini.generate_content": ("candidates", 0, "finish_reason", "MAX_TOKENS"),
    "aws.bedrock-runtime.converse": ("stopReason", "max_tokens"),
    "cohere.chat": ("finish_reason", "MAX_TOKENS"),
}


@pytest.mark.parametrize("api", ENDINGS)
def test_short_limit_cuts_the_json_that_is_asked_for(api):
    plain = APIS[api].answer('{"day": "Monday"}')

    def cut(text="Answer in JSON.", **parameters):
        return in_shape("json-cut", ApiRequest(api, text=text, parameters=parameters), plain)

    *path, reason = ENDINGS[api]
    answer = cut(max_tokens=200)
    assert '"Monday"' not in json.dumps(answer)
    for step in path:
        answer = answer[step]
    assert answer == reason
    assert cut(max_tokens=4096) == cut() == cut(text="Be brief.", max_tokens=200) == plain
    schema = {"response_format": {"json_schema": {"schema": {"type": "object"}}}}
    assert cut(text="Be brief.", max_tokens=200, **schema) != plain
    prose = APIS[api].answer("hello there")
    asked = ApiRequest(api, text="JSON", parameters={"max_tokens": 200})
    assert in_shape("json-cut", asked, prose) == prose


def test_schema_that_is_put_in_words_is_kept_to():
    schema = {"type": "object", "properties": {"day": {"type": "string"}}}
    text = f"Use {{braces}}. Answer with JSON of this schema: {json.dumps(schema)}"
    plain = CHAT.answer("Monday")
    asked = ApiRequest(CHAT_API, text=text)
    assert in_shape("plain", asked, plain) == CHAT.answer('{"day": "Monday"}')
    assert in_shape("plain", ApiRequest(CHAT_API, text="{}"), plain) == plain
    fenced = in_shape("plain fenced", asked, plain)["choices"][0]["message"]["content"]
    assert fenced == '```json\n{"day": "Monday"}\n```'


def test_only_what_names_a_shape_is_changed():
    plain = CHAT.answer("hello")
    script = [
        {"api": "openai.chat_completions", "answer": {"shape": "plain fenced", "of": plain}},
        {"api": "openai.chat_completions", "answer": plain},
    ]
    answers = ShapedAnswers(script)
    request = ApiRequest("openai.chat_completions")
    fenced = CHAT.answer("```json\nhello\n```")
    assert [answers(request), answers(request), answers(request)] == [fenced, plain, plain]


@pytest.mark.parametrize(
    ("name", "text", "written"),
    [
        ("fenced", '{"a": 1}', '```json\n{"a": 1}\n```'),
        ("prefixed", '{"a": 1}', 'Here is the JSON you asked for:\n\n{"a": 1}'),
        ("trailing-comma", '{"a": 1}', '{"a": 1,}'),
        ("trailing-comma", "a: 1", "a: 1"),
        ("array", '{"a": 1}', '[{"a": 1}]'),
        ("array", "[1]", "[1]"),
        ("missing-key", '{"a": 1, "b": 2}', '{"b": 2}'),
        ("missing-key", "no JSON", "no JSON"),
    ],
)
def test_json_asked_for_in_words_is_written_otherwise(name, text, written):
    plain = CHAT.answer(text)
    assert in_shape(name, ApiRequest(CHAT_API), plain) == CHAT.answer(written)
    asked = ApiRequest(CHAT_API, parameters={"response_format": {"type": "json_object"}})
    assert in_shape(name, asked, plain) == plain
