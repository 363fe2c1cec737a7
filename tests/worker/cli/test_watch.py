"""``assayer check --watch``: one check now, and one for each save."""

import threading
import time

import pytest

import worker.cli.checking
from analyzers.vocabulary import Conclusion, Report
from tests.worker.changes.conftest import Project
from worker.check.check_plan import CheckRequest, CheckResult
from worker.cli.checking import CheckCommand, watch_files
from worker.cli.report_output import ReportOutput
from worker.errors import UsageError
from worker.settings.operator_settings import read_settings

SECONDS = 600.0


class Checks:
    """Stands for the pipeline: counts the checks, and stops the watching after some."""

    def __init__(self, most, outcomes):
        self.most = most
        self.outcomes = outcomes
        self.count = 0
        self.done = threading.Event()

    def __call__(self, request, settings, listener, keep):
        self.count += 1
        self.done.set()
        outcome = self.outcomes[min(self.count, len(self.outcomes)) - 1]
        if isinstance(outcome, Exception):
            raise outcome
        stopped = self.count == self.most
        return CheckResult(Report("here", "b" * 40, None, outcome, interrupted=stopped), {})


@pytest.fixture
def watched(tmp_path, monkeypatch):
    project = Project(tmp_path / "project")
    project.commit(app="a = 1\n")
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    monkeypatch.setattr(worker.cli.checking.interruption, "terminate_in_order", lambda: None)

    def watched(most, *outcomes, name="app.py"):
        checks = Checks(most, outcomes)
        monkeypatch.setattr(worker.cli.checking, "run_check", checks)
        over = threading.Event()

        def save():
            """Save the file again and again: nobody says when the watching has begun."""
            checks.done.wait(SECONDS)
            number = 0
            while not over.wait(0.2) and number < SECONDS / 0.2:
                number += 1
                project.write(name, f"a = {number}\n")

        saving = threading.Thread(target=save, daemon=True)
        saving.start()
        command = CheckCommand(
            CheckRequest(project.root), read_settings(None), ReportOutput(quiet=True)
        )
        began = time.monotonic()
        try:
            status = watch_files(command)
        finally:
            over.set()
            saving.join()
        assert time.monotonic() - began < SECONDS
        return checks.count, status

    return watched


def test_each_save_is_checked_again(watched, capsys):
    assert watched(3, Conclusion.SUCCESS) == (3, 130)
    said = capsys.readouterr().err
    assert "Saved: app.py" in said
    assert "Ctrl-C ends it" in said


def test_failure_goes_on_watching(watched):
    assert watched(2, Conclusion.FAILURE, Conclusion.SUCCESS) == (2, 130)


def test_file_that_is_wrong_for_a_moment_is_said(watched, capsys):
    outcomes = (Conclusion.SUCCESS, UsageError("malformed", file="app.py"), Conclusion.SUCCESS)
    assert watched(3, *outcomes) == (3, 130)
    assert "assayer: app.py: malformed" in capsys.readouterr().err


def test_revision_cannot_be_watched(tmp_path):
    command = CheckCommand(
        CheckRequest(tmp_path, head="main"), read_settings(None), ReportOutput(quiet=True)
    )
    with pytest.raises(UsageError, match="working tree"):
        watch_files(command)
