"""Findings as annotations of a workflow's log (GitHub) and as code quality (GitLab)."""

from __future__ import annotations

import json
from typing import Any

from analyzers.vocabulary import Level, Status
from worker.report.markdown_escape import inert, json_inert
from worker.report.report_messages import (
    findings_on_head,
    headline,
    is_blocking,
    overview,
    suggested,
)
from worker.report.stored_report import StoredFinding, StoredReport

_COMMANDS = {Level.FAILURE: "error", Level.WARNING: "warning", Level.NOTICE: "notice"}
_SEVERITIES = {Level.FAILURE: "major", Level.WARNING: "minor", Level.NOTICE: "info"}
_DATA = {"%": "%25", "\r": "%0D", "\n": "%0A"}
_PROPERTY = {**_DATA, ":": "%3A", ",": "%2C"}


def to_github(report: StoredReport) -> str:
    """Return workflow commands that annotate the lines of new findings, then the verdict.

    https://docs.github.com/actions/reference/workflow-commands-for-github-actions
    """
    new = [each for each in _shown(report) if each.status is Status.NEW]
    lines = [_annotation(each) for each in new]
    verdict = f"{headline(report)}. {overview(report)}."
    return "\n".join([*lines, _escaped(f"Assayer: {verdict}", _DATA), ""])


def to_gitlab(report: StoredReport) -> str:
    """Return findings as GitLab's code quality report.

    https://docs.gitlab.com/ci/testing/code_quality/#code-quality-report-format
    """
    issues = [_issue(each, report) for each in _shown(report)]
    return json_inert(json.dumps(issues, indent=2, ensure_ascii=False)) + "\n"


def _shown(report: StoredReport) -> list[StoredFinding]:
    return [each for each in findings_on_head(report) if each.fingerprint not in report.ignored]


def _annotation(finding: StoredFinding) -> str:
    properties = {
        "file": finding.path,
        "line": str(finding.line),
        "endLine": str(finding.end_line),
        "title": f"Assayer: {finding.title} ({finding.rule})",
    }
    if finding.columns and finding.line == finding.end_line:
        first, end = finding.columns
        properties |= {"col": str(first), "endColumn": str(end)}
    said = ",".join(f"{name}={_escaped(text, _PROPERTY)}" for name, text in properties.items())
    change = suggested(finding)
    suggestion = f"\nSuggestion, tried on the same inputs:\n{change.replacement}" if change else ""
    message = _escaped(f"{finding.message or finding.title}{suggestion}", _DATA)
    return f"::{_COMMANDS[finding.level]} {said}::{message}"


def _escaped(text: str, escapes: dict[str, str]) -> str:
    return "".join(escapes.get(each, each) for each in inert(text))


def _issue(finding: StoredFinding, report: StoredReport) -> dict[str, Any]:
    severity = "blocker" if is_blocking(finding, report) else _SEVERITIES[finding.level]
    return {
        "description": f"{finding.title}. {finding.message}".strip(),
        "check_name": finding.rule,
        "fingerprint": finding.fingerprint,
        "severity": severity if finding.status is Status.NEW else "info",
        "location": {
            "path": finding.path,
            "lines": {"begin": finding.line, "end": finding.end_line},
        },
    }
