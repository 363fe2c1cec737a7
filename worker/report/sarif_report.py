"""The report as SARIF 2.1.0."""

from __future__ import annotations

import json
from typing import Any
from urllib.parse import quote

from analyzers.rules import RULES, Rule
from analyzers.vocabulary import Level, Status, Suggestion
from worker.report.json_report import tool_version
from worker.report.markdown_escape import block, json_inert
from worker.report.report_messages import (
    clipped,
    findings_on_head,
    fixed_findings,
    location_text,
    skipped_beside,
    suggested,
)
from worker.report.stored_report import StoredFinding, StoredReport
from worker.report.tested_targets import counts_of, tested_sentence, untested

SCHEMA = "https://json.schemastore.org/sarif-2.1.0.json"
ROOT = "SRCROOT"
LONGEST_TEXT = 1024
_LEVELS = {Level.FAILURE: "error", Level.WARNING: "warning", Level.NOTICE: "note"}
_PROBLEMS = {Level.FAILURE: "error", Level.WARNING: "warning", Level.NOTICE: "recommendation"}
_PRECISION = {Level.FAILURE: "very-high", Level.WARNING: "high", Level.NOTICE: "medium"}
_BASELINES = {Status.NEW: "new", Status.EXISTING: "unchanged", Status.FLAKY: "new"}
_SECURITY = {"relation/crash": "5.3"}
"""CVSS 3.1 base scores: an input ends the process (AV:N/AC:L/PR:N/UI:N/S:U/C:N/I:N/A:L)."""


def sarif_document(report: StoredReport) -> dict[str, Any]:
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
                        "semanticVersion": tool_version(),
                        "version": tool_version(),
                        "rules": [_rule(name) for name in names],
                    }
                },
                "automationDetails": {"id": "assayer/"},
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


def to_sarif(report: StoredReport) -> str:
    """Return the report as SARIF text."""
    return json_inert(json.dumps(sarif_document(report), indent=2, ensure_ascii=False)) + "\n"


def _rule(name: str) -> dict[str, Any]:
    rule = RULES.get(name) or Rule(name, Level.WARNING, name, name, "See the finding.")
    security = {"security-severity": _SECURITY[name]} if name in _SECURITY else {}
    return {
        "id": name,
        "name": "".join(part.title() for part in name.replace("/", "-").split("-")),
        "shortDescription": {"text": clipped(rule.title, LONGEST_TEXT)},
        "fullDescription": {"text": clipped(rule.why, LONGEST_TEXT)},
        "help": {"text": f"{rule.why}\n\n{rule.fix}", "markdown": _help(rule)},
        "defaultConfiguration": {"level": _LEVELS[rule.level]},
        "properties": {
            "tags": [
                "machine-learning",
                name.partition("/")[0],
                *(["security"] if security else []),
            ],
            "precision": _PRECISION[rule.level],
            "problem.severity": _PROBLEMS[rule.level],
            **security,
        },
    }


def _help(rule: Rule) -> str:
    """Return the rule's page: why, how to fix it, and the first example of each kind."""
    parts = [f"# {rule.title}", rule.why, f"**How to fix:** {rule.fix}"]
    for title, examples in (("Reported", rule.failing), ("Not reported", rule.passing)):
        if examples:
            base = f"# base\n{examples[0].base}\n\n# head\n" if examples[0].base else ""
            parts += [f"{title}:", block(f"{base}{examples[0].code}".rstrip("\n"), "python")]
    return "\n\n".join(parts) + "\n"


def _result(finding: StoredFinding, names: list[str], report: StoredReport) -> dict[str, Any]:
    flaky = finding.status is Status.FLAKY
    hashed = {"primaryLocationLineHash": finding.line_hash} if finding.line_hash else {}
    result: dict[str, Any] = {
        "ruleId": finding.rule,
        "ruleIndex": names.index(finding.rule),
        "level": "note" if flaky else _LEVELS[finding.level],
        "message": {"text": f"{finding.title}. {finding.message}".strip()},
        "locations": [_location(finding)],
        "partialFingerprints": {"assayer/v1": finding.fingerprint, **hashed},
        "baselineState": _BASELINES[finding.status],
        "properties": {"status": finding.status.value, "evidence": finding.evidence},
    }
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


def _location(finding: StoredFinding) -> dict[str, Any]:
    return {
        "physicalLocation": {
            "artifactLocation": _artifact(finding.path),
            "region": _region(finding),
        },
        "logicalLocations": [
            {"fullyQualifiedName": finding.target, "kind": "function"},
        ],
    }


def _region(finding: StoredFinding) -> dict[str, int]:
    """Return the finding's lines; whole ones, ends included, where the code is not known."""
    if finding.columns is None:
        first, last, end = 1, finding.end_line + 1, 1
    else:
        (first, end), last = finding.columns, finding.end_line
    return {"startLine": finding.line, "startColumn": first, "endLine": last, "endColumn": end}


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


def _invocation(report: StoredReport) -> dict[str, Any]:
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
