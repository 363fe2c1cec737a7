import asyncio
import json

import requests
from google import genai
from google.genai import types

client = genai.Client()
URL = "https://generativelanguage.googleapis.com/v1beta/models/gemini:generateContent?key=k"
FORM = types.GenerateContentConfig(
    response_mime_type="application/json",
    response_schema={"type": "OBJECT", "properties": {"mood": {"type": "STRING"}}},
)


def everything(function, argument):
    return globals()[function](argument)


def asked(text, **options):
    return client.models.generate_content(model="gemini", contents=text, **options)


def verdict(text):
    answer = asked(text, config={"temperature": 0})
    return answer.text, answer.candidates[0].finish_reason == types.FinishReason.STOP


def conversed(text):
    parts = [types.Part.from_text(text=text), types.Part.from_bytes(data=b"p", mime_type="i/p")]
    answer = asked([types.Content(role="user", parts=parts)])
    return answer.candidates[0].content.parts[0].text, answer.usage_metadata.total_token_count


async def _later(text):
    return (await client.aio.models.generate_content(model="m", contents=[text])).text


def later(text):
    return asyncio.run(_later(text))


def ended(text):
    answer = asked(text)
    return answer.text, answer.candidates[0].finish_reason.name


def called(text):
    return [(call.name, call.args["day"]) for call in asked(text).function_calls or ()]


def posted(text):
    body = {"contents": [{"parts": [{"text": text}]}]}
    answer = requests.post(URL, json=body).json()
    candidate = answer["candidates"][0]
    return candidate["content"]["parts"][0]["text"], candidate["finishReason"]


def streamed(text):
    return [part.text for part in client.models.generate_content_stream(model="m", contents=text)]


async def _later_streamed(text):
    stream = await client.aio.models.generate_content_stream(model="m", contents=text)
    return [part.text async for part in stream]


def later_streamed(text):
    return asyncio.run(_later_streamed(text))


def plain(text):
    return json.loads(asked(text).text)["mood"]


def formed(text):
    return json.loads(asked(text, config=FORM).text or "{}").get("mood")


def guarded(text):
    try:
        return json.loads(asked(text).text)["mood"]
    except (ValueError, LookupError, TypeError):
        return None
