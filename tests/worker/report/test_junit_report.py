from xml.etree import ElementTree as ET

from tests.worker.report import samples
from tests.worker.report.rendering import to_junit


def parsed(report):
    return ET.fromstring(to_junit(report))


def test_only_blocking_findings_fail():
    root = parsed(samples.full_report())
    assert root.get("failures") == "3"
    messages = {failure.get("type") for failure in root.iter("failure")}
    assert messages == {"cloud/crash", "cloud/low-recall", "cloud/dead-branch"}


def test_other_findings_are_output():
    [case] = parsed(samples.report(samples.mixed_sentiment())).findall(
        ".//testcase[@file='shop/reviews.py']"
    )
    assert "already there on the base" in case.find("system-out").text


def test_ignored_findings_do_not_fail():
    finding = samples.crash()
    report = samples.report(finding, ignored={finding.fingerprint: {"reason": "known"}})
    assert parsed(report).get("failures") == "0"


def test_untested_and_broken_are_told_apart():
    root = parsed(samples.full_report(broken=(samples.BROKEN,)))
    assert root.find(".//skipped").get("message") == "no source of faces works offline"
    assert root.find(".//error").get("message").startswith("KeyError")
    assert (root.get("skipped"), root.get("errors")) == ("1", "1")


def test_clean_targets_pass():
    root = parsed(samples.report())
    assert root.get("tests") == "3"
    assert root.find(".//failure") is None
    assert "4 of 4 goals reached" in root.find(".//system-out").text


def test_control_characters_are_left_out():
    report = samples.report(samples.crash(message="a\x00b\x1bc]]>", title="x\ufffe<"))
    assert "a b c]]>" in parsed(report).find(".//failure").text
