"""Guard clauses: what was missing, what to do instead, and in whose style."""

import tomllib
import traceback
from pathlib import Path
from types import SimpleNamespace

import pytest

from analyzers.cloud.repairs.guards.guard_clauses import RaisedLine, guard
from analyzers.cloud.source_edits import LineEdit
from analyzers.vocabulary import Suggestion
from worker.executor.execution_context import apply_suggestion

FILE = "app.py"
CASES = tomllib.loads(Path(__file__).with_name("guards.toml").read_text(encoding="utf-8"))["cases"]
GUARDED = [case for case in CASES if "why" not in case]
LEFT_ALONE = [case for case in CASES if "why" in case]


def about(case):
    return case["about"]


def called(source, call):
    """What a call of the program gives; where it raises, the crash as the guest reports it."""
    names = {"Reply": SimpleNamespace}
    exec(compile(source, FILE, "exec"), names)
    try:
        return eval(call, names)
    except Exception as error:  # noqa: BLE001 - whatever the program raises
        frame = [f for f in traceback.extract_tb(error.__traceback__) if f.filename == FILE][-1]
        kind = type(error)
        module = "" if kind.__module__ == "builtins" else f"{kind.__module__}."
        return RaisedLine(frame.lineno, module + kind.__name__, str(error))


def applied(source: str, edit: LineEdit) -> str:
    suggestion = Suggestion(FILE, edit.start_line, edit.end_line, edit.replacement)
    return apply_suggestion(source, suggestion)


def guarded(source, call, returned=()):
    crash = called(source, call)
    assert isinstance(crash, RaisedLine)
    edit = guard(source, crash, returned)
    return None if edit is None else applied(source, edit)


@pytest.mark.parametrize("case", GUARDED, ids=about)
def test_guard_fits_the_code(case):
    after = guarded(case["before"], case["call"])
    assert after == case["after"]
    assert called(after, case["call"]) == eval(case["gives"])


@pytest.mark.parametrize("case", LEFT_ALONE, ids=about)
def test_what_cannot_be_told_is_not_guarded(case):
    assert guarded(case["before"], case["call"]) is None


UNTOLD = "def check(names):\n    best = names[0]\n    return best\n"


@pytest.mark.parametrize(
    ("returned", "value"),
    [
        (["'Dog'", "'Cat'"], '""'),
        (["['Dog']"], "[]"),
        (["True"], "False"),
        (["1"], None),
        (["'Dog'", "1"], None),
        (["<Label>"], None),
        (["'cut off…"], None),
        ([], None),
    ],
)
def test_results_that_were_seen_tell_the_type(returned, value):
    guard_lines = f"    if not names:\n        return {value}\n"
    after = UNTOLD.replace("    best", f"{guard_lines}    best") if value else None
    assert guarded(UNTOLD, "check([])", returned) == after


def test_windows_lines_are_kept():
    before = "def check(names):\r\n    best = names[0]\r\n    print(best)\r\n"
    assert guarded(before, "check([])") == before.replace(
        "    best = ", "    if not names:\r\n        return\r\n    best = "
    )


def test_line_that_would_grow_too_long_gets_a_guard_before_it():
    long = f'"{"x" * 60}"'
    before = f"def check(names):\n    return str({long} + names[0].text)\n"
    assert guarded(before, "check([])") == (
        f'def check(names):\n    if not names:\n        return ""\n'
        f"    return str({long} + names[0].text)\n"
    )


def test_script_shows_what_there_is():
    before = "names = []\nif True:\n    print(names[0])\n"
    source = f"def check():\n    exec(compile(PROGRAM, {FILE!r}, 'exec'), {{}})\n"
    crash = called(source.replace("PROGRAM", repr(before)), "check()")
    edit = guard(before, crash)
    assert applied(before, edit) == (
        "names = []\nif True:\n    if names:\n        print(names[0])\n"
    )


@pytest.mark.parametrize(
    ("source", "crash"),
    [
        ("def check(:\n", RaisedLine(1, "IndexError", "list index out of range")),
        ("def check(x): pass\n", RaisedLine(7, "IndexError", "list index out of range")),
        (
            "def check(x):\n    return x[0]\n",
            RaisedLine(1, "IndexError", "list index out of range"),
        ),
        ("def check(x):\n    return x[0]\n", RaisedLine(2, "RecursionError", "too deep")),
        (
            "def check(x):\n    return x.y\n",
            RaisedLine(2, "AttributeError", "'A' has no attribute 'y'"),
        ),
        ("def check(x):\n    return int(x)\n", RaisedLine(2, "ValueError", "invalid literal: 'a'")),
        ("def check(x):\n    return {}[x]\n", RaisedLine(2, "KeyError", "'a'")),
    ],
)
def test_other_crashes_are_not_guarded(source, crash):
    assert guard(source, crash) is None
