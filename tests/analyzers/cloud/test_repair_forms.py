"""Labels in the forms of real code: where they are added, and how it reads."""

import tomllib
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from analyzers.cloud.repairs.labels.label_additions import ProjectFiles, rewrite, rewrite_in
from analyzers.guest.instrumentation.goals import decisions
from analyzers.vocabulary import Suggestion
from worker.executor.execution_context import apply_suggestion

CASES = tomllib.loads(Path(__file__).with_name("relabelled.toml").read_text(encoding="utf-8"))[
    "cases"
]
REWRITTEN = [case for case in CASES if "after" in case]
LEFT_ALONE = [case for case in CASES if "after" not in case]
WORDS = ("Fire", "Smoke", "Ash", "Ice", "Tree")


def about(case):
    return case["about"]


def asked_by(source, number=0):
    """The decision of the function that asks, by its number in it."""
    found = [each for each in decisions(source) if each.function.endswith("check")]
    return found[number]


def applied(source, edit):
    return apply_suggestion(
        source, Suggestion("app.py", edit.start_line, edit.end_line, edit.replacement)
    )


def rewritten(case, *added):
    source = case["before"]
    edit = rewrite(source, asked_by(source, case.get("asked", 0)), "Fire", added)
    return None if edit is None else applied(source, edit)


def truth(source, word):
    names = {}
    exec(compile(source, "app.py", "exec"), names)
    return names["check"](word)


@pytest.mark.parametrize("case", REWRITTEN, ids=about)
def test_form_takes_one_more_label(case):
    assert rewritten(case, "Flame") == case["after"]


@pytest.mark.parametrize("case", LEFT_ALONE, ids=about)
def test_code_that_means_more_is_left_alone(case):
    assert rewritten(case, "Flame") is None


@settings(deadline=None)
@given(
    st.sampled_from(REWRITTEN),
    st.lists(st.sampled_from(["Flame", "Lava", "Torch"]), min_size=1, unique=True),
    st.sampled_from(["\n", "\r\n"]),
)
def test_added_labels_do_what_the_label_did(case, added, newline):
    """The old answers stay, and nothing is changed but the lines of the edit."""
    source = case["before"].replace("\n", newline)
    number = case.get("asked", 0)
    edit = rewrite(source, asked_by(source, number), "Fire", added)
    if edit is None:
        assert set(added) & {"Lava"}
        return
    after = applied(source, edit)
    for word in WORDS:
        assert truth(after, word) == truth(source, word)
    for word in added:
        assert truth(after, word) == truth(source, "Fire")
    lines = source.split(newline)
    assert after.startswith(newline.join(lines[: edit.start_line - 1]))
    assert after.endswith(newline.join(lines[edit.end_line :]))
    assert after.count("\r") == (after.count("\n") if newline == "\r\n" else 0)


# ------------------------------------------------------------- other files

IN_CONFIG = """\
# what burns
HOT = ("Fire", "Smoke")
"""


def in_project(app, **files):
    """The file and text that change when ``Flame`` is added to a condition in ``app``."""
    sources = {"app.py": app, **{f"{name}.py": text for name, text in files.items()}}
    project = ProjectFiles(sources.__getitem__, tuple(sources))
    found = rewrite_in(project, "app.py", asked_by(app), "Fire", ["Flame"])
    return None if found is None else (found.path, applied(sources[found.path], found.edit))


@pytest.mark.parametrize(
    ("imported", "written"),
    [
        ("from config import HOT", "HOT"),
        ("import config", "config.HOT"),
        ("from . import config as settings", "settings.HOT"),
    ],
)
def test_constant_is_widened_in_its_own_file(imported, written):
    app = f"{imported}\n\ndef check(word):\n    return word in {written}\n"
    assert in_project(app, config=IN_CONFIG) == (
        "config.py",
        IN_CONFIG.replace('"Smoke")', '"Smoke", "Flame")'),
    )


def test_list_of_a_settings_class_is_widened():
    config = "class Settings:\n    hot: list = ['Fire']\n\nsettings = Settings()\n"
    app = "from config import settings\ndef check(word):\n    return word in settings.hot\n"
    assert in_project(app, config=config) == (
        "config.py",
        config.replace("['Fire']", "['Fire', 'Flame']"),
    )


@pytest.mark.parametrize(
    "other",
    [
        "import config\nprint(config.HOT)\n",
        "from config import HOT as WARM\nprint(WARM)\n",
        "HOT = ['Fire']\n",
    ],
)
def test_constant_of_which_other_files_make_more_is_left_alone(other):
    app = "from config import HOT\ndef check(word):\n    return word in HOT\n"
    assert in_project(app, config=IN_CONFIG, other=other) is None


def test_other_files_that_only_ask_do_not_matter():
    app = "from config import HOT\ndef check(word):\n    return word in HOT\n"
    other = "from config import HOT\nprint('Lava' in HOT)\n"
    assert in_project(app, config=IN_CONFIG, other=other, broken="HOT = (\n") is not None
