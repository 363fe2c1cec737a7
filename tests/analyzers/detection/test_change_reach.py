"""What a change edits, and what it reaches through calls."""

import difflib

import pytest

from analyzers.detection.change_reach import ChangeReach
from analyzers.vocabulary import ChangeSet, FileChange

FILES = {
    "app.py": """\
import json

from helpers import narrow, wide
from settings import LIMIT

NAMES = json.load(open("data/names.json"))


def check(x):
    return narrow(x)


def limited(x):
    return x[:LIMIT]


def both(x):
    return wide(x) + other(x)


def other(x):
    return x.sum()


def named(x):
    return NAMES[x]


class Net:
    width = 3

    def __init__(self, size):
        self.size = size

    def forward(self, x):
        return x[: self.size]

    def sized(self, x):
        return x * self.width

    def plain(self, x):
        return x
""",
    "helpers.py": """\
def narrow(x):
    return inner(x)


def inner(x):
    return x[0]


def wide(x):
    # a remark
    return x[1]
""",
    "settings.py": "LIMIT = 3\n",
}


def reach(path, old, new, differing=frozenset()):
    """The reach of a change of one file."""
    assert old in FILES[path]
    head = FILES | {path: FILES[path].replace(old, new, 1)}
    before, after = FILES[path].splitlines(), head[path].splitlines()
    blocks = difflib.SequenceMatcher(None, before, after, autojunk=False).get_opcodes()
    lines = frozenset(n + 1 for tag, *_, a, b in blocks if tag != "equal" for n in range(a, b))
    removed = frozenset(a for tag, *_, a, b in blocks if tag == "delete")
    change = FileChange(path, lines, removed_at=removed)
    changes = ChangeSet("here", "b" * 40, None, (change,), head, FILES)
    return ChangeReach(changes, lambda names: bool(names & differing)), head


def reached(found, path, text, target):
    """Whether the line with a text in a file is reached for a target."""
    changed, head = found
    line = next(n for n, each in enumerate(head[path].splitlines(), 1) if text in each)
    return changed.reaches(path, line, target)


INNER = ("helpers.py", "return x[0]", "return x[-1]")


def test_edited_function_and_its_callers_are_reached():
    found = reach(*INNER)
    assert reached(found, "helpers.py", "return x[-1]", "app.py::check")
    assert reached(found, "helpers.py", "return inner(x)", "app.py::check")
    assert reached(found, "app.py", "return narrow(x)", "app.py::check")


def test_what_neither_changes_nor_calls_a_change_is_not_reached():
    found = reach(*INNER)
    assert not reached(found, "helpers.py", "return x[1]", "app.py::both")
    assert not reached(found, "app.py", "return x.sum()", "app.py::both")


def test_what_an_edited_caller_leads_to_is_reached():
    found = reach("app.py", "return wide(x) + other(x)", "return wide(2 * x) + other(x)")
    assert reached(found, "helpers.py", "return x[1]", "app.py::both")
    assert reached(found, "app.py", "return x.sum()", "app.py::both")
    assert not reached(found, "helpers.py", "return x[0]", "app.py::check")


def test_calls_outside_the_target_do_not_count():
    found = reach("app.py", "return wide(x) + other(x)", "return wide(2 * x) + other(x)")
    assert not reached(found, "app.py", "return x.sum()", "app.py::other")


@pytest.mark.parametrize(
    ("change", "text"),
    [
        (("settings.py", "3", "5"), "return x[:LIMIT]"),
        (("app.py", "width = 3", "width = 5"), "return x * self.width"),
        (("app.py", "self.size = size", "self.size = 2 * size"), "return x[: self.size]"),
        (("app.py", "def limited(x)", "@staticmethod\ndef limited(x)"), "return x[:LIMIT]"),
        (("helpers.py", "# a remark", "# another"), "return x[1]"),
    ],
)
def test_function_that_reads_what_changed_is_reached(change, text):
    path = "helpers.py" if text == "return x[1]" else "app.py"
    assert reached(reach(*change), path, text, "app.py::check")


def test_method_that_reads_nothing_of_the_change_is_not_reached():
    found = reach("app.py", "width = 3", "width = 5")
    assert not reached(found, "app.py", "return x.sum()", "app.py::other")


def test_function_that_names_a_changed_file_is_reached():
    found = reach(*INNER, differing={"names.json"})
    assert reached(found, "app.py", "return NAMES[x]", "app.py::named")
    assert not reached(reach(*INNER), "app.py", "return NAMES[x]", "app.py::named")


def test_target_runs_other_code_where_a_callee_changed():
    changed, _ = reach(*INNER)
    assert changed.alters("app.py::check")
    assert not changed.alters("app.py::both")


def test_unreadable_file_is_reached_where_it_changed():
    found = reach("helpers.py", "def wide(x):", "def wide(x:")
    assert reached(found, "helpers.py", "return x[0]", "app.py::check")
