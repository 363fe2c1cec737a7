"""Crashes on shapes of a language model's answer, with the real SDK in a real guest."""

import time
from contextlib import closing
from dataclasses import replace

import pytest

from analyzers.cloud.cloud_analyzer import CloudAnalyzer
from analyzers.criteria import is_shown
from analyzers.vocabulary import ApiCall, Finding
from tests.analyzers.cloud.bench import goals
from tests.worker.sessions import laboratory, target, tree
from worker.executor.sandbox_executor import SandboxExecutor

CHAT = "openai.chat_completions"
OTHERS = {
    "openai.responses": "responses",
    "aws.bedrock-runtime.converse": "bedrock",
    "gemini.generate_content": "GenerativeModel",
}
HEAD = """\
import json
import os

import requests
from openai import OpenAI, OpenAIError

client = OpenAI()
PARAMETERS = {"type": "object", "properties": {"day": {"type": "string"}}}
TOOLS = [{"type": "function", "function": {"name": "book", "parameters": PARAMETERS}}]
FLAT = {"type": "function", "name": "book", "parameters": PARAMETERS}
BASE = os.environ.get("BASE", "http://localhost:8080/v1")


def ask(text, **options):
    messages = [{"role": "user", "content": text}]
    return client.chat.completions.create(model="m", messages=messages, **options)


"""
STREAM = """\
def check(text: str):
    stream = ask(text, stream=True, stream_options={"include_usage": True})
    parts = []
    for chunk in stream:
        {piece}
    return "".join(parts)
"""
NO_USAGE = """\
def check(text: str):
    said = ""
    for chunk in ask(text, stream=True):
        said += chunk.choices[0].delta.content{default}
    return said
"""
TOOL = """\
def check(text: str):
    message = ask(text, tools=TOOLS{limit}).choices[0].message
    if message.tool_calls:
        return {arguments}
    return message.content.strip()
"""
SILENT_TOOL = """\
def check(text: str):
    return {content}.strip() + str(len(TOOLS))
"""
REST = """\
def check(text: str):
    body = {"messages": [{"role": "user", "content": text}]}
    response = requests.post(f"{BASE}/chat/completions", json=body)
    GUARD
    return response.json()["choices"][0]["message"]["content"]
"""
LOST = """\
def check(text: str):
    said = ask("Answer in JSON: " + text).choices[0].message.content or ""
    FENCE
    try:
        return json.loads(said)
    except ValueError:
        return []
"""
WRITTEN = """\
def check(text: str):
    said = ask("Answer in JSON: " + text{how}).choices[0].message.content or ""
    return json.loads({said})
"""
AS_JSON = ", response_format={'type': 'json_object'}"
WHOLE = """\
def check(text: str):
    asked = "Answer in JSON: " + text
    choice = ask(asked, max_tokens=200, response_format={"type": "json_object"}).choices[0]
    if choice.finish_reason == "length":
        return None
    return json.loads(choice.message.content or "{}")
"""
RESPONSES = """\
def check(text: str):
    done = client.responses.create(model="m", input=text{more})
    return done.output[0].content[0].text
"""
FINAL = """\
def check(text: str):
    done = None
    for event in client.responses.create(model="m", input=text, stream=True{more}):
        if event.type in ({ends}):
            done = event.response
    return done.output_text
"""
ENDS = '"response.completed", "response.incomplete", "response.failed"'
WANTED = """\
FORMAT = {"format": {"type": "json_schema", "name": "trip", "schema": PARAMETERS, "strict": True}}


def check(text: str):
    done = client.responses.create(model="m", input=text, text=FORMAT)
    part = done.output[0].content[0]
    return {text}
"""
ARGUED = """\
def check(text: str):
    done = client.responses.create(model="m", input=text, tools=[FLAT]{more})
    return [json.loads(each.arguments) for each in done.output if each.type == "function_call"]
"""
ROUTED = """\
router = OpenAI(base_url="https://openrouter.ai/api/v1")


def check(text: str):
    messages = [{"role": "user", "content": text}]
    stream = router.chat.completions.create(model="m", messages=messages, stream=True)
    return "".join({piece} for chunk in stream)
"""
FIRST = """\
import google.generativeai as genai

chat = genai.GenerativeModel("gemini-pro").start_chat()


def check(text: str):
    answer = chat.send_message(text)
    return {text}
"""
REASONING = RESPONSES.replace('"m"', '"o3-mini"').replace("{more}", "")
BEDROCK = """\
import boto3

TOOLS = [{"toolSpec": {"name": "book", "inputSchema": {"json": PARAMETERS}}}]
bedrock = boto3.client("bedrock-runtime", region_name="us-east-1")


def check(text: str):
    messages = [{"role": "user", "content": [{"text": text}]}]
    offered = {"tools": TOOLS}
    given = bedrock.converse_stream(modelId="m", messages=messages, toolConfig=offered{more})
    deltas = [e["contentBlockDelta"]["delta"] for e in given["stream"] if "contentBlockDelta" in e]
    said = "".join({piece} for each in deltas)
    return {end}
"""
TEXTS = BEDROCK.replace("{more}", "").replace("{end}", "said")
USED = "each.get('toolUse', {}).get('input', '')"
PARSED = BEDROCK.replace("{piece}", USED).replace("{end}", "json.loads(said or '{}')")
HANDLED = """\
def check(text: str):
    try:
        return ask(text).choices[0].message.content or ""
    except OpenAIError as error:
        return str({said})
"""
BROKEN = """\
def check(text: str):
    try:
        done = ask(text)
    except OpenAIError:
        print("no answer")
    return str({end})
"""
SAID = RESPONSES.replace("done.output[0].content[0].text", "done.output_text")
ARGUMENTS = "json.loads(message.tool_calls[0].function.arguments)"
SAFE = "message.tool_calls[0].function.arguments"
ADDED = "parts.append(chunk.choices[0].delta.content or '')"
WITH_TOOLS = "ask(text, tools=TOOLS).choices[0].message.content"


@pytest.fixture
def found(tmp_path):
    """The findings about shapes in a program."""

    def found(source: str) -> list[tuple[str, str]]:
        text = HEAD + source
        head = tree(tmp_path / "head", app=text)
        line = next(n for n, each in enumerate(text.splitlines(), 1) if "def check" in each)
        other = next((api for api, name in OTHERS.items() if name in source), None)
        call = (
            ApiCall(other, "app.py", "check", line + 1)
            if other
            else ApiCall(CHAT, "app.py", "ask", 16)
        )
        asked = replace(
            target(),
            line=line,
            end_line=len(text.splitlines()),
            calls=(call,),
            goals=tuple(each for each in goals(text) if each.function == "check"),
        )
        with closing(SandboxExecutor(laboratory(head, head), asked, time.monotonic() + 120)) as at:
            verdicts = list(CloudAnalyzer().examine(asked, at))
            kept = [each for each in verdicts if isinstance(each, Finding)]
            for each in kept:
                assert is_shown(each.criterion, at.run(each.probes))
        return [(f.evidence.get("shape") or f.evidence["misuse"], str(f.level)) for f in kept]

    return found


CASES = (
    (STREAM.replace("{piece}", ADDED), [("usage-chunk", "failure")]),
    (STREAM.replace("{piece}", f"if chunk.choices: {ADDED}"), []),
    (NO_USAGE.replace("{default}", ""), [("stream-end", "failure")]),
    (NO_USAGE.replace("{default}", " or ''"), []),
    (SILENT_TOOL.replace("{content}", WITH_TOOLS), [("tool-call", "failure")]),
    (SILENT_TOOL.replace("{content}", f"({WITH_TOOLS} or '')"), []),
    (SILENT_TOOL.replace("{content}", "ask(text).choices[0].message.content"), []),
    (
        TOOL.replace("{arguments}", ARGUMENTS).replace("{limit}", ", max_tokens=64"),
        [("arguments-cut", "failure")],
    ),
    (
        TOOL.replace("{arguments}", ARGUMENTS).replace("{limit}", ""),
        [("arguments-no-json", "warning")],
    ),
    (TOOL.replace("{arguments}", SAFE).replace("{limit}", ", max_tokens=64"), []),
    (REST.replace("GUARD", "pass"), [("error-status", "warning")]),
    (REST.replace("GUARD", "response.raise_for_status()"), []),
    (WRITTEN.replace("{how}", "").replace("{said}", "said"), [("fenced", "warning")]),
    (
        WRITTEN.replace("{how}", "").replace("{said}", "said.strip('`').removeprefix('json')"),
        [("prefixed", "notice")],
    ),
    (
        WRITTEN.replace("{how}", ", response_format={'type': 'json_object'}").replace(
            "{said}", "said"
        ),
        [],
    ),
    (
        WRITTEN.replace("{how}", f"{AS_JSON}, max_tokens=200").replace("{said}", "said"),
        [("json-cut", "warning")],
    ),
    (WHOLE, []),
    (RESPONSES.replace("{more}", ", tools=[FLAT]"), [("tool-call", "failure")]),
    (RESPONSES.replace("{more}", ", reasoning={'effort': 'low'}"), [("thinking", "failure")]),
    (RESPONSES.replace("{more}", ""), []),
    (REASONING, [("thinking", "failure")]),
    (REASONING.replace("done.output[0].content[0].text", "done.output_text"), []),
    (
        ROUTED.replace("{piece}", "chunk.choices[0].delta.content or ''"),
        [("unasked-usage", "warning")],
    ),
    (ROUTED.replace("{piece}", "chunk.choices and chunk.choices[0].delta.content or ''"), []),
    (FIRST.replace("{text}", "answer.text"), [("blocked-prompt", "warning")]),
    (FIRST.replace("{text}", "answer.candidates and len(chat.history)"), []),
    (SAID.replace("{more}", ", tools=[FLAT], reasoning={'effort': 'low'}"), []),
    (
        FINAL.replace("{more}", ", max_output_tokens=64").replace("{ends}", ENDS[:20] + ","),
        [("incomplete", "failure")],
    ),
    (FINAL.replace("{more}", "").replace("{ends}", ENDS[:20] + ","), [("failed", "warning")]),
    (
        FINAL.replace("{more}", ", max_output_tokens=64").replace("{ends}", ENDS),
        [("stream-error", "warning")],
    ),
    (FINAL.replace("{more}", "").replace("{ends}", ENDS).replace("done.o", "done and done.o"), []),
    (WANTED.replace("{text}", "part.text"), [("refusal", "warning")]),
    (WANTED.replace("{text}", "getattr(part, 'text', None)"), []),
    (ARGUED.replace("{more}", ", max_output_tokens=64"), [("arguments-cut", "failure")]),
    (ARGUED.replace("{more}", ""), []),
    (TEXTS.replace("{piece}", "each['text']"), [("text-and-tool-call", "failure")]),
    (TEXTS.replace("{piece}", "each.get('text', '')"), []),
    (
        PARSED.replace("{more}", ", inferenceConfig={'maxTokens': 64}"),
        [("stream-arguments-cut", "warning")],
    ),
    (PARSED.replace("{more}", ""), []),
    (HANDLED.replace("{said}", "error.status_code"), [("time-out", "warning")]),
    (HANDLED.replace("{said}", "getattr(error, 'status_code', None)"), []),
    (BROKEN.replace("{end}", "done.choices"), [("error-status", "warning")]),
    (BROKEN.replace("{end}", "text"), []),
    (LOST.replace("FENCE", "pass"), [("lost-answer", "warning")]),
    (LOST.replace("FENCE", "said = said.removeprefix('```json').removesuffix('```')"), []),
    (
        LOST.replace("FENCE", "pass") + "\n\ndef other(text):\n    return text.strip('```')\n",
        [("lost-answer", "failure")],
    ),
)


@pytest.mark.slow
@pytest.mark.parametrize(("source", "told"), CASES)
def test_shape_is_told_where_the_request_allows_it_and_nothing_guards(found, source, told):
    assert found(source) == told


@pytest.mark.slow
def test_crash_that_a_caller_handles_is_silent(found):
    caller = "\n\ndef call():\n    try:\n        check('x')\n    except IndexError:\n        pass\n"
    assert found(STREAM.replace("{piece}", ADDED) + caller) == []
