"""What the commands do with a pipeline's answer: output, exit status, complaints."""

import json
import sys
from pathlib import Path

import click
import pytest
from click.testing import CliRunner

import worker.check.replay
import worker.cli
import worker.cli.checking
import worker.cli.diagnosis
from analyzers.vocabulary import Conclusion, Report
from tests.worker.report.samples import SOURCES, full_report
from worker.check.check_plan import CheckResult
from worker.check.replay import ReplayedFinding, ReplayOutcome
from worker.cli import COMMANDS, cli, main
from worker.cli.machine_checks import MachineCheck
from worker.errors import MachineError, UsageError

EMPTY = Report("here", "b" * 40, None, Conclusion.SKIPPED)


class Pipeline:
    """Stands for ``worker.check.pipeline.check``: gives a report, or raises."""

    def __init__(self, report=EMPTY, error=None):
        self._report = report
        self._error = error
        self.request = None

    def __call__(self, request, settings, listener, keep):
        self.request = request
        listener.detected([])
        if self._error is not None:
            raise self._error
        return CheckResult(self._report, SOURCES)


@pytest.fixture
def assayer(monkeypatch, tmp_path):
    """Runs the whole command line in this process."""
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    monkeypatch.chdir(tmp_path)

    def assayer(*arguments, pipeline=None):
        monkeypatch.setattr(worker.cli.checking, "run_check", pipeline or Pipeline())
        monkeypatch.setattr(sys, "argv", ["assayer", *map(str, arguments)])
        # the process itself stays as it is
        monkeypatch.setattr(worker.cli, "remove_current_folder", lambda: None)
        monkeypatch.setattr(worker.cli, "interrupt_once", lambda: None)
        monkeypatch.setattr(worker.cli, "interrupt_no_more", lambda: None)
        with pytest.raises(SystemExit) as left:
            main()
        return left.value.code

    return assayer


@pytest.mark.parametrize(
    ("conclusion", "status"),
    [
        (Conclusion.SUCCESS, 0),
        (Conclusion.NEUTRAL, 0),
        (Conclusion.SKIPPED, 0),
        (Conclusion.FAILURE, 1),
        (Conclusion.ERROR, 3),
    ],
)
def test_exit_status_is_the_verdicts(assayer, conclusion, status):
    report = Report("here", "b" * 40, None, conclusion)
    assert assayer("check", "--quiet", pipeline=Pipeline(report)) == status


def test_options_become_a_request(assayer):
    pipeline = Pipeline()
    assayer(
        *("check", "repo", "--base", "a", "--head", "b", "--all", "--target", "x.py::f"),
        *("--target", "y.py::g", "--only", "cloud, other", "--inputs", 3, "--budget", 7.5),
        *("--seed", 9, "--offline", "--trust", "--quiet"),
        pipeline=pipeline,
    )
    request = pipeline.request
    assert (request.repository, request.base, request.head) == (Path("repo"), "a", "b")
    assert (request.everything, request.offline, request.trust) == (True, True, True)
    assert request.targets == ("x.py::f", "y.py::g")
    assert request.analyzers == ("cloud", "other")
    assert (request.inputs, request.seconds, request.seed) == (3, 7.5, 9)


def test_unset_options_leave_the_choice_to_the_configuration(assayer):
    pipeline = Pipeline()
    assayer("check", pipeline=pipeline)
    assert (pipeline.request.inputs, pipeline.request.seconds) == (None, None)
    assert pipeline.request.repository == Path()


@pytest.mark.parametrize(
    "arguments",
    [
        ("check", "--inputs", "0"),
        ("check", "--budget", "0"),
        ("check", "--format", "pdf"),
        ("check", "--nonsense"),
        ("nonsense",),
        ("check", "--settings", "/nowhere.toml"),
    ],
)
def test_wrong_usage_leaves_with_two(assayer, arguments):
    assert assayer(*arguments) == 2


@pytest.mark.parametrize(
    ("error", "status", "said"),
    [
        (UsageError("no such revision"), 2, "no such revision"),
        (MachineError("nothing isolates here", "Install bubblewrap."), 3, "nothing isolates here"),
        (KeyboardInterrupt(), 130, "Interrupted"),
        (click.Abort(), 130, "Interrupted"),
        (OSError(28, "No space left on device", "/tmp/x"), 3, "No space left on device: /tmp/x"),
    ],
)
def test_troubles_are_said_in_a_line(assayer, capsys, error, status, said):
    assert assayer("check", pipeline=Pipeline(error=error)) == status
    written = capsys.readouterr()
    assert f"assayer: {said}" in written.err
    assert "Traceback" not in written.err
    assert written.out == ""


def test_report_goes_to_standard_output(assayer, capsys):
    assayer("check", "--format", "json", pipeline=Pipeline(full_report()))
    assert json.loads(capsys.readouterr().out)["schema"] == "assayer-report/1"


def test_report_goes_to_a_file(assayer, capsys, tmp_path):
    output = tmp_path / "new" / "report.json"
    assayer("check", "--format", "json", "--output", output, pipeline=Pipeline(full_report()))
    assert capsys.readouterr().out == ""
    assert json.loads(output.read_text())["findings"]


def test_files_beside_the_report_are_relative(assayer, tmp_path):
    assayer(
        *("check", "--format", "json", "--quiet"),
        *("--output", tmp_path / "r.json", "--artifacts", tmp_path / "files"),
        pipeline=Pipeline(full_report()),
    )
    found = json.loads((tmp_path / "r.json").read_text())["findings"]
    for finding in found:
        assert not Path(finding["replay"]).is_absolute()
        assert (tmp_path / finding["replay"]).is_file()


def test_artifacts_go_to_the_users_state(assayer, tmp_path):
    assayer("check", "--format", "json", "--quiet", pipeline=Pipeline(full_report()))
    (run,) = (tmp_path / "state" / "assayer" / "runs").iterdir()
    assert list(run.glob("test_cloud_*.py"))


def test_report_without_findings_writes_no_artifacts(assayer, tmp_path):
    assayer("check", "--quiet")
    assert not (tmp_path / "state").exists()


def test_quiet_check_says_nothing_but_the_report(assayer, capsys):
    assayer("check", "--quiet")
    assert capsys.readouterr().err == ""


@pytest.mark.parametrize("name", sorted(COMMANDS))
def test_every_command_has_a_help(name):
    result = CliRunner().invoke(cli, [name, "--help"])
    assert result.exit_code == 0
    assert result.output.startswith("Usage: ")


def test_version_is_told(assayer, capsys):
    assert assayer("--version") == 0
    assert capsys.readouterr().out.startswith("assayer, version ")


# ------------------------------------------------------- replay and doctor


@pytest.mark.parametrize(
    ("outcomes", "status"),
    [
        ([], 0),
        ([ReplayOutcome.FIXED], 0),
        ([ReplayOutcome.FIXED, ReplayOutcome.FAILED], 1),
        ([ReplayOutcome.FAILED, ReplayOutcome.ERROR], 3),
    ],
)
def test_replay_prints_a_line_each(assayer, capsys, monkeypatch, outcomes, status):
    replayed = [
        ReplayedFinding(f"f{n}", outcome, "" if n else "why") for n, outcome in enumerate(outcomes)
    ]
    monkeypatch.setattr(worker.check.replay, "replay_report", lambda *_, **__: iter(replayed))
    assert assayer("replay", "report.json") == status
    lines = capsys.readouterr().out.splitlines()
    assert [line.split()[:2] for line in lines] == [[r.outcome, r.fingerprint] for r in replayed]
    assert all(line.endswith("why") for line in lines[:1])


@pytest.mark.parametrize(
    ("check", "status"),
    [
        (MachineCheck("isolation", ok=True, detail="bubblewrap"), 0),
        (MachineCheck("isolation", ok=False, detail="no bubblewrap", remedy="apt install it"), 3),
        (MachineCheck("escape: sockets", ok=False, detail="got through", remedy="update"), 3),
        (MachineCheck("queue", ok=False, detail="Redis is deaf", remedy="start [it]"), 0),
    ],
)
def test_doctor_fails_only_for_isolation(assayer, capsys, monkeypatch, check, status):
    monkeypatch.setattr(worker.cli.diagnosis, "examine", lambda settings: iter([check]))
    assert assayer("doctor") == status
    said = capsys.readouterr().out
    assert check.detail in said
    assert check.remedy in said
