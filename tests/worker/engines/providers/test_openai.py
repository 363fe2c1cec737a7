import base64

import pytest

from tests.worker.engines.providers.standin import Reply
from worker.engines.engine import ApiRequest, NotAsked, Outage, Rejected
from worker.engines.providers.http_client import Http
from worker.engines.providers.openai import OpenAI

CHAT, RESPONSES = "openai.chat_completions", "openai.responses"
KEY = "sk-canary-0123456789"
SAID = {"choices": [{"index": 0, "message": {"role": "assistant", "content": "yes"}}]}
PNG = b"\x89PNG pixels"


def openai(server, path="", **http):
    waits = []
    return OpenAI("openai", server.url + path, lambda: KEY, Http("OpenAI", waits.append, **http))


def looking(url, kind="image_url"):
    picture = {"type": kind, "image_url": {"url": url} if kind == "image_url" else url}
    return [{"role": "user", "content": [{"type": "text", "text": "What is it?"}, picture]}]


def seen(url="data:", content=PNG, parts=looking, head="messages"):
    return ApiRequest(content, "What is it?", parameters={"model": "m", head: parts(url)})


@pytest.mark.parametrize("path", ["", "/v1", "/v1/"])
def test_version_is_the_first_where_none_is_given(stand_in, path):
    server = stand_in(Reply(SAID))
    openai(server, path).ask(CHAT, ApiRequest(text="?", parameters={"model": "m"}))
    assert server.asked[0].path == "/v1/chat/completions"


def test_picture_is_put_back_into_the_conversation(stand_in):
    server = stand_in(Reply(SAID))
    assert openai(server).ask(CHAT, seen())["choices"] == SAID["choices"]
    held = f"data:image/png;base64,{base64.b64encode(PNG).decode()}"
    assert server.asked[0].json == {"model": "m", "messages": looking(held)}


def test_picture_of_a_response_is_put_back(stand_in):
    server = stand_in(Reply({"output": []}))
    request = seen(
        parts=lambda url: looking(url, "input_image"), head="input", content=b"\xff\xd8\xff"
    )
    openai(server).ask(RESPONSES, request)
    (message,) = server.asked[0].json["input"]
    assert message["content"][1]["image_url"].startswith("data:image/jpeg;base64,")
    assert server.asked[0].json["store"] is False


@pytest.mark.parametrize(
    ("request_", "reason"),
    [
        (seen("https://thief.example/?say=this", None), r'\[engines."openai"\] uris = true'),
        (seen(parts=lambda url: looking(url) * 2), "only one picture"),
        (seen(content=None), "only one picture"),
    ],
)
def test_other_pictures_are_not_asked_about(stand_in, request_, reason):
    server = stand_in(Reply(SAID))
    with pytest.raises(NotAsked, match=reason):
        openai(server).ask(CHAT, request_)
    assert server.asked == []


def test_reasoning_is_left_out(stand_in):
    message = {"type": "message", "content": [{"type": "output_text", "text": "yes"}]}
    server = stand_in(Reply({"output": [{"type": "reasoning", "summary": []}, message]}))
    answer = openai(server).ask(RESPONSES, ApiRequest(text="?", parameters={"model": "m"}))
    assert answer["output"] == [message]


@pytest.mark.parametrize(
    ("status", "code", "kind", "tries"),
    [
        (401, "invalid_api_key", Outage, 1),
        (429, "insufficient_quota", Outage, 1),
        (429, "rate_limit_exceeded", Outage, 2),
        (400, "content_policy_violation", Rejected, 1),
    ],
)
def test_errors_are_told_apart(stand_in, status, code, kind, tries):
    server = stand_in(Reply({"error": {"code": code, "message": f"no: {KEY}"}}, status))
    with pytest.raises(kind, match=f"HTTP {status}: no: …"):
        openai(server, tries=2).ask(CHAT, ApiRequest(text="?", parameters={"model": "m"}))
    assert len(server.asked) == tries


def test_sound_by_its_address_is_not_fetched(stand_in):
    with pytest.raises(NotAsked, match="as a file"):
        openai(stand_in(Reply({}))).ask("openai.transcriptions", ApiRequest(uri="https://x/y.mp3"))
