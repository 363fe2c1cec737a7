"""What the functions say that an argument is passed on to."""

from analyzers.properties.inference import callees, hints
from tests.analyzers.properties.inference.subjects import said, subject

CALLED = """
class Mode:
    def run(self): ...

def inner(mode: Mode, count: int = 3):
    return mode, count
"""


def test_names_of_another_file_are_not_said_in_this_one():
    text = "import other\ndef f(mode, count):\n    return other.inner(mode, count)\n"
    found = callees.facts(subject(text, "f", other_py=CALLED), hints.facts)
    assert said(found) == ["count: ints() LIKELY"]


def test_names_of_the_same_file_are():
    text = CALLED + "\ndef f(mode):\n    return inner(mode)\n"
    assert said(callees.facts(subject(text, "f"), hints.facts)) == ["mode: froms([Mode()]) LIKELY"]
