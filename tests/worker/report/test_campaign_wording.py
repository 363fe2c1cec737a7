"""A report of a campaign speaks of no change."""

from tests.worker.report import samples
from tests.worker.report.rendering import to_text
from worker.report.report_messages import status_sentence


def test_finding_of_a_campaign_is_new_in_no_change():
    finding = samples.crash()
    assert status_sentence(finding, samples.report(finding)).endswith("new in this change")
    assert status_sentence(finding, samples.report(finding, base="")).endswith(
        "found by the campaign"
    )
    assert "new in this change" not in to_text(samples.report(finding, base=""))
