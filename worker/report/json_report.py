"""The report as JSON, as CONTRACT.md section 2 lays it down."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import asdict
from importlib.metadata import version
from pathlib import Path
from typing import Any

from analyzers.vocabulary import (
    Finding,
    InputKind,
    Report,
    Skipped,
    Suggestion,
    Target,
    TargetCounters,
)
from worker.report import appendix
from worker.report.answered_inputs import AnsweredInput, answered_inputs
from worker.report.argument_messages import values_of
from worker.report.artifacts import Artifacts, FindingFiles
from worker.report.code_excerpt import excerpt
from worker.report.line_hashes import line_hashes
from worker.report.markdown_escape import json_inert
from worker.report.replay_file import read_document
from worker.report.report_messages import clipped, suggested, text_of, unverified
from worker.report.stored_report import validator
from worker.report.suggested_edits import digest_of, source_lines
from worker.report.tensor_summary import tensor_summary
from worker.report.tested_targets import counts_of

SCHEMA = "assayer-report/1"
LONGEST_VALUE = 4000
_SKIPPED = ("analyzer", "target", "reason")


def tool_version() -> str:
    """Return the version of Assayer that is installed."""
    return version("assayer")


def report_document(
    report: Report, artifacts: Artifacts | None = None, relative_to: Path | None = None
) -> dict[str, Any]:
    """Return the report as a JSON object, files relative to ``relative_to`` where below it."""
    return {
        "schema": SCHEMA,
        "tool": {"name": "assayer", "version": tool_version()},
        "repository": report.repository,
        "base": report.base,
        "head": report.head,
        "verdict": report.conclusion.value,
        "tested": counts_of(report.tests),
        "targets": [_target(target, tally) for target, tally in report.targets],
        "findings": [_finding(f, report, artifacts, relative_to) for f in report.findings],
        "skipped": [_skipped(skipped) for skipped in report.skipped],
        "broken": [asdict(broken) for broken in report.broken],
        "appendix": [appendix.document(bug) for bug in report.appendix],
        "cost": {**asdict(report.cost), **_driven(report)},
        "environment": list(report.environment),
        "partial": report.partial,
        "interrupted": report.interrupted,
        **({} if report.files is None else {"files": report.files}),
    }


def json_text(document: Mapping[str, Any]) -> str:
    """Return a report's document as JSON text."""
    return json_inert(json.dumps(document, indent=2, ensure_ascii=False, allow_nan=False)) + "\n"


def read_report(path: Path) -> dict[str, Any]:
    """Return the report in a file; raise ``UsageError`` when it is none."""
    return read_document(path, validator())


def replay_files(path: Path) -> list[Path]:
    """Return the replay files that a report names; raise as :func:`read_report`."""
    folder = path.resolve().parent
    findings = read_report(path)["findings"]
    return [folder / finding["replay"] for finding in findings if finding.get("replay")]


def _skipped(skipped: Skipped) -> dict[str, Any]:
    document = asdict(skipped)
    return {key: value for key, value in document.items() if value or key in _SKIPPED}


def _driven(report: Report) -> dict[str, int]:
    """Return how many programs of the project were run, and how many variations of them.

    Functions share them: the number is that of the function that most of them reach.
    """
    driven = [tally.driven for _, tally in report.targets]
    places = {place for each in driven for place in each.places}
    return {"drivers": len(places), "variations": max((e.runs for e in driven), default=0)}


def _target(target: Target, tally: TargetCounters) -> dict[str, Any]:
    return {
        "id": target.id,
        "path": target.path,
        "function": target.function,
        "line": target.line,
        "reason": target.reason.value,
        "apis": sorted({*target.apis, *tally.apis}),
        "goals": {
            "total": tally.goals_total,
            "reached": tally.goals_reached,
            "proved_unreachable": tally.goals_proved_unreachable,
        },
        "branches": {"total": tally.branches_total, "covered": tally.branches_covered},
        "executions": tally.executions,
        "tested": tally.tested.value,
        "reasons": list(tally.reasons),
        "cached": tally.cached,
        "drivers": list(tally.driven.places),
        "same": tally.driven.same,
        "different": tally.driven.different,
        "changed_lines": {"total": tally.driven.changed, "covered": tally.driven.covered},
    }


def _finding(
    finding: Finding, report: Report, artifacts: Artifacts | None, relative_to: Path | None
) -> dict[str, Any]:
    files = artifacts.of(finding) if artifacts else None
    suggestion = suggested(finding) or unverified(finding)
    document: dict[str, Any] = {
        "fingerprint": finding.fingerprint,
        "analyzer": finding.analyzer,
        "rule": finding.rule,
        "level": finding.level.value,
        "status": finding.status.value,
        "path": finding.path,
        "line": finding.line,
        "end_line": finding.end_line,
        "target": finding.target,
        "title": finding.title,
        "message": finding.message,
        "evidence": finding.evidence,
        "inputs": _inputs(finding, files, relative_to),
        "suggestion": None if suggestion is None else _suggestion(suggestion, artifacts),
        "reproducer": _file(files.reproducer if files else None, relative_to),
        "replay": _file(files.replay if files else None, relative_to),
    }
    if artifacts and (code := _code(finding, artifacts)):
        document |= {"code": dict(code), **_location(finding, artifacts.sources[finding.path])}
    if finding.fingerprint in report.ignored:
        document["ignored"] = dict(report.ignored[finding.fingerprint])
    return document


def _code(finding: Finding, artifacts: Artifacts) -> Mapping[str, Any] | None:
    head, base = artifacts.sources.get(finding.path), artifacts.base.get(finding.path)
    return excerpt(head, base, finding.line, finding.end_line)


def _location(finding: Finding, text: str) -> dict[str, Any]:
    """Return the columns of the finding's lines, and the hash by which GitHub follows them."""
    lines = source_lines(text)
    first, last = lines[finding.line - 1], lines[min(finding.end_line, len(lines)) - 1]
    indent = len(first) - len(first.lstrip())
    return {
        "column": indent + 1,
        "end_column": max(len(last.rstrip()), indent) + 1,
        "line_hash": line_hashes(text)[finding.line - 1],
    }


def _suggestion(suggestion: Suggestion, artifacts: Artifacts | None) -> dict[str, Any]:
    """Return the change, with the lines that it takes the place of where they are known."""
    document = asdict(suggestion)
    text = artifacts.sources.get(suggestion.path) if artifacts else None
    if text is not None:
        lines = source_lines(text)[suggestion.start_line - 1 : suggestion.end_line]
        document["original"] = "\n".join(lines)
        document["digest"] = digest_of(text)
    return document


def _inputs(
    finding: Finding, files: FindingFiles | None, relative_to: Path | None
) -> list[dict[str, Any]]:
    answered = answered_inputs(finding)
    if answered:
        return [_input(each, files, relative_to) for each in answered]
    return [
        {
            "kind": "value",
            "description": value.description,
            "file": None,
            "value": clipped(value.source, LONGEST_VALUE),
            **({"tensor": summary} if (summary := tensor_summary(value.source)) else {}),
        }
        for value in values_of(finding)
    ]


def _input(
    answered: AnsweredInput, files: FindingFiles | None, relative_to: Path | None
) -> dict[str, Any]:
    item = answered.item
    file = files.inputs.get(item.digest) if files else None
    text = item.kind in (InputKind.TEXT, InputKind.VALUE)
    return {
        "kind": item.kind.value,
        "description": item.description,
        "file": _file(file, relative_to),
        "value": clipped(repr(text_of(item)), LONGEST_VALUE) if text else None,
        "reading": item.reading,
        "origin": asdict(item.origin),
        "answer": answered.answer or None,
        "answered_by": answered.answered_by or None,
        "simulated": answered.simulated,
        "failing": answered.failing,
    }


def _file(path: Path | None, relative_to: Path | None) -> str | None:
    if path is None:
        return None
    whole = path.resolve()
    if relative_to is not None and whole.is_relative_to(relative_to.resolve()):
        return whole.relative_to(relative_to.resolve()).as_posix()
    return str(whole)
