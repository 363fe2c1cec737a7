"""Progress on standard error: plain lines where there is no terminal."""

import io
from dataclasses import replace

import pytest
from rich.console import Console
from rich.text import Text

from analyzers.vocabulary import Broken, Level, Skipped
from tests.analyzers.samples import finding, target
from worker.check.check_plan import ComparedSides
from worker.cli import progress as progress_module
from worker.cli.progress import (
    CheckProgress,
    SilentListener,
    WorkClock,
    progress_listener,
    time_left,
)


@pytest.fixture
def said():
    file = io.StringIO()
    progress = CheckProgress(Console(file=file, highlight=False, soft_wrap=True), None)
    return progress, file


def test_targets_are_counted(said):
    progress, file = said
    progress.detected([target(), target()])
    progress.examining(target())
    progress.examining(target())
    lines = file.getvalue().splitlines()
    assert lines[0] == "2 functions to test"
    assert [line[:24] for line in lines[1:]] == [
        "[1/2] app.py::check",
        "[2/2] app.py::check",
    ]


def test_nothing_to_test_says_nothing(said):
    progress, file = said
    progress.detected([])
    assert file.getvalue() == ""


@pytest.mark.parametrize(
    ("verdict", "line"),
    [
        (finding(title="a [bold] title"), "new failure app.py:3 a [bold] title"),
        (finding(level=Level.NOTICE), "new notice app.py:3"),
        (Skipped("cloud", "t", "no [engine]"), "not tested: no [engine]"),
        (Broken("cloud", "t", "KeyError"), "broken KeyError"),
    ],
)
def test_verdicts_are_told_as_they_stand(said, verdict, line):
    progress, file = said
    progress.found(verdict)
    assert file.getvalue().strip() == line


def test_reason_is_told_once(said):
    progress, file = said
    for name in ("a.py::f", "a.py::g"):
        progress.found(Skipped("assayer", name, "no time"))
    progress.found(Skipped("assayer", "a.py::h", "no memory"))
    assert file.getvalue().split("\n") == ["  not tested: no time", "  not tested: no memory", ""]


def test_quiet_listener_is_silent(capsys):
    with progress_listener(quiet=True) as listener:
        assert isinstance(listener, SilentListener)
        listener.detected([target()])
        listener.examining(target())
        listener.found(finding())
    assert capsys.readouterr() == ("", "")


def test_progress_goes_to_standard_error(capsys):
    with progress_listener(quiet=False) as listener:
        listener.detected([target()])
    assert capsys.readouterr() == ("", "1 function to test\n")


def test_terminal_shows_one_live_line():
    file = io.StringIO()
    console = Console(file=file, force_terminal=True, width=80)
    with console.status("…") as status:
        progress = CheckProgress(console, status)
        progress.detected([target()])
        progress.examining(target())
        assert "app.py::check" in str(status.status)


BASE, HEAD = "b" * 40, "c" * 40


@pytest.mark.parametrize(
    ("comparison", "line"),
    [
        (
            ComparedSides(BASE, "main", None, 3, 5, 60),
            f"main ({BASE[:12]}) → working tree: 3 changed files, 5 functions to test",
        ),
        (
            ComparedSides(BASE, BASE, HEAD, 1, 1, 60),
            f"{BASE[:12]} → {HEAD[:12]}: 1 changed file, 1 function to test",
        ),
        (
            ComparedSides(BASE, None, BASE, 0, 0, 60),
            f"{BASE[:12]} → {BASE[:12]}: nothing to compare: base and head are the same commit",
        ),
        (
            ComparedSides(BASE, None, None, 0, 0, 60),
            f"{BASE[:12]} → working tree: no ML code to test: no Python file differs from the base",
        ),
    ],
)
def test_first_line_says_what_is_compared(said, comparison, line):
    progress, file = said
    progress.compared(comparison)
    progress.detected([target()] * comparison.functions)
    assert file.getvalue().splitlines() == [line]


@pytest.fixture
def now(monkeypatch):
    """A clock that stands still until it is set."""
    at = [100.0]
    monkeypatch.setattr(progress_module.time, "monotonic", lambda: at[0])
    return at


def test_time_left_is_that_of_the_steps_before(now):
    clock = WorkClock(total=5, seconds=1000)
    clock.step()
    assert clock.left() is None
    now[0] += 60
    clock.step()
    assert clock.left() == 240
    now[0] += 30
    assert clock.left() == 210
    now[0] += 300
    assert clock.left() == 0


def test_time_left_is_no_more_than_the_budget(now):
    clock = WorkClock(total=100, seconds=120)
    clock.step()
    now[0] += 60
    clock.step()
    assert clock.left() == 60


@pytest.mark.parametrize(
    ("seconds", "words"),
    [
        (None, ""),
        (5.0, ""),
        (44.0, ", about 40 s left"),
        (150.0, ", about 2 min left"),
        (3600.0, ", about 60 min left"),
    ],
)
def test_time_left_is_rounded(seconds, words):
    assert time_left(seconds) == words


def test_lines_of_long_work_say_the_time_left(said, now):
    progress, file = said
    progress.compared(ComparedSides(BASE, None, None, 2, 3, 1000))
    progress.detected([target()] * 3)
    progress.examining(target())
    now[0] += 40
    progress.examining(target())
    assert file.getvalue().splitlines()[-1].endswith(", about 80 s left")


@pytest.mark.parametrize("width", [40, 80])
def test_live_line_fits_the_terminal(width):
    file = io.StringIO()
    console = Console(file=file, force_terminal=True, width=width)
    with console.status("…") as status:
        progress = CheckProgress(console, status)
        progress.detected([target()])
        progress.examining(replace(target(), function="a_function_with_a_long_name" * 5))
        console.print(status)
    lines = Text.from_ansi(file.getvalue()).plain.splitlines()
    assert max(map(len, lines)) <= width


def test_text_from_outside_stays_on_its_line(said):
    """No line of a log begins with what the code wrote: a workflow's runner would obey it."""
    progress, file = said
    progress.found(finding(title="a\n::error ::b\x1b[2J"))
    [line] = file.getvalue().splitlines()
    assert line.endswith("a ::error ::b\N{REPLACEMENT CHARACTER}[2J")
