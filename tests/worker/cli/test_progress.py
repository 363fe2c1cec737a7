"""Progress on standard error: plain lines where there is no terminal."""

import io

import pytest
from rich.console import Console

from analyzers.vocabulary import Broken, Level, Skipped
from tests.analyzers.samples import finding, target
from worker.cli.progress import CheckProgress, SilentListener, progress_listener


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
