"""Which findings a change reaches, by the code and by the other files of both trees."""

from dataclasses import replace

import pytest

from analyzers.vocabulary import ChangeSet, Crashes, FileChange, Written
from tests.analyzers.samples import finding
from tests.worker.sessions import laboratory, target, tree
from worker.check.base_comparison import FindingReach

APP = 'def check(path):\n    return open("data/names.txt").read()\n'
USER = "from app import check\n\n\ndef check_all(path):\n    return check(path)\n"
OTHER = "def alone(path):\n    return path[0]\n"
CRASH = finding(path="other.py", line=2, target="other.py::alone")


@pytest.fixture
def reached(tmp_path):
    """The reach of a change: of the text of ``app.py``, or of files beside it."""

    def reached(app=APP, **files):
        head = tree(tmp_path / "head", app=app, user=USER, other=OTHER)
        base = tree(tmp_path / "base", app=APP, user=USER, other=OTHER)
        for name, texts in files.items():
            path = {"names": "data/names.txt", "packages": "requirements.txt"}[name]
            for side, text in zip((head, base), texts, strict=True):
                (side.root / path).parent.mkdir(exist_ok=True)
                (side.root / path).write_text(text, encoding="utf-8")
        changed = (FileChange("app.py", frozenset({2})),) if app != APP else ()
        changes = ChangeSet("here", "b" * 40, None, changed, head.texts, base.texts)
        return FindingReach(laboratory(head, base), changes)

    return reached


EDITED = APP.replace("read", "readline")


def test_untouched_code_is_not_reached(reached):
    found = reached(EDITED)
    assert not found.finding(CRASH)
    assert not found.target(target("other.py", "alone"))


def test_what_a_run_of_an_edited_function_showed_is_reached(reached):
    found = reached(EDITED)
    elsewhere = replace(CRASH, target="app.py::check", criterion=Crashes("KeyError", "a", "b"))
    assert found.finding(elsewhere)
    assert not found.finding(replace(elsewhere, criterion=Written("other.py", "path")))


def test_target_that_calls_edited_code_runs_other_code(reached):
    found = reached(EDITED)
    assert found.target(target("app.py"))
    assert found.target(target("user.py", "check_all"))


@pytest.mark.parametrize(("texts", "is_reached"), [(("a", "b"), True), (("a", "a"), False)])
def test_file_that_the_code_names_reaches_it(reached, texts, is_reached):
    found = reached(names=texts)
    named = replace(CRASH, path="app.py", target="user.py::check_all")
    assert found.finding(named) is is_reached
    assert not found.finding(CRASH)


def test_other_packages_reach_everything(reached):
    assert reached(packages=("torch==2.13\n", "torch==2.12\n")).finding(CRASH)
