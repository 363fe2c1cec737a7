"""The one pipeline, on small real repositories."""

import shutil
from dataclasses import replace

import pytest

from analyzers.vocabulary import Conclusion, Status
from tests.worker.changes.conftest import Project
from worker.check import CheckRequest, check
from worker.cli.progress import Silent
from worker.errors import UsageError
from worker.settings.server import read_settings

PLAIN = "def add(a, b):\n    return a + b\n"
READER = """\
from google.cloud import vision


def first_line(path):
    client = vision.ImageAnnotatorClient()
    with open(path, "rb") as file:
        image = vision.Image(content=file.read())
    response = client.text_detection(image=image)
    return response.text_annotations[0].description.splitlines()[0]
"""
CAREFUL = READER.replace(
    "    return response",
    "    if not response.text_annotations:\n        return None\n    return response",
)


@pytest.fixture
def project(tmp_path, monkeypatch):
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    project = Project(tmp_path / "project")
    project.commit(app=PLAIN)
    return project


def checked(project, **wishes):
    request = CheckRequest(project.root, base="HEAD", offline=True, inputs=3, seconds=60)
    return check(replace(request, **wishes), read_settings(None), Silent()).report


def test_change_without_ml_code_is_skipped(project):
    project.write("app.py", PLAIN + "\n\nprint(add(1, 2))\n")
    report = checked(project)
    assert report.conclusion is Conclusion.SKIPPED
    assert report.targets == ()
    assert report.cost.executions == 0


def test_unknown_analyzer_is_a_wrong_usage(project):
    project.write("reader.py", READER)
    with pytest.raises(UsageError, match="cloud"):
        checked(project, analyzers=("clouds",))


def test_unknown_target_is_a_wrong_usage(project):
    project.write("reader.py", READER)
    with pytest.raises(UsageError, match=r"reader\.py::nothing"):
        checked(project, targets=("reader.py::nothing",))


def test_malformed_silence_is_a_wrong_usage(project):
    project.write("reader.py", READER + "# assayer: ignore\n")
    with pytest.raises(UsageError, match=r"reader\.py"):
        checked(project)


needs_isolation = pytest.mark.skipif(
    shutil.which("bwrap") is None, reason="bubblewrap is not installed"
)


@needs_isolation
def test_crash_that_a_change_brings_is_new(project):
    project.write("reader.py", READER)
    report = checked(project)
    (crash,) = report.findings
    assert (crash.rule, crash.status, crash.line) == ("cloud/crash", Status.NEW, 9)
    assert report.conclusion is Conclusion.FAILURE
    assert report.cost.executions > 0
    assert not report.broken


@needs_isolation
def test_careful_change_passes(project):
    project.write("reader.py", CAREFUL)
    report = checked(project)
    assert report.findings == ()
    assert report.conclusion is Conclusion.SUCCESS


@needs_isolation
def test_change_that_edits_the_configuration_is_told_so(project):
    project.write("reader.py", CAREFUL)
    project.write(".github/assayer.toml", 'gate = "neutral"\n')
    report = checked(project)
    assert any("configuration" in said for said in report.environment)
