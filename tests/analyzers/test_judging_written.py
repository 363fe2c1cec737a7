"""What is written, and what a function promised: when do they show a defect?"""

import json
import re
from pathlib import Path

import pytest

from analyzers.criteria import (
    crash_of,
    is_crash,
    is_informative,
    is_shown,
    is_written,
    outcome_of,
    relocated,
    translate,
)
from analyzers.source_checks.readers import NAMES, identities
from analyzers.vocabulary import Returned, Run, Violated, Violates, Written
from tests.analyzers.samples import goal
from worker.report import replay_file

BROKEN = Violated("finite(result)", "result is nan")


@pytest.mark.parametrize(
    ("text", "source"),
    [
        ("np.float(x)", "y = np.float(x)\n"),
        ("np.float(x)", "y = np . float(\n    x  # the value\n)\n"),
        ("from keras.layers import merge", "if x:\n    from  keras.layers import merge\n"),
        ("np.float", "a = 'b'\nreturn np.float\nx = (\n"),
        ("tf.log(", "y = tf.log (x)"),
    ],
)
def test_what_is_written_stands_whatever_the_blanks(text, source):
    assert is_written(Written("app.py", text), source)


@pytest.mark.parametrize(
    ("text", "source"),
    [
        ("np.float", "y = np.float64(x)\n"),
        ("np.float(x)", "# np.float(x)\n'np.float(x)'\n"),
        ("np.float(x)", ""),
        ("", "y = 1\n"),
        ("a b", "ab\n"),
    ],
)
def test_what_is_not_code_does_not_stand(text, source):
    assert not is_written(Written("app.py", text), source)


def test_broken_promise_is_shown_by_a_run():
    runs = [Run(Returned("1")), Run(BROKEN)]
    assert is_shown(Violates("finite(result)"), runs)
    assert not is_shown(Violates("unchanged(x)"), runs)
    assert not is_shown(Violates("finite(result)"), runs[:1])


def test_no_run_shows_what_is_written():
    assert not is_shown(Written("app.py", "x"), [Run(BROKEN)])


def test_broken_promise_is_an_outcome_and_no_crash():
    assert outcome_of(Run(BROKEN)) == "breaks finite(result)"
    assert (is_crash(BROKEN), crash_of(BROKEN)) == (False, None)
    assert is_informative(goal(), Run(BROKEN))


def test_criteria_hold_on_another_text():
    written, broken = Written("new.py", "x"), Violates("finite(result)")
    assert translate(written, "old.py", "", "") == Written("old.py", "x")
    assert translate(broken, "old.py", "", "") == broken
    assert (relocated(written, ""), relocated(broken, "")) == (written, broken)


def test_replay_files_may_carry_every_check_that_reads():
    schema = Path(replay_file.__file__).with_name("replay-schema.json").read_text("utf-8")
    listed = re.search(r'"reader": \{\s*"enum": (\[[^\]]*\])', schema)
    assert listed is not None
    assert set(json.loads(listed[1])) == {"", *NAMES}
    assert all(identities(name, "x = 1\n") == frozenset() for name in NAMES)
