import asyncio
import json

import anthropic
import requests
from anthropic import AsyncAnthropic

client = anthropic.Anthropic()
TOOL = {"name": "book", "input_schema": {"type": "object", "properties": {"day": {}}}}


def everything(function, argument):
    return globals()[function](argument)


def asked(text, **options):
    messages = [{"role": "user", "content": text}]
    return client.messages.create(model="claude", max_tokens=99, messages=messages, **options)


def verdict(text):
    message = asked(text, system="Be brief.")
    return message.content[0].text, message.stop_reason, message.model, message.usage.input_tokens


async def _later(text):
    messages = [{"role": "user", "content": [{"type": "text", "text": text}]}]
    answer = await AsyncAnthropic().messages.create(model="m", max_tokens=9, messages=messages)
    return "".join(block.text for block in answer.content if block.type == "text")


def later(text):
    return asyncio.run(_later(text))


def called(text):
    blocks = asked(text, tools=[TOOL]).content
    texts = [block.text for block in blocks if hasattr(block, "text")]
    return texts, [block.input["day"] for block in blocks if block.type == "tool_use"]


def event_types(text):
    return [event.type for event in asked(text, stream=True)]


def streamed_text(text):
    messages = [{"role": "user", "content": text}]
    with client.messages.stream(model="m", max_tokens=9, messages=messages) as stream:
        parts = list(stream.text_stream)
        return parts, [block.type for block in stream.get_final_message().content]


def regional(text):
    messages = [{"role": "user", "content": text}]
    clients = (anthropic.AnthropicBedrock(), anthropic.AnthropicVertex(project_id="p"))
    return [
        each.messages.create(model="m", max_tokens=9, messages=messages).content[0].text
        for each in clients
    ]


def posted(text):
    url = "https://api.anthropic.com/v1/messages"
    body = {"model": "m", "max_tokens": 9, "messages": [{"role": "user", "content": text}]}
    answer = requests.post(url, json=body, headers={"x-api-key": "k"}).json()
    return answer["content"][0]["text"], answer["stop_reason"]


def posted_plain(text):
    return json.loads(posted(text)[0])["mood"]


def streamed(text):
    return "".join(event.delta.text for event in asked(text, stream=True))


def with_care(text):
    try:
        return streamed(text)
    except anthropic.APIConnectionError:
        return "no connection"


def plain(text):
    return json.loads(asked(text).content[0].text)["mood"]


def guarded(text):
    try:
        return json.loads(asked(text).content[0].text)["mood"]
    except (ValueError, LookupError, TypeError):
        return None
