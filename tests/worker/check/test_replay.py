"""A report's findings, again and offline, on the code in a folder."""

import shutil
from dataclasses import replace

import pytest

from analyzers.vocabulary import (
    Conclusion,
    Crashes,
    Exchange,
    Form,
    InputArgument,
    LiteralArgument,
    Misses,
    Probe,
    Report,
    Violates,
)
from tests.analyzers.cloud.bench import goals
from tests.analyzers.samples import finding
from tests.worker.changes.conftest import Project
from tests.worker.report.rendering import to_json
from tests.worker.sessions import LABELS, TARGET
from worker.check.replay import ReplayOutcome, replay_report
from worker.errors import UsageError
from worker.executor.probe_codec import plain_input
from worker.report.artifacts import write_artifacts
from worker.settings.operator_settings import Settings

ASKING = """\
from google.cloud import vision


def check(path):
    client = vision.ImageAnnotatorClient()
    with open(path, "rb") as file:
        image = vision.Image(content=file.read())
    names = [label.description for label in client.label_detection(image=image).label_annotations]
"""
CRASHING = f"{ASKING}    return names[0]\n"
CAREFUL = f"{ASKING}    return names[:1]\n"
ALARM = f'{ASKING}    if "Fire" in names:\n        return 1\n    return 0\n'
WIDER = ALARM.replace('"Fire" in names', '"Fire" in names or "Flame" in names')
(FIRE,) = (g for g in goals(ALARM) if g.clause is None and g.outcome == "true")


def said(*names):
    return Probe(
        TARGET,
        {"path": InputArgument(Form.PATH, plain_input(Form.PATH))},
        (Exchange(LABELS, "0" * 64, {"label_annotations": [{"description": n} for n in names]}),),
    )


WORDS = {"title": "a defect", "message": "It fails."}
CRASH = finding(
    **WORDS,
    evidence={"exception": "IndexError", "raised_at": "app.py:9", "answer": {}},
    criterion=Crashes("IndexError", "app.py", "check"),
    probes=(said(),),
)
MISS = finding(
    **WORDS,
    rule="cloud/low-recall",
    evidence={
        "goal": "fire",
        "wanted": ["Fire"],
        "inputs": 3,
        "reached": 1,
        "recall": 0.3333,
        "interval": [0.0615, 0.7923],
        "threshold": 0.75,
        "no_repair": "there is none",
    },
    criterion=Misses(FIRE, 0.75),
    probes=(said("Fire"), said("Flame"), said("Flame")),
)


@pytest.fixture(autouse=True)
def isolated():
    if shutil.which("bwrap") is None:
        pytest.skip("bubblewrap is not installed")


@pytest.fixture
def replayed(tmp_path):
    def replayed(text, *findings, file="app.py"):
        report = Report("here", "b" * 40, None, Conclusion.FAILURE, findings=findings)
        artifacts = write_artifacts(report, tmp_path, {"app.py": text or ""})
        (tmp_path / "report.json").write_text(to_json(report, artifacts, tmp_path))
        code = tmp_path / "code"
        code.mkdir()
        if text is not None:
            (code / file).write_text(text)
        return list(replay_report(tmp_path / "report.json", code, Settings()))

    return replayed


def outcomes(replayed):
    return [each.outcome for each in replayed]


def test_defects_that_are_there_fail(replayed):
    assert outcomes(replayed(CRASHING, CRASH)) == [ReplayOutcome.FAILED]


def test_defects_that_are_gone_are_fixed(replayed):
    (again,) = replayed(CAREFUL, CRASH)
    assert (again.outcome, again.fingerprint) == (ReplayOutcome.FIXED, CRASH.fingerprint)


def test_narrow_condition_fails_again(replayed):
    assert outcomes(replayed(ALARM, MISS)) == [ReplayOutcome.FAILED]


def test_wider_condition_is_fixed(replayed):
    assert outcomes(replayed(WIDER, MISS)) == [ReplayOutcome.FIXED]


def test_removed_code_is_fixed(replayed):
    (again,) = replayed(CAREFUL, MISS)
    assert (again.outcome, again.reason) == (ReplayOutcome.FIXED, "the code is not there any more")


def test_missing_file_is_fixed(replayed):
    assert outcomes(replayed(None, CRASH)) == [ReplayOutcome.FIXED]


def test_code_that_cannot_be_loaded_is_an_error(replayed):
    (again,) = replayed("def check(:\n", CRASH)
    assert again.outcome is ReplayOutcome.ERROR
    assert again.reason


def test_question_that_was_not_recorded_is_an_error(replayed):
    silent = Probe(CRASH.probes[0].target, CRASH.probes[0].arguments, None)
    (again,) = replayed(CRASHING, replace(CRASH, probes=(silent,)))
    assert again.outcome is ReplayOutcome.ERROR
    assert LABELS in again.reason


def test_binary_in_the_place_of_code_is_fixed(replayed, tmp_path):
    (tmp_path / "binary").write_bytes(b"\xff\xfe")
    assert outcomes(replayed(None, MISS)) == [ReplayOutcome.FIXED]


def test_report_without_findings_replays_nothing(replayed):
    assert replayed(CRASHING) == []


ACTS = "__import__('os').open({path!r}, 64)"


@pytest.mark.slow
@pytest.mark.parametrize(
    "condition",
    [
        "refuses({acts!r})",
        "refuses('torch.nn.functional.torch.os.open({path}, 64)')",
        "executes('divergence', 'onnxruntime', inputs={acts!r})",
        "executes('divergence', 'onnxruntime', mutations={acts!r})",
        "made({acts!r}) > 0",
        "{acts} > 0",
    ],
)
def test_condition_of_a_forged_report_is_asked_in_the_sandbox_alone(replayed, tmp_path, condition):
    marker = tmp_path / "acted"
    said = condition.format(acts=ACTS.format(path=str(marker)), path=f'"{marker}"')
    probe = Probe(TARGET, {"path": LiteralArgument("'x'")}, (), (said,))
    evidence = {"api": "torch.nn.ReLU", "parameter": "p", "value": "1", "derivation": ["x"]}
    forged = finding(
        **WORDS,
        analyzer="assembly",
        rule="assembly/state",
        evidence=evidence,
        criterion=Violates(said),
        probes=(probe,),
    )
    assert len(replayed("def check(path):\n    return path\n", forged)) == 1
    assert not marker.exists()


def test_working_tree_of_a_checkout_is_replayed(replayed, tmp_path):
    replayed(CRASHING, CRASH)
    project = Project(tmp_path / "project")
    project.commit(app=CRASHING)
    project.write("app.py", CAREFUL)
    report = tmp_path / "report.json"
    assert outcomes(replay_report(report, project.root, Settings())) == [ReplayOutcome.FIXED]


def test_missing_folder_is_a_wrong_usage(replayed, tmp_path):
    replayed(CRASHING, CRASH)
    with pytest.raises(UsageError, match="is no folder"):
        list(replay_report(tmp_path / "report.json", tmp_path / "nowhere", Settings()))


def test_missing_report_is_a_wrong_usage(tmp_path):
    with pytest.raises(UsageError):
        list(replay_report(tmp_path / "report.json", tmp_path, Settings()))
