import copy
import json

import pytest

from tests.worker.report import samples
from tests.worker.report.rendering import to_json
from worker.errors import UsageError
from worker.report.artifacts import write_artifacts
from worker.report.json_report import read_report, replay_files, report_document, validator


@pytest.fixture
def document(tmp_path):
    report = samples.full_report(broken=(samples.BROKEN,))
    return report_document(report, write_artifacts(report, tmp_path, samples.SOURCES), tmp_path)


def test_matches_its_schema(document):
    validator().validate(document)


@pytest.mark.parametrize("report", [samples.report(), samples.full_report()])
def test_valid_without_artifacts(report):
    validator().validate(json.loads(to_json(report)))


def test_has_the_contract_fields(document):
    assert document["schema"] == "assayer-report/1"
    assert document["tool"]["name"] == "assayer"
    assert document["verdict"] == "failure"
    assert document["targets"][1]["goals"] == {"total": 6, "reached": 5, "proved_unreachable": 1}
    assert document["targets"][0]["apis"] == ["google.vision.text_detection"]
    assert document["cost"]["api_calls_refused"] == 2
    assert document["skipped"] == [
        {
            "analyzer": "cloud",
            "target": "shop/faces.py::count",
            "reason": "no source of faces works offline",
        }
    ]
    assert document["broken"][0]["error"].startswith("KeyError")


def test_files_are_relative_below_report(document, tmp_path):
    finding = document["findings"][0]
    assert finding["reproducer"] == f"test_cloud_crash_{finding['fingerprint']}.py"
    assert (tmp_path / finding["reproducer"]).exists()
    assert (tmp_path / finding["inputs"][0]["file"]).read_bytes() == samples.picture("")


def test_files_elsewhere_are_absolute(tmp_path):
    report = samples.report(samples.crash())
    artifacts = write_artifacts(report, tmp_path / "a", samples.SOURCES)
    document = report_document(report, artifacts, tmp_path / "b")
    assert document["findings"][0]["reproducer"].startswith(str(tmp_path))


def test_texts_are_given_as_values(document):
    texts = document["findings"][2]["inputs"]
    assert texts[0]["kind"] == "text"
    assert texts[0]["value"] == "'What a lovely day'"


def test_arguments_stand_in_for_inputs():
    finding = samples.crash(
        probes=(
            samples.Probe("a.py::f", {"limit": samples.LiteralArgument("3")}, ()),
            samples.Probe("a.py::f", {"limit": samples.LiteralArgument("3")}, ()),
        )
    )
    [only] = report_document(samples.report(finding))["findings"][0]["inputs"]
    assert only == {"kind": "value", "description": "argument limit", "file": None, "value": "3"}


def test_ignored_findings_say_why():
    finding = samples.crash()
    ignored = {finding.fingerprint: {"reason": "known", "until": "2027-01-01"}}
    document = report_document(samples.report(finding, ignored=ignored))
    validator().validate(document)
    assert document["findings"][0]["ignored"] == {"reason": "known", "until": "2027-01-01"}


@pytest.mark.parametrize(
    ("where", "value"),
    [
        (("verdict",), "passed"),
        (("cost", "executions"), 1.5),
        (("findings", 1, "evidence", "reached"), 4.5),
        (("findings", 1, "evidence", "interval"), [0.1]),
        (("findings", 1, "level"), "fatal"),
        (("findings", 0, "line"), 0),
        (("findings", 0, "rule"), "cloud/other"),
        (("findings", 1, "suggestion", "replacement"), "a line\n"),
    ],
)
def test_schema_refuses_wrong_values(document, where, value):
    wrong = copy.deepcopy(document)
    inside = wrong
    for step in where[:-1]:
        inside = inside[step]
    inside[where[-1]] = value
    assert not validator().is_valid(wrong)


@pytest.mark.parametrize(
    ("number", "key"),
    [(0, "raised_at"), (1, "threshold"), (2, "negative"), (3, "proof")],
)
def test_schema_wants_evidence_keys(document, number, key):
    del document["findings"][number]["evidence"][key]
    assert not validator().is_valid(document)


def test_unrepaired_recall_says_why(document):
    evidence = document["findings"][1]["evidence"]
    for key in ("added_labels", "recall_after", "precision_after"):
        del evidence[key]
    assert not validator().is_valid(document)
    evidence["no_repair"] = "no other label is common to the misses"
    assert validator().is_valid(document)


def test_reads_back_what_it_wrote(tmp_path):
    report = samples.full_report()
    artifacts = write_artifacts(report, tmp_path, samples.SOURCES)
    path = tmp_path / "report.json"
    path.write_text(to_json(report, artifacts, tmp_path))
    assert read_report(path)["verdict"] == "failure"
    assert [file.stem for file in replay_files(path)] == [f.fingerprint for f in report.findings]


@pytest.mark.parametrize("text", ["", "[]", '{"schema": "assayer-report/2"}', "\x00"])
def test_refuses_what_is_no_report(tmp_path, text):
    path = tmp_path / "report.json"
    path.write_text(text)
    with pytest.raises(UsageError, match=r"report\.json"):
        read_report(path)
