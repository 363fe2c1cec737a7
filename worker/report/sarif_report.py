"""The report as SARIF 2.1.0."""

from __future__ import annotations

import json
from typing import Any
from urllib.parse import quote

from analyzers.rules import RULES
from analyzers.vocabulary import Finding, Level, Report, Status, Suggestion
from worker.report.json_report import tool_version
from worker.report.markdown_escape import json_inert
from worker.report.report_messages import (
    findings_on_head,
    fixed_findings,
    location_text,
    skipped_beside,
    suggested,
)
from worker.report.tested_targets import counts_of, tested_sentence, untested

SCHEMA = "https://json.schemastore.org/sarif-2.1.0.json"
ROOT = "SRCROOT"
_LEVELS = {Level.FAILURE: "error", Level.WARNING: "warning", Level.NOTICE: "note"}
_SEE_FINDING = "See the finding."
_BASELINES = {Status.NEW: "new", Status.EXISTING: "unchanged"}


def sarif_document(report: Report) -> dict[str, Any]:
    """Return the report as one SARIF run; what is fixed is a notification, since results alert."""
    findings = findings_on_head(report)
    names = sorted({finding.rule for finding in findings})
    return {
        "$schema": SCHEMA,
        "version": "2.1.0",
        "runs": [
            {
                "tool": {
                    "driver": {
                        "name": "Assayer",
                        "version": tool_version(),
                        "rules": [_rule(name) for name in names],
                    }
                },
                "columnKind": "unicodeCodePoints",
                "results": [_result(f, names, report) for f in findings],
                "invocations": [_invocation(report)],
                "properties": {
                    "verdict": report.conclusion.value,
                    "tested": counts_of(report.tests),
                },
            }
        ],
    }


def to_sarif(report: Report) -> str:
    """Return the report as SARIF text."""
    return json_inert(json.dumps(sarif_document(report), indent=2, ensure_ascii=False)) + "\n"


def _rule(name: str) -> dict[str, Any]:
    described = {
        "id": name,
        "name": "".join(part.title() for part in name.replace("/", "-").split("-")),
    }
    rule = RULES.get(name)
    if rule is None:
        return {**described, "shortDescription": {"text": name}, "help": {"text": _SEE_FINDING}}
    return {
        **described,
        "shortDescription": {"text": rule.title},
        "fullDescription": {"text": rule.why},
        "help": {"text": rule.fix},
        "defaultConfiguration": {"level": _LEVELS[rule.level]},
    }


def _result(finding: Finding, names: list[str], report: Report) -> dict[str, Any]:
    result: dict[str, Any] = {
        "ruleId": finding.rule,
        "ruleIndex": names.index(finding.rule),
        "level": _LEVELS[finding.level],
        "message": {"text": f"{finding.title}. {finding.message}".strip()},
        "locations": [_location(finding)],
        "partialFingerprints": {"assayer/v1": finding.fingerprint},
        "properties": {"status": finding.status.value, "evidence": finding.evidence},
    }
    if finding.status in _BASELINES:
        result["baselineState"] = _BASELINES[finding.status]
    suggestion = suggested(finding)
    if suggestion is not None:
        result["fixes"] = [_fix(suggestion)]
    ignored = report.ignored.get(finding.fingerprint)
    result["suppressions"] = (
        []
        if ignored is None
        else [{"kind": "external", "justification": str(ignored.get("reason", ""))}]
    )
    return result


def _artifact(path: str) -> dict[str, str]:
    return {"uri": quote(path), "uriBaseId": ROOT}


def _location(finding: Finding) -> dict[str, Any]:
    return {
        "physicalLocation": {
            "artifactLocation": _artifact(finding.path),
            "region": {"startLine": finding.line, "endLine": finding.end_line},
        },
        "logicalLocations": [
            {"fullyQualifiedName": finding.target, "kind": "function"},
        ],
    }


def _fix(suggestion: Suggestion) -> dict[str, Any]:
    return {
        "description": {"text": "Applied and run again on the same inputs."},
        "artifactChanges": [
            {
                "artifactLocation": _artifact(suggestion.path),
                "replacements": [
                    {
                        "deletedRegion": {
                            "startLine": suggestion.start_line,
                            "startColumn": 1,
                            "endLine": suggestion.end_line + 1,
                            "endColumn": 1,
                        },
                        "insertedContent": {"text": suggestion.replacement + "\n"},
                    }
                ],
            }
        ],
    }


def _invocation(report: Report) -> dict[str, Any]:
    notes = [_notification(tested_sentence(report.tests), "note")] if report.tests else []
    notes += [
        _notification(f"{names}: {reason}", "note") for reason, names in untested(report.tests)
    ]
    notes += [
        _notification(f"not tested: {s.target}: {s.reason}", "note") for s in skipped_beside(report)
    ]
    notes += [
        _notification(f"{location_text(f)}: {f.title}. {f.message}", "note")
        for f in fixed_findings(report)
    ]
    return {
        "executionSuccessful": report.conclusion.value != "error",
        "toolExecutionNotifications": notes
        + [_notification(f"{broken.target}: {broken.error}", "error") for broken in report.broken],
    }


def _notification(text: str, level: str) -> dict[str, Any]:
    return {"level": level, "message": {"text": text}}
