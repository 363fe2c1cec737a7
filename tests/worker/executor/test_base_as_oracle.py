"""Answers of a language model on which base returns and head crashes, in a real guest."""

import time
from contextlib import closing
from dataclasses import replace

import pytest

from analyzers.cloud.cloud_analyzer import CloudAnalyzer
from analyzers.criteria import is_shown
from analyzers.vocabulary import ApiCall, Finding
from tests.analyzers.cloud.bench import goals
from tests.worker.sessions import laboratory, target, tree
from worker.executor.base_target import BaseTarget
from worker.executor.sandbox_executor import SandboxExecutor

ASKING = """\
import json

from openai import OpenAI

client = OpenAI()


def check(text: str):
    messages = [{"role": "user", "content": text + PROMPT}]
    done = client.chat.completions.create(model="m", messages=messages)
    said = done.choices[0].message.content or ""
"""
PARSED = """\
    try:
        return json.loads(said)
    except ValueError:
        return {"raw": said}
"""
UNPARSED = "    return json.loads(said)\n"
GIVEN = """\
    data = json.loads(said) if said[:1] == "{" else {}
    return data.get("score", 0)
"""
WANTED = GIVEN.replace('data.get("score", 0)', 'data["score"]')
LONG = "    if len(said) < 200:\n        raise ValueError('too short')\n    return said\n"
OWN = PARSED.replace('return {"raw": said}', "raise RuntimeError('no JSON') from None")
HANDLED = """\


def outer(text):
    try:
        return check(text)
    except ValueError:
        return None
"""


@pytest.fixture
def told(tmp_path):
    """The levels and exceptions of what base proves of another end of the function."""

    def told(before: str, after: str, prompt: str = "' in JSON'") -> list[tuple[str, str]]:
        old = ASKING.replace("PROMPT", "' in JSON'") + before
        text = ASKING.replace("PROMPT", prompt) + after
        head, base = tree(tmp_path / "head", app=text), tree(tmp_path / "base", app=old)
        asked = replace(
            target(),
            line=8,
            end_line=len(text.splitlines()),
            calls=(ApiCall("openai.chat_completions", "app.py", "check", 10),),
            goals=tuple(each for each in goals(text) if each.function == "check"),
        )
        context = laboratory(head, base)
        before = BaseTarget(context, asked, ())
        executor = SandboxExecutor(context, asked, time.monotonic() + 120, before)
        with closing(before), closing(executor) as at:
            verdicts = list(CloudAnalyzer().examine(asked, at))
            kept = [e for e in verdicts if isinstance(e, Finding) and "base" in e.evidence]
            for each in kept:
                assert is_shown(each.criterion, at.run(each.probes))
                assert not is_shown(each.criterion, at.run_on_base(each.probes))
                assert "base returns" in each.message
        return [(str(each.level), each.input_kind) for each in kept]

    return told


@pytest.mark.slow
def test_error_that_base_handled_is_a_failure(told):
    assert told(PARSED, UNPARSED) == [("failure", "json.decoder.JSONDecodeError")]


@pytest.mark.slow
def test_key_that_base_did_without_is_a_failure(told):
    assert told(GIVEN, WANTED) == [("failure", "KeyError")]


@pytest.mark.slow
@pytest.mark.parametrize(
    ("before", "after", "prompt"),
    [
        (UNPARSED, UNPARSED.replace("said", "(said)"), "' in JSON'"),
        ("    return said\n", LONG, "' in JSON'"),
        (PARSED, OWN, "' in JSON'"),
        (PARSED, UNPARSED, "' in strict JSON'"),
        (PARSED, UNPARSED + HANDLED, "' in JSON'"),
    ],
    ids=["refactoring", "own refusal", "own error", "another question", "handled by a caller"],
)
def test_what_base_does_not_prove_is_quiet(told, before, after, prompt):
    assert told(before, after, prompt) == []
