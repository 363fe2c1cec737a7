"""Reproducers of findings about language models run without Assayer, with the real SDKs."""

import pytest

from analyzers.vocabulary import Crashes, Exchange, InertArgument, LiteralArgument, Probe
from tests.worker.report import samples
from tests.worker.report.running import run
from worker.report.reproducer import reproducer
from worker.report.reproducer import test_name as name_of

CHAT, MESSAGES, RESPONSES = "openai.chat_completions", "anthropic.messages", "openai.responses"
SAID = {"choices": [{"index": 0, "message": {"role": "assistant", "content": "hello there"}}]}
THOUGHT = {"reasoningContent": {"reasoningText": {"text": "So.", "signature": "c2ln"}}}
BLOCKED = {"candidates": [{"index": 0, "finish_reason": "SAFETY"}]}
OUTPUT = [{"type": "message", "content": [{"type": "output_text", "text": "hello"}]}]
ASKED = """
from openai import OpenAI, OpenAIError

client = OpenAI()


def tell(text):
    BEFORE
    try:
        said = client.chat.completions.create(
            model="m", messages=[{"role": "user", "content": text}]
        )
    except OpenAIError:
        print("no answer")
    return said
"""
LATE = """
import anthropic


class Teller:
    def __init__(self, model="claude"):
        self.client = anthropic.AsyncAnthropic()
        self.model = model

    async def tell(self, text):
        said = None
        try:
            said = await self.client.messages.create(
                model=self.model, max_tokens=9, messages=[{"role": "user", "content": text}]
            )
        except anthropic.APITimeoutError as late:
            print(late)
        return BEFOREsaid.content
"""
STREAM = """
from openai import OpenAI


def tell(text):
    stream = OpenAI().chat.completions.create(
        model="m", messages=[{"role": "user", "content": text}], stream=True,
        stream_options={"include_usage": True},
    )
    return "".join(chunk.choices[0].delta.content or "" for chunk in stream BEFORE)
"""
EVENTS = """
from openai import OpenAI


def tell(text):
    done = None
    for event in OpenAI().responses.create(model="m", input=text, stream=True):
        if event.type == "response.completed":
            done = event.response
    return BEFOREdone.output_text
"""
REST = """
import requests

URL = "https://api.openai.com/v1/chat/completions"


def tell(text):
    body = {"model": "m", "messages": [{"role": "user", "content": text}]}
    answer = requests.post(URL, json=body, timeout=9).json()
    return answer.get("choices") BEFORE[0]["message"]["content"]
"""
PLAIN = """
import json
import urllib.error
import urllib.request

URL = "https://api-inference.huggingface.co/models/someone/some-sentiment"


def tell(text):
    asked = urllib.request.Request(URL, json.dumps({"inputs": text}).encode())
    BEFORE
    try:
        with urllib.request.urlopen(asked) as answer:
            found = json.load(answer)
    except urllib.error.HTTPError as error:
        print(json.load(error)["estimated_time"])
    return found
"""
GENAI = """
from google import genai


def tell(text):
    client = genai.Client()
    answer = client.models.generate_content(model="gemini-pro", contents=text)
    return (answer.text BEFORE).strip()
"""
BEDROCK = """
import boto3


def tell(text):
    client = boto3.client("bedrock-runtime", region_name="us-east-1")
    said = client.converse(modelId="m", messages=[{"role": "user", "content": [{"text": text}]}])
    return [block["text"] for block in said["output"]["message"]["content"] BEFORE]
"""
CASES = {
    "refused": (ASKED, "", "said = None", CHAT, {"Delivery": {"status": 429}}, "UnboundLocal"),
    "late": (LATE, "", "said and ", MESSAGES, {"Delivery": {"late": True}}, "AttributeError"),
    "stream": (
        *(STREAM, "", "if chunk.choices", CHAT),
        *({**SAID, "Delivery": {"padded": True, "usage": True}}, "IndexError"),
    ),
    "events": (
        *(EVENTS, "", "done and ", RESPONSES),
        *({"output": OUTPUT, "Delivery": {"broken": True}}, "AttributeError"),
    ),
    "rest": (REST, "", "and answer['choices']", CHAT, {"Delivery": {"status": 500}}, "TypeError"),
    "plain": (
        *(PLAIN, "", "found = None", "huggingface.text_classification"),
        *({"Delivery": {"status": 503}}, "UnboundLocal"),
    ),
    "genai": (GENAI, "", "or ''", "gemini.generate_content", BLOCKED, "AttributeError"),
    "bedrock": (
        *(BEDROCK, "", "if 'text' in block", "aws.bedrock-runtime.converse"),
        *({"output": {"message": {"role": "assistant", "content": [THOUGHT]}}}, "KeyError"),
    ),
}


def finding_of(name, argument=None):
    api, answer = CASES[name][3:5]
    target = f"{name}.py::{'Teller.tell' if name == 'late' else 'tell'}"
    probe = Probe(
        target, {"text": argument or LiteralArgument("'hello'")}, (Exchange(api, "", answer),)
    )
    return samples.crash(
        target=target,
        symbol=target,
        probes=(probe,),
        criterion=Crashes(CASES[name][5], *target.split("::")),
        suggestion=None,
    )


def sources_of(fixed):
    return {f"{n}.py": case[0].replace("BEFORE", case[1 + fixed]) for n, case in CASES.items()}


@pytest.fixture(scope="module")
def results(tmp_path_factory):
    folder = tmp_path_factory.mktemp("tellers")
    for name in CASES:
        text = reproducer(finding_of(name), sources_of(fixed=False))
        (folder / f"{name_of(finding_of(name))}.py").write_text(text)
    samples.write_project(folder, sources_of(fixed=False))
    before = run(folder)
    samples.write_project(folder, sources_of(fixed=True))
    return before, run(folder)


@pytest.mark.slow
@pytest.mark.parametrize("name", CASES)
def test_fails_until_it_is_fixed(results, name):
    before, after = results
    test = name_of(finding_of(name))
    assert before[test].startswith(CASES[name][5])
    assert after[test] is None


@pytest.mark.parametrize(
    "source",
    [
        "import aiohttp\n",
        "class Teller:\n    def __init__(self, client):\n        self.client = client\n",
        "client.converse_stream()\n",
    ],
)
def test_client_whose_bytes_are_not_seen_has_none(source):
    assert reproducer(finding_of("late"), {"late.py": source}) is None
    assert reproducer(finding_of("late", InertArgument()), sources_of(fixed=False)) is None


def test_answers_are_there_once_unless_code_streams():
    text = reproducer(finding_of("bedrock"), sources_of(fixed=False))
    assert '"reasoningContent"' in text
    assert "data: " not in text
    assert "data: " in reproducer(finding_of("stream"), sources_of(fixed=False))
