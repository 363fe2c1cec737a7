"""The one pipeline, on small real repositories."""

import shutil
from dataclasses import replace

import pytest

from analyzers.vocabulary import Conclusion, Status
from tests.worker.changes.conftest import Project
from tests.worker.report.rendering import to_json
from worker.broker.recording_caches import RunRequester
from worker.check.check_plan import CheckRequest
from worker.check.pipeline import check
from worker.check.plan_run import _asks_others
from worker.check.replay import ReplayOutcome, replay_report
from worker.check.result_store import FolderResults
from worker.cli.progress import SilentListener
from worker.errors import UsageError
from worker.report.artifacts import write_artifacts
from worker.settings.operator_settings import read_settings

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
    return check(replace(request, **wishes), read_settings(None), SilentListener()).report


def test_change_without_ml_code_is_skipped(project):
    project.write("app.py", PLAIN + "\n\nprint(add(1, 2))\n")
    report = checked(project)
    assert report.conclusion is Conclusion.SKIPPED
    assert report.targets == ()
    assert report.cost.executions == 0


PARTS = """\
from openai.types.chat import ChatCompletionChunk


def delta(chunk: ChatCompletionChunk) -> str:
    return chunk.choices[0].delta.content or ""
"""


def test_changed_function_is_read_where_nothing_is_to_be_run(project):
    project.write("parts.py", PARTS)
    report = checked(project)
    assert [(f.rule, f.line, f.status) for f in report.findings] == [("cloud/crash", 5, Status.NEW)]
    assert report.conclusion is Conclusion.NEUTRAL
    assert report.targets == ()
    assert checked(project, analyzers=("properties",)).findings == ()


def test_defect_that_base_has_too_is_existing(project):
    project.commit(parts=PARTS)
    project.write("parts.py", PARTS.replace(' or ""', ""))
    assert [f.status for f in checked(project).findings] == [Status.EXISTING]
    project.write("parts.py", PARTS + "\n\nLIMIT = 3\n")
    assert checked(project).findings == ()


def test_forgotten_import_in_code_without_ml_blocks(project):
    project.write("app.py", f"import sys\n\n\n{PLAIN}\n\ndef show(a):\n    return json.dumps(a)\n")
    report = checked(project)
    assert report.conclusion is Conclusion.FAILURE
    (found,) = report.findings
    assert found.rule == "code/error"
    assert found.suggestion is not None
    assert found.suggestion.verified
    ignored = "    return json.dumps(a)  # assayer: ignore[code/error] made by a plugin\n"
    project.write("app.py", f"import sys\n\n\n{PLAIN}\n\ndef show(a):\n{ignored}")
    assert checked(project).conclusion is not Conclusion.FAILURE


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


@pytest.mark.parametrize(
    ("wish", "setting", "requester", "asked"),
    [
        (False, "false", None, False),
        (True, "false", None, True),
        (False, "true", None, True),
        (False, "true", RunRequester("us/ours"), True),
        (True, "true", RunRequester("us/ours", approved=False), False),
    ],
)
def test_other_providers_are_asked_for_approved_code_alone(
    project, monkeypatch, wish, setting, requester, asked
):
    monkeypatch.setenv("ASSAYER_BUDGET__OTHER_PROVIDERS", setting)
    request = CheckRequest(project.root, other_providers=wish, requester=requester)
    assert _asks_others(request, read_settings(None)) is asked


needs_isolation = pytest.mark.skipif(
    shutil.which("bwrap") is None, reason="bubblewrap is not installed"
)


@pytest.mark.slow
@needs_isolation
def test_careful_change_passes_and_its_configuration_is_told_of(project):
    project.write("reader.py", CAREFUL)
    project.write(".github/assayer.toml", 'gate = "neutral"\n')
    report = checked(project)
    assert report.findings == ()
    assert report.conclusion is Conclusion.SUCCESS
    assert any("configuration" in said for said in report.environment)


KIND = READER.replace("first_line", "kind").replace(
    "    return response.text_annotations[0].description.splitlines()[0]",
    """    for text in response.text_annotations:
        if "TOTAL" in text.description:
            return "receipt"
    return "letter\"""",
)


@pytest.mark.slow
@needs_isolation
def test_change_of_outcomes_is_told_and_passes(project, tmp_path):
    project.commit(reader=KIND)
    project.write("reader.py", KIND.replace('"receipt"', '"bill"'))
    report = checked(project)
    (told,) = report.findings
    assert (told.rule, told.level, told.status) == ("behaviour/changed", "notice", Status.NEW)
    assert "that were 'receipt' are now 'bill'" in told.message
    assert report.conclusion is Conclusion.SUCCESS
    artifacts = write_artifacts(report, tmp_path / "kept", {})
    (tmp_path / "report.json").write_text(to_json(report, artifacts, tmp_path))
    assert replayed(tmp_path / "report.json", project.root) == [ReplayOutcome.FAILED]
    project.write("reader.py", KIND)
    assert replayed(tmp_path / "report.json", project.root) == [ReplayOutcome.FIXED]


def replayed(report, code):
    return [each.outcome for each in replay_report(report, code, read_settings(None))]


@pytest.mark.slow
@needs_isolation
def test_unchanged_function_takes_its_last_result(project, tmp_path):
    """The second check tests nothing."""
    project.commit(app=PLAIN, other="def more():\n    return 1\n")
    project.write("reader.py", READER)
    kept = FolderResults(tmp_path / "cache", "owner")
    first = checked(project, results=kept)
    project.write("other.py", "def more():\n    return 2\n")
    second = checked(project, results=kept)
    (crash,) = first.findings
    assert (crash.rule, crash.status, crash.line) == ("cloud/crash", Status.NEW, 9)
    assert not first.broken
    assert [counted.cached for _, counted in (*first.targets, *second.targets)] == [False, True]
    assert (first.cost.executions > 0, second.cost.executions) == (True, 0)
    assert second.findings == first.findings
    assert second.conclusion is first.conclusion is Conclusion.FAILURE


@pytest.mark.slow
@needs_isolation
def test_last_result_is_replayed_and_renewed(project, tmp_path):
    project.commit(app=PLAIN, other="def more():\n    return 1\n")
    project.write("reader.py", READER)
    kept = FolderResults(tmp_path / "cache", "owner")
    checked(project, results=kept)
    second = checked(project, results=kept)
    artifacts = write_artifacts(second, tmp_path / "kept", {})
    (tmp_path / "report.json").write_text(to_json(second, artifacts, tmp_path))
    assert replayed(tmp_path / "report.json", project.root) == [ReplayOutcome.FAILED]
    fresh = checked(project, results=kept, fresh=True)
    project.write("reader.py", CAREFUL)
    mended = checked(project, results=kept)
    assert [counted.cached for _, counted in (*fresh.targets, *mended.targets)] == [False, False]
    assert mended.findings == ()
