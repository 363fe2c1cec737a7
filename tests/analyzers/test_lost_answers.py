"""Answers that are lost, and requests without an end, read in the text of any function."""

import pytest

from analyzers.source_checks.endless_loops import endless_loops
from analyzers.source_checks.lost_answers import lost_answers

LOST = """
import json
from openai import OpenAI
client = OpenAI()
PROMPT = "Answer with JSON: "
def f(text):
    a = client.chat.completions.create(model="m", messages=[{{"content": PROMPT + text}}]{more})
    said = a.choices[0].message.content or ""
    try:
        return json.loads({given})
    except {caught}:
        {handler}
"""
PLAIN = {"more": "", "given": "said", "caught": "ValueError", "handler": "return {}"}


@pytest.mark.parametrize(
    "changed",
    [
        {},
        {"caught": "json.JSONDecodeError"},
        {"caught": "Exception as error", "handler": "print(error); return None"},
        {"given": "said.strip()"},
        {"given": "a.choices[0].message.content"},
        {"more": ", temperature=0"},
    ],
)
def test_fenced_json_that_a_handler_drops_is_told(changed):
    (found,) = lost_answers(LOST.format(**PLAIN | changed))
    assert (found.rule, found.level, found.line) == ("cloud/misuse", "warning", 10)
    assert found.evidence["request"] == 7


@pytest.mark.parametrize(
    "changed",
    [
        {"more": ", response_format={'type': 'json_object'}"},
        {"more": ", **options"},
        {"given": "said[said.find('{') :]"},
        {"given": "clean(said)"},
        {"given": "a.choices[0].message.content[7:-3]"},
        {"given": "cut", "more": "); cut = a.choices[0].message.content[7:-3]; print(text"},
        {"caught": "KeyError"},
        {"handler": "raise"},
        {"handler": "return json.loads(said[7:-3])"},
        {"handler": "return retry(text)"},
        {"handler": "return {} # ```"},
    ],
)
def test_answer_that_may_be_read_another_way_is_left_alone(changed):
    assert not lost_answers(LOST.format(**PLAIN | changed))


def test_answer_that_is_asked_for_again_or_in_no_json_is_left_alone():
    text = LOST.format(**PLAIN | {"handler": "print(text)"})
    assert lost_answers(text)
    assert not lost_answers(text.replace("Answer with JSON: ", "Answer: "))
    looped = "\n".join(
        f"    {line}" if line.startswith("    ") else line for line in text.splitlines()
    )
    assert not lost_answers(looped.replace("def f(text):", "def f(text):\n    for _ in range(3):"))


ENDLESS = """
from openai import OpenAI
class Asker:
    def ask(self, text):
        return self.client.chat.completions.create(model="m", messages=[{{"content": text}}])
    def run(self, text):
        {loop}:
            try:
                return {call}
            except Exception as error:
                {failure}
"""
FOREVER = {"loop": "while True", "call": "self.ask(text)", "failure": "print(error)"}
REQUEST = "self.client.chat.completions.create(model='m', messages=text)"


@pytest.mark.parametrize("changed", [{}, {"call": REQUEST}, {"failure": "continue"}])
def test_loop_around_a_request_that_nothing_else_ends_is_told(changed):
    (found,) = endless_loops(ENDLESS.format(**FOREVER | changed))
    assert (found.rule, found.function, found.line) == ("cloud/misuse", "Asker.run", 7)


@pytest.mark.parametrize(
    "changed",
    [
        {"loop": "for _ in range(3)"},
        {"loop": "while self.alive"},
        {"failure": "raise"},
        {"failure": "break"},
        {"call": "input(text)"},
    ],
)
def test_loop_that_ends_or_asks_no_model_is_left_alone(changed):
    assert not endless_loops(ENDLESS.format(**FOREVER | changed))
