"""Which errors are told as the code's own, and how a missing name is spelled right."""

import pytest

from analyzers.code_errors import ObservedError, code_error, is_own_error
from analyzers.code_errors.own_errors import respelled
from analyzers.vocabulary import ErrorOrigin, Probe, Raised, Reason, Run, Target
from tests.analyzers.benches import IdleBench

TARGET = Target("app.py", "check", 1, 9, Reason.CHANGED, (), (), ("app.py",))
TEXT = """
def check(path):
    return lables["sky"] + box.lables[0]
"""


class ErrorBench(IdleBench):
    def source(self, path):
        return self.texts[path]

    def paths(self):
        return tuple(self.texts)


def raised(exception="NameError", message="name 'lables' is not defined", **more):
    fields = {"origin": ErrorOrigin.CODE, **more}
    return Raised(exception, message, "app.py", 3, "check", **fields)


NO_ATTRIBUTE = raised("AttributeError", "'Box' object has no attribute 'lables'", meant="labels")


def is_own(ending, **texts):
    files = {"app.py": TEXT, **{f"{name}.py": text for name, text in texts.items()}}
    return is_own_error(Run(ending), ErrorBench(files))


@pytest.mark.parametrize(
    "ending",
    [
        raised(),
        raised(origin=ErrorOrigin.ANSWERS),
        NO_ATTRIBUTE,
        raised("KeyError", "'sky'"),
        raised("UnboundLocalError", "cannot access local variable 'lables'"),
    ],
)
def test_errors_of_the_code_are_own(ending):
    assert is_own(ending)


def test_name_that_a_decorator_supplies_is_not_missing():
    text = '@register(needs=["lables"])\ndef check():\n    return lables()\n'
    assert not is_own_error(Run(raised()), ErrorBench({"app.py": text}))
    assert is_own_error(Run(raised()), ErrorBench({"app.py": text.replace('lables"', 'other"')}))


@pytest.mark.parametrize(
    "ending",
    [
        raised(origin=ErrorOrigin.UNKNOWN),
        raised(refusal=True),
        raised(standin=True),
        raised("OSError", "no such file"),
    ],
)
def test_other_errors_are_not_own(ending):
    assert not is_own(ending)


@pytest.mark.parametrize(
    ("ending", "text"),
    [
        (raised(), "import builtins\nbuiltins.lables = {}\n"),
        (raised(), "import app\napp.lables = {}\n"),
        (raised(), "setattr(module, 'lables', {})\n"),
        (NO_ATTRIBUTE, "def fill(box):\n    box.lables = []\n"),
        (NO_ATTRIBUTE, "def fill(box):\n    box.lables: list = []\n"),
        (raised("KeyError", "'sky'"), "from app import lables\nlables['sky'] = 1\n"),
        (raised("KeyError", "'sky'"), "from app import lables\nlables.update(sky=1)\n"),
    ],
)
def test_what_another_file_supplies_is_not_missing(ending, text):
    assert not is_own(ending, plugin=text)


@pytest.mark.parametrize(
    "text", ["if app.lables == 1:\n    pass\n", "print(box.lables, 2)\n", "lables = 1\n"]
)
def test_reading_a_name_supplies_nothing(text):
    assert is_own(raised(), plugin=text)
    assert is_own(NO_ATTRIBUTE, plugin=text)


def test_same_word_in_quotes_supplies_no_name():
    assert is_own(raised(), plugin="FIELDS = ('title', 'lables', 'author')\n")
    assert not is_own(raised(), plugin="globals()['lables'] = {}\n")


@pytest.mark.parametrize(
    ("ending", "line"),
    [
        (raised(meant="labels"), '    return labels["sky"] + box.lables[0]'),
        (NO_ATTRIBUTE, '    return lables["sky"] + box.labels[0]'),
        (raised("KeyError", "'sky'", meant="ski"), '    return lables["ski"] + box.lables[0]'),
    ],
)
def test_one_near_name_is_suggested(ending, line):
    assert respelled(ending, TEXT).replacement == line


def test_no_near_name_is_no_suggestion():
    assert respelled(raised(), TEXT) is None


def test_finding_says_where_and_how_often():
    run = Run(raised(meant="labels"))
    seen = ObservedError(Probe(TARGET.id, {}, ()), run, times=3, runs=3)
    finding = code_error("cloud", TARGET, seen, ErrorBench({"app.py": TEXT}))
    assert (finding.rule, finding.level, finding.line) == ("code/error", "failure", 3)
    assert finding.evidence["raised_at"] == "app.py:3"
    assert finding.evidence["inputs"] == 3
    assert "never returns a result" in finding.message
