"""Answers of language models in the shape that the question asks for."""

import json

import pytest

from analyzers.guest.protocol.api_calls import ApiRequest
from analyzers.guest.search.structured_answers import shaped

KIND = {"type": "string", "enum": ["pothole", "graffiti", "other"]}
CHAT, RESPONSES = "openai.chat_completions", "openai.responses"


def asking(schema, api=CHAT):
    if api == RESPONSES:
        return ApiRequest(api, parameters={"text": {"format": {"schema": schema}}})
    return ApiRequest(api, parameters={"response_format": {"json_schema": {"schema": schema}}})


def of(**fields):
    return {"type": "object", "properties": fields}


@pytest.mark.parametrize(
    ("schema", "text", "shape"),
    [
        (of(kind=KIND), "graffiti", {"kind": "graffiti"}),
        (of(kind=KIND), "a cow", {"kind": "other"}),
        (of(kind=KIND), "", {"kind": "other"}),
        (of(name={"type": "string"}, sure={"type": "number"}), "0.3", {"name": "0.3", "sure": 0.3}),
        (of(count={"type": "integer"}), "many", {"count": 1}),
        (of(found={"type": "boolean"}), "", {"found": False}),
        (of(tags={"type": "array", "items": {"type": "string"}}), "cat", {"tags": ["cat"]}),
        (of(tags={"type": "array", "items": {"type": "string"}}), "", {"tags": []}),
        (of(kind={"anyOf": [{"type": "null"}, KIND]}), "pothole", {"kind": "pothole"}),
        ({**of(kind={"$ref": "#/$defs/Kind"}), "$defs": {"Kind": KIND}}, "x", {"kind": "other"}),
        (of(version={"const": 2}), "x", {"version": 2}),
    ],
)
@pytest.mark.parametrize("api", [CHAT, RESPONSES])
def test_text_stands_where_the_schema_lets_it(schema, text, shape, api):
    assert json.loads(shaped(text, asking(schema, api))) == shape


def test_text_stays_where_no_schema_is_asked_for():
    assert (
        shaped("cat", ApiRequest(CHAT, parameters={"response_format": {"type": "text"}})) == "cat"
    )


def test_object_stays_as_it_is():
    assert shaped('{"kind": "cow"}', asking(of(kind=KIND))) == '{"kind": "cow"}'


def test_schema_that_refers_to_itself_ends():
    schema = {"$ref": "#"}
    assert json.loads(shaped("x", asking(schema))) is None
