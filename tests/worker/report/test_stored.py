"""What is left of a report where only its document is."""

import json

import pytest

from tests.worker.report import samples
from tests.worker.report.rendering import to_json
from worker.errors import MachineError
from worker.report.artifacts import write_artifacts
from worker.report.json_report import report_document
from worker.report.stored_report import read_stored, stored


def test_document_tells_what_the_report_does():
    report = samples.full_report(broken=(samples.BROKEN,), partial=True)
    told = read_stored(json.loads(to_json(report)))
    assert [f.fingerprint for f in told.findings] == [f.fingerprint for f in report.findings]
    assert (told.conclusion, told.skipped, told.broken) == (
        report.conclusion,
        report.skipped,
        report.broken,
    )
    assert (told.cost, told.environment, told.partial) == (report.cost, report.environment, True)
    assert told.findings[0].suggestion == report.findings[0].suggestion


def test_inputs_say_what_was_answered_and_which_of_them_fail(tmp_path):
    report = samples.report(samples.low_recall(), samples.mixed_sentiment())
    artifacts = write_artifacts(report, tmp_path, samples.SOURCES)
    recall, mixed = stored(report_document(report, artifacts, tmp_path)).findings
    assert [item.failing for item in recall.inputs] == [False] * 4 + [True] * 6
    assert recall.inputs[9].answer == "Flame, Heat"
    assert (tmp_path / recall.inputs[9].file).is_file()
    assert [item.failing for item in mixed.inputs] == [False] * 3 + [True] * 3


def test_older_documents_are_read():
    document = report_document(samples.full_report())
    for finding in document["findings"]:
        for item in finding["inputs"]:
            del item["answer"], item["failing"]
    assert all(item.failing for item in read_stored(document).findings[1].inputs)


@pytest.mark.parametrize("change", [{"verdict": "fine"}, {"findings": [{}]}, {"skipped": None}])
def test_what_is_no_report_is_refused(change):
    with pytest.raises(MachineError, match="malformed"):
        read_stored({**report_document(samples.full_report()), **change})


def test_halves_of_characters_are_replaced():
    told = read_stored(report_document(samples.report(samples.crash(title="a\ud800b"))))
    assert told.findings[0].title == "a?b"
