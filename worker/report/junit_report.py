"""The report as JUnit XML: a suite for each target, a case for each analyzer and finding."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any
from xml.etree import ElementTree as ET

from worker.report.report_messages import is_blocking, location_text, status_sentence
from worker.report.stored_report import StoredFinding, StoredReport, stored

_ASSAYER = "assayer"


def to_junit(document: Mapping[str, Any]) -> str:
    """Return the report in a document as JUnit XML.

    Blocking findings fail, others pass with output; what was not tested is skipped.
    """
    report = stored(document)
    targets = {target["id"]: target for target in document["targets"]}
    root = ET.Element("testsuites", name=_ASSAYER, time=f"{report.cost.seconds:.3f}")
    tests = {each.id: each for each in report.tests}
    names = [*targets, *(f.target for f in report.findings)]
    names += [s.target for s in report.skipped] + [b.target for b in report.broken]
    for name in list(dict.fromkeys(names)):
        suite = ET.SubElement(root, "testsuite", name=_printable(name))
        test = tests.get(name)
        if test is not None:
            properties = ET.SubElement(suite, "properties")
            ET.SubElement(properties, "property", name="tested", value=test.tested.value)
            for reason in test.reasons:
                ET.SubElement(properties, "property", name="reason", value=_printable(reason))
        for case in _cases(name, report, targets.get(name)):
            suite.append(case)
        _count(suite)
    _count(root)
    ET.indent(root)
    return '<?xml version="1.0" encoding="utf-8"?>\n' + ET.tostring(root, "unicode") + "\n"


def _cases(
    name: str, report: StoredReport, target: Mapping[str, Any] | None
) -> Iterator[ET.Element]:
    findings = [f for f in report.findings if f.target == name]
    yield from (_finding_case(finding, report) for finding in findings)
    for skipped in (s for s in report.skipped if s.target == name):
        case = _case(name, skipped.analyzer)
        ET.SubElement(case, "skipped", message=_printable(skipped.reason))
        yield case
    for broken in (b for b in report.broken if b.target == name):
        case = _case(name, broken.analyzer)
        ET.SubElement(case, "error", message=_printable(broken.error), type="Broken")
        yield case
    if target is not None and not findings and target["executions"]:
        case = _case(name, "goals")
        goals = target["goals"]
        reached = f"{goals['reached']} of {goals['total']} goals reached"
        ET.SubElement(case, "system-out").text = f"{reached}, {target['executions']} executions"
        yield case


def _case(target: str, name: str) -> ET.Element:
    classname = _printable(target.replace("/", ".").replace("::", "."))
    return ET.Element("testcase", classname=classname, name=_printable(name))


def _finding_case(finding: StoredFinding, report: StoredReport) -> ET.Element:
    case = _case(finding.target, f"{finding.rule} {finding.fingerprint}")
    case.set("file", _printable(finding.path))
    case.set("line", str(finding.line))
    text = _printable(f"{location_text(finding)}: {finding.message}", keep="\n")
    if is_blocking(finding, report):
        failure = ET.SubElement(case, "failure", message=_printable(finding.title))
        failure.set("type", finding.rule)
        failure.text = text
    else:
        said = f"{finding.title} ({status_sentence(finding, report)})"
        ET.SubElement(case, "system-out").text = f"{_printable(said)}\n{text}"
    return case


def _count(suite: ET.Element) -> None:
    suite.set("tests", str(len(list(suite.iter("testcase")))))
    for plural, tag in (("failures", "failure"), ("errors", "error"), ("skipped", "skipped")):
        suite.set(plural, str(len(list(suite.iter(tag)))))


def _printable(text: str, keep: str = "") -> str:
    return "".join(c if c.isprintable() or c in keep else " " for c in text)
