"""What is fixed is told, and asks nothing of anybody."""

import json
from xml.etree import ElementTree as ET

import pytest

from analyzers.vocabulary import Conclusion, Status
from tests.worker.report import samples
from tests.worker.report.rendering import sarif_document, to_junit, to_markdown, to_sarif, to_text
from worker.report.artifacts import write_artifacts
from worker.report.html_report import to_html

FIXED = samples.crash(
    status=Status.FIXED, title="Fixed: IndexError", message="Fixed by this change."
)
REPORT = samples.report(FIXED, conclusion=Conclusion.SUCCESS)


@pytest.mark.parametrize("to", [to_text, to_html, to_junit])
def test_each_format_tells_it(to):
    assert "Fixed: IndexError" in to(REPORT)


def test_summary_has_a_line_and_no_comment():
    text = to_markdown(REPORT)
    assert "1 fixed finding" in text
    assert "Fixed by this change:\n\n- IndexError (`shop/receipts.py:12`)" in text
    assert "\n---\n" not in text
    assert "| where |" not in text


def test_sarif_has_a_notification_and_no_alert():
    document = sarif_document(REPORT)["runs"][0]
    *_, note = document["invocations"][0]["toolExecutionNotifications"]
    assert document["results"] == []
    assert (note["level"], "Fixed by this change" in note["message"]["text"]) == ("note", True)
    assert json.loads(to_sarif(REPORT))


def test_junit_has_no_failure():
    assert ET.fromstring(to_junit(REPORT)).findall(".//failure") == []


def test_replay_is_written_and_no_test(tmp_path):
    files = write_artifacts(REPORT, tmp_path, samples.SOURCES).of(FIXED)
    assert files.reproducer is None
    assert files.replay.is_file()
