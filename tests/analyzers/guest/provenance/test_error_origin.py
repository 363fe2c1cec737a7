"""Which exceptions are the code's own, and which may come from what we made up."""

import textwrap

import pytest

from analyzers.guest.protocol import api_calls
from analyzers.guest.provenance.value_sources import SyntheticValues
from analyzers.guest.runtime import call_outcomes, standins

ANSWER = {"labels": ["sky", "sea"]}


class Client:
    def detect(self, picture):
        del picture
        return api_calls.ask(api_calls.ApiRequest("some.api"))["labels"]


HEAD = """
import json
import os

LABELS = {"paper": "blue", "glass": "green"}
NAMES = ["paper", "glass"]
OPTIONS = {}
OPTIONS.update(os.environ)
MODE = os.environ.get("MODE", "fast")

class Box:
    size = 3

    def __init__(self, lid=None):
        self.lid = lid
        self.parts = []

    def first(self):
        return self.parts[0]

    def missing(self):
        return self.lock

def known(client):
    return [each for each in client.detect("p") if each]

def joined(one, other):
    return one + other

def looked_up(key):
    return LABELS[key]
"""

OWN = {
    "an undefined name": ("return undefinedname + 1", "code"),
    "an undefined name in a handler": (
        "try:\n    return {}['a']\nexcept KeyError:\n    return misspelt(1)",
        "code",
    ),
    "a key that a constant dictionary lacks": ("return LABELS['metal']", "code"),
    "a key given by a caller in the project": ("return looked_up('metal')", "code"),
    "an index beyond a constant list": ("n = 1\nn += 1\nreturn NAMES[n]", "code"),
    "an operation on constants": ("total = 'a'\nreturn total + 1", "code"),
    "a conversion of a constant": ("return int('x' + LABELS['glass'])", "code"),
    "an attribute that the class lacks": ("return Box().missing()", "code"),
    "too few arguments": ("return joined(1)", "code"),
    "too many arguments for a class": ("return Box(1, 2)", "code"),
    "a misspelt function of a library": ("return json.laods(1)", "code"),
    "a local that nothing binds": ("count += 1\nreturn count", "code"),
    "a local that answers leave unbound": (
        "for each in client.detect(x):\n    if each == 'dog':\n        kind = each\nreturn kind",
        "answers",
    ),
    "an answer used as another type": ("names = client.detect(x)\nreturn names + 1", "answers"),
    "an answer by way of a function": ("names = known(client)\nreturn names[7]", "answers"),
    "an empty list of its own": ("found = []\nprint(found)\nreturn found[0]", "code"),
    "behind a condition on an argument": (
        "if x == 'x':\n    return LABELS['metal']\nreturn None",
        "code",
    ),
    "with a default that was kept": ("return NAMES[deep]", "code"),
}
OURS = {
    "an argument": "return LABELS[x]",
    "what comes of an argument": "key = x.strip()\nreturn LABELS[key]",
    "an argument of another function": "return looked_up(x)",
    "a variable of the environment": "return LABELS[os.environ.get('KIND', 'metal')]",
    "a constant from the environment": "return LABELS[MODE]",
    "a constant that a call fills": "return OPTIONS['deep']",
    "what a file holds": "text = json.load(open(__file__.replace('.py', '.json')))\n"
    "return text['deep']",
    "a list that a blocked loop fills": "found = []\nfor each in os.listdir('.'):\n"
    "    if each == 'no':\n        found.append(each)\nreturn found[0]",
    "a local behind an argument": "if x == 'y':\n    kind = 1\nreturn kind",
    "a local behind the environment": "if os.environ.get('KIND'):\n    kind = 1\nreturn kind",
    "a local behind what failed": "try:\n    kind = {}['a']\nexcept KeyError:\n    x = 0\n"
    "return kind",
    "a stand-in": "return LABELS[standin.kind]",
    "a name of another version": "return unicode(1)",
    "a name that a main block binds": "return parsed.size",
    "a removed function of a library": "import collections\nreturn collections.Mapping",
    "a part that the answer lacks": "return client.detect(x)[0].nothing",
    "unpacked arguments": "return joined(*x)",
    "raised on purpose": "raise KeyError(x)",
    "asserted on purpose": "assert not x",
    "an attribute of what the code made": "return Box(x).lid.size",
    "a list that other code may fill": "box = Box()\nfill(box.parts)\nreturn box.parts[0]",
    "while another error is handled": "try:\n    return LABELS[x]\nexcept KeyError:\n"
    "    return LABELS['metal']",
    "a clock": "import time\nreturn NAMES[int(time.time())]",
}
TAIL = """
def fill(parts):
    pass

if __name__ == "__main__":
    parsed = None
"""


OUTSIDE = {
    "what a file holds": "with open(__file__) as file:\n    text = file.read()\n"
    "return client.detect(x) and {}[text]",
    "what stands in for a missing file": "try:\n    found = json.load(open('none'))\n"
    "except OSError:\n    found = {}\nreturn client.detect(x) and found['deep']",
    "a variable": "level = os.getenv('LEVEL')\nreturn client.detect(x) and level + 1",
}
ANSWERED = {
    "what was answered": "names = client.detect(open(__file__).read())\nreturn names[7]",
    "what was answered about a variable": "names = client.detect(os.getenv('X'))\nreturn names[7]",
    "the answer in a library's hands": "names = client.detect(x)\nreturn json.loads(names)",
}


@pytest.mark.parametrize("name", OUTSIDE)
def test_values_from_outside_are_ours(tmp_path, name):
    assert raised(tmp_path, OUTSIDE[name], filled=True)["standin"]


@pytest.mark.parametrize("name", ANSWERED)
def test_answers_are_not_from_outside(tmp_path, name):
    assert not raised(tmp_path, ANSWERED[name], filled=True)["standin"]


def raised(folder, body, head=HEAD, *, filled=False):
    path = folder / "app.py"
    function = f"def target(client, x, deep=9):\n{textwrap.indent(body, '    ')}\n"
    text = f"{head}\n{function}{TAIL}"
    path.write_text(text)
    path.with_suffix(".json").write_text("{}")
    call_outcomes.remember(str(path), text)
    names = {"__name__": "app", "__file__": str(path), "standin": standins.Inert("standin")}
    exec(compile(text, str(path), "exec"), names)
    api_calls.set_supplier(lambda request: ANSWER)
    try:
        names["target"](Client(), "x")
    except Exception as error:  # noqa: BLE001 - whatever the code raises
        fillings = SyntheticValues.of({}) if filled else None
        return call_outcomes.raised(error, str(folder), fillings, frozenset({"client", "x"}))
    raise AssertionError("nothing was raised")


@pytest.mark.parametrize("name", OWN)
def test_own_errors_are_the_codes(tmp_path, name):
    body, origin = OWN[name]
    ending = raised(tmp_path, body)
    assert (ending.get("origin"), ending["standin"]) == (origin, False), ending


@pytest.mark.parametrize("name", OURS)
def test_made_up_values_are_ours(tmp_path, name):
    ending = raised(tmp_path, OURS[name])
    assert "origin" not in ending, ending


@pytest.mark.parametrize(
    ("body", "meant"),
    [
        ("return NAEMS[0]", "NAMES"),
        ("return LABLES", "LABELS"),
        ("return LABEELSS", "LABELS"),
        ("return LABELS['papper']", "paper"),
        ("return json.laods(1)", "loads"),
        ("return LABELS['metal']", ""),
        ("return Box().missing()", ""),
    ],
)
def test_one_near_name_is_meant(tmp_path, body, meant):
    assert raised(tmp_path, body)["meant"] == meant


def test_stars_may_bind_any_name(tmp_path):
    ending = raised(tmp_path, "return undefinedname", head=f"from os import *\n{HEAD}")
    assert "origin" not in ending
