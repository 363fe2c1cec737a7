"""Conversations with models on Bedrock are answered, with botocore and without it."""

import pytest

from tests.analyzers.guest.guests import literal

WORDS = literal("some words")


def says(*blocks, **around):
    message = {"role": "assistant", "content": list(blocks)}
    return ("aws.bedrock-runtime.converse", {"output": {"message": message}, **around})


USE = {"toolUse": {"toolUseId": "t", "name": "book", "input": {"day": "Monday"}}}


@pytest.mark.parametrize(
    ("function", "script", "value"),
    [
        ("verdict", says({"text": "spam"}), "('spam', 'end_turn', 12)"),
        ("verdict", says({"text": "sp"}, stopReason="max_tokens"), "('sp', 'max_tokens', 12)"),
        ("called", says({"text": "I book."}, USE), "[{'day': 'Monday'}]"),
        ("posted", says({"text": "hi"}), "'hi'"),
        ("guarded", says({"text": "no JSON"}), "None"),
    ],
)
def test_conversation_is_answered(warm, python, function, script, value) -> None:
    assert warm.value(("bedrock.py", function), WORDS, [script], python) == value


def test_parsed_text_raises(warm, python) -> None:
    script = [says({"text": "no JSON"})]
    ending = warm.run(("bedrock.py", "plain"), WORDS, script, python)["ending"]
    assert ending["exception"] == "json.decoder.JSONDecodeError"


def test_host_is_asked_what_messages_say(warm, python) -> None:
    answer = says({"text": "no"})[1]
    (request,) = warm.requests(("bedrock.py", "verdict"), WORDS, answer, python)
    assert (request["text"], request["content"]) == ("some words", None)
    assert (request["parameters"]["modelId"], request["parameters"]["max_tokens"]) == ("m", 9)


def test_model_of_anthropic_is_invoked_in_its_own_words(warm, python) -> None:
    said = ("anthropic.messages", {"content": [{"type": "text", "text": "hi"}]})
    place = ("bedrock.py", "invoked_claude")
    assert warm.value(place, WORDS, [said], python) == "'hi'"
    refused = ("anthropic.messages", {"Delivery": {"status": 429}})
    ending = warm.run(place, WORDS, [refused], python)["ending"]
    assert "ThrottlingException" in ending["message"]


def test_model_that_is_invoked_is_refused_by_name(warm, python) -> None:
    ending = warm.run(("bedrock.py", "invoked"), WORDS, [], python)["ending"]
    assert (ending["kind"], ending["standin"]) == ("raised", True)
    assert "bedrock-runtime.invoke_model" in ending["message"]
