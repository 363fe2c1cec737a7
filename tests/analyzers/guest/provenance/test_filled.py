"""Code that trips over what the search made up shows nothing about itself."""

import ast
import textwrap

import pytest

from analyzers.guest.provenance.value_sources import (
    ExceptionStep,
    SyntheticValues,
    takes_synthetic_value,
)
from analyzers.guest.runtime import call_outcomes

LITERAL = {"kind": "literal", "source": "'1'"}
TEXT = {"kind": "content", "form": "text", "blob": "x"}
PICTURE = {"kind": "content", "form": "bytes", "blob": "x"}
PATH = {"kind": "content", "form": "path", "blob": "x"}
FIELD = {"request.POST['text']": TEXT, "request.POST['shop']": LITERAL}


def ending(tmp_path, source, given, call):
    path = tmp_path / "app.py"
    text = textwrap.dedent(source)
    path.write_text(text)
    call_outcomes.remember(str(path), text)
    names = {"__name__": "app"}
    exec(compile(text, str(path), "exec"), names)
    try:
        eval(call, names)
    except Exception as error:  # noqa: BLE001 - whatever the code raises
        return call_outcomes.raised(error, str(tmp_path), SyntheticValues.of(given))
    raise AssertionError("nothing was raised")


MADE_UP = {
    "a key": ("return {'north': 1}[shop]", {"shop": LITERAL}),
    "an index": ("return answer[shop]", {"shop": LITERAL}),
    "a method": ("return shop.nothing()", {"shop": LITERAL}),
    "a conversion": ("return int(shop)", {"shop": LITERAL}),
    "by way of names": ("a = shop.strip()\nb = a[1:]\nreturn int(b)", {"shop": LITERAL}),
    "in a loop": ("for each in shop:\n    return int(each)", {"shop": LITERAL}),
    "in a comprehension": ("return [int(each) for each in shop]", {"shop": LITERAL}),
    "taken apart": ("first, last = shop.split()\nreturn first", {"shop": LITERAL}),
    "given to a library": ("import json\nreturn json.loads(shop)", {"shop": LITERAL}),
    "in another function": ("return priced(answer, shop)", {"shop": LITERAL}),
    "by name": ("return priced(answer=answer, place=shop)", {"shop": LITERAL}),
    "the name of the input's file": ("return shop.split('-')[1]", {"shop": PATH}),
}
MEANT = {
    "the answer": ("return answer[0]", {"shop": LITERAL}),
    "the answer beside it": ("return shop + answer[0]", {"shop": LITERAL}),
    "what a call answers": ("found = ask(shop)\nreturn found[0]", {"shop": LITERAL}),
    "the text that was asked about": ("return shop.split()[5]", {"shop": TEXT}),
    "a picture's bytes": ("return shop[100]", {"shop": PICTURE}),
    "the answer in another function": ("return first(answer, shop)", {"shop": LITERAL}),
    "what lies at a path": ("return load(shop)[0]", {"shop": PATH}),
}
HELPERS = """
def ask(text):
    return []

def load(path):
    return []

def priced(answer, place):
    return {"north": 1}[place]

def first(answer, place):
    return answer[0]
"""


def outcome(tmp_path, body, given):
    source = f"def target(answer, shop):\n{textwrap.indent(body, '    ')}\n{HELPERS}"
    value = b"x" if given["shop"] is PICTURE else "'x'"
    return ending(tmp_path, source, {"answer": TEXT, **given}, f"target([], {value})")["standin"]


@pytest.mark.parametrize("name", MADE_UP)
def test_fillings_are_our_doing(tmp_path, name):
    assert outcome(tmp_path, *MADE_UP[name])


@pytest.mark.parametrize("name", MEANT)
def test_answers_and_inputs_are_not(tmp_path, name):
    assert not outcome(tmp_path, *MEANT[name])


@pytest.mark.parametrize(
    ("body", "ours"),
    [
        ("return {'north': 1}[request.POST['shop']]", True),
        ("return request.POST['page']", True),
        ("form = request.POST\nreturn int(form.get('shop', '') + 'x')", True),
        ("return request.POST['text'].split()[5]", False),
        ("text = request.POST['text']\nreturn text.split()[5]", False),
    ],
)
def test_other_fields_of_a_request_are_our_doing(tmp_path, body, ours):
    source = f"""
class Request:
    POST = {{"text": "fine", "shop": "1"}}

def target(request):
{textwrap.indent(body, "    ")}
"""
    assert ending(tmp_path, source, FIELD, "target(Request())")["standin"] is ours


@pytest.mark.parametrize(
    ("source", "ours"),
    [
        ("def target():\n    text = input()\n    age = input()\n    return int(age)", True),
        ("def target():\n    text = input()\n    return text.split()[5]", False),
        ("import sys\ndef target():\n    return {'sort': 1}[sys.argv[2]]", True),
    ],
)
def test_what_is_typed_beside_the_input_is_our_doing(tmp_path, monkeypatch, source, ours):
    monkeypatch.setattr("builtins.input", lambda *_: "fine")
    monkeypatch.setattr("sys.argv", ["app.py", "photo.png", "1"])
    given = {"input()": TEXT} if "input" in source else {"sys.argv[1]": PATH}
    assert ending(tmp_path, source, given, "target()")["standin"] is ours


LEARNED = """
def ask(text):
    return service(text)
def numbers(given):
    return [1, 2][: len(given)]
def target(order, note):
    found = numbers(order['a'])
    word = ask(note)
    return {place}
"""


@pytest.mark.parametrize(
    ("place", "made_up"), [("found[7]", True), ("word.split()[5]", False), ("[word][3]", False)]
)
def test_what_a_function_makes_of_learned_arguments_is_made_up(place: str, made_up: bool) -> None:
    source = LEARNED.format(place=place)
    tree = ast.parse(source)
    lines = [text.strip() for text in source.splitlines()]
    line, asked = lines.index(f"return {place}") + 1, lines.index("word = ask(note)") + 1
    given = {name: {"kind": "made", "recipe": "'x'"} for name in ("order", "note")}
    step = ExceptionStep(tree, line, None, "app.py", frozenset({("app.py", asked)}))
    assert takes_synthetic_value([step], SyntheticValues.of(given)) is made_up
