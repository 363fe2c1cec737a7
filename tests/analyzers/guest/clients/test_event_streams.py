"""Events of streams are those that the SDKs declare, and end as the answer does."""

import pytest
from botocore.model import ServiceModel
from botocore.session import get_session
from openai.types.responses import ResponseStreamEvent
from pydantic import TypeAdapter

from analyzers.guest.clients.event_streams import (
    cohere_events,
    completion_chunks,
    content_parts,
    converse_events,
    message_events,
    response_events,
)

EVENT = TypeAdapter(ResponseStreamEvent)
AROUND = {
    "id": "resp_1",
    "object": "response",
    "created_at": 0.0,
    "model": "m",
    "parallel_tool_calls": True,
    "tool_choice": "auto",
    "tools": [],
}
MESSAGE = {"type": "message", "id": "msg_1", "role": "assistant", "status": "completed"}
TEXT = {"type": "output_text", "text": "hello there", "annotations": []}
REFUSED = {"type": "refusal", "refusal": "I cannot do that."}
CALL = {
    "type": "function_call",
    "id": "fc_1",
    "call_id": "call_1",
    "name": "book",
    "arguments": '{"day": "Monday"}',
    "status": "completed",
}
USE = {"toolUse": {"toolUseId": "t", "name": "book", "input": {"day": "Monday"}}}
TOOL_USE = {"type": "tool_use", "id": "t", "name": "book", "input": {"day": "Monday"}}


def response(*output, **more):
    return {**AROUND, "output": list(output), **more}


@pytest.mark.parametrize(
    ("wire", "kinds", "end"),
    [
        (response({**MESSAGE, "content": [TEXT]}), {"response.output_text.delta"}, "completed"),
        (response({**MESSAGE, "content": [REFUSED]}), {"response.refusal.delta"}, "completed"),
        (response(CALL), {"response.function_call_arguments.delta"}, "completed"),
        (
            response(
                {**MESSAGE, "content": [TEXT]},
                status="incomplete",
                incomplete_details={"reason": "max_output_tokens"},
            ),
            {"response.output_text.delta"},
            "incomplete",
        ),
        (
            response(status="failed", error={"code": "server_error", "message": "It failed."}),
            set(),
            "failed",
        ),
    ],
)
def test_events_of_a_response_are_those_of_the_sdk(wire, kinds, end):
    events = [EVENT.validate_python(each) for each in response_events(wire)]
    assert kinds == {each.type for each in events if each.type.endswith(".delta")}
    assert events[-1].type == f"response.{end}"
    assert [each.sequence_number for each in events] == list(range(len(events)))


def test_event_of_an_error_ends_a_response_that_breaks_off():
    whole = response({**MESSAGE, "content": [TEXT]})
    *events, last = response_events({**whole, "Delivery": {"broken": True}})
    assert EVENT.validate_python(last).type == "error"
    assert not {each["type"] for each in events} & {"response.completed", "response.failed"}
    assert last["sequence_number"] == len(events) < len(response_events(whole)) - 1


def test_error_stands_for_the_second_half_of_a_content():
    candidate = {"index": 0, "content": {"role": "model", "parts": [{"text": "hello there"}]}}
    first, last = content_parts({"candidates": [candidate], "Delivery": {"broken": True}})
    assert first["candidates"][0]["content"]["parts"] == [{"text": "hello"}]
    assert last["error"]["code"] == 500


def test_refusal_comes_in_parts():
    events = response_events(response({**MESSAGE, "content": [REFUSED]}))
    said = [each["delta"] for each in events if each["type"] == "response.refusal.delta"]
    assert (len(said), "".join(said)) == (2, REFUSED["refusal"])
    message = {"role": "assistant", "refusal": REFUSED["refusal"]}
    chunks = completion_chunks({"object": "chat.completion", "choices": [{"message": message}]})
    deltas = [chunk["choices"][0]["delta"] for chunk in chunks]
    assert "".join(each.get("refusal", "") for each in deltas) == REFUSED["refusal"]


def converse(*blocks, **more):
    around = {"stopReason": "end_turn", "usage": {"inputTokens": 1}, "metrics": {"latencyMs": 1}}
    return {"output": {"message": {"role": "assistant", "content": list(blocks)}}, **around, **more}


@pytest.mark.parametrize("block", [{"text": "hello there"}, USE])
def test_events_of_a_conversation_are_those_of_botocore(block):
    loaded = get_session().get_component("data_loader")
    service = ServiceModel(loaded.load_service_model("bedrock-runtime", "service-2"))
    known = service.shape_for("ConverseStreamOutput").members
    names = [name for event in converse_events(converse(block)) for name in event]
    assert set(names) <= set(known)
    assert names[0] == "messageStart"
    assert names[-2:] == ["messageStop", "metadata"]


def test_cohere_says_its_thoughts_and_calls_in_parts():
    call = {"id": "c", "type": "function", "function": {"name": "book", "arguments": "{}"}}
    blocks = [{"type": "thinking", "thinking": "So."}, {"type": "text", "text": "hello"}]
    message = {"content": blocks, "tool_plan": "Look.", "tool_calls": [call]}
    deltas = [e["delta"] for e in cohere_events({"message": message}) if "-delta" in e["type"]]
    contents = [each["message"]["content"] for each in deltas if "content" in each["message"]]
    assert "".join(each.get("thinking", "") for each in contents) == "So."
    assert "".join(each.get("text", "") for each in contents) == "hello"
    calls = [each["message"].get("tool_calls") for each in deltas]
    assert "".join(each["function"]["arguments"] for each in calls if each) == "{}"


def test_limit_cuts_the_input_of_a_tool():
    cut = {"Delivery": {"cut": True}}
    events = list(converse_events(converse(USE, **cut)))
    parts = [e["contentBlockDelta"]["delta"] for e in events if "contentBlockDelta" in e]
    assert [part["toolUse"]["input"] for part in parts] == ['{"day": ']
    assert events[-2] == {"messageStop": {"stopReason": "max_tokens"}}
    *_, ended, _ = message_events({"content": [TOOL_USE], "stop_reason": "tool_use", **cut})
    assert ended["delta"]["stop_reason"] == "max_tokens"
