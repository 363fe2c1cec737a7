"""A report as its document tells it: what is left where the run itself is gone."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from jsonschema import Draft202012Validator
from jsonschema.exceptions import best_match

from analyzers.vocabulary import (
    Broken,
    Conclusion,
    Cost,
    InputKind,
    Json,
    Level,
    LibraryBug,
    Skipped,
    Status,
    Suggestion,
    TestedTarget,
)
from worker.errors import MachineError
from worker.report import appendix
from worker.report.tested_targets import read_target

_SCHEMA = Path(__file__).parent / "schema.json"


@cache
def validator() -> Draft202012Validator:
    """Return the validator of reports."""
    return Draft202012Validator(json.loads(_SCHEMA.read_text(encoding="utf-8")))


@dataclass(frozen=True, slots=True)
class StoredInput:
    """An input that shows a finding; ``file`` is relative to the run's folder.

    ``answered_by`` is the source of ``answer``; without ``failing`` the code does what is meant.
    """

    kind: InputKind
    description: str
    file: str | None
    value: str | None
    answer: str
    failing: bool
    answered_by: str = ""


@dataclass(frozen=True, slots=True)
class StoredFinding:
    """A finding, as CONTRACT.md section 2 lays it down."""

    fingerprint: str
    rule: str
    level: Level
    status: Status
    path: str
    line: int
    end_line: int
    target: str
    title: str
    message: str
    evidence: Mapping[str, Json]
    inputs: tuple[StoredInput, ...]
    suggestion: Suggestion | None
    reproducer: str | None


@dataclass(frozen=True, slots=True)
class StoredReport:
    """The answer to a pull request; without ``head`` a working tree's, ``targets`` are ids."""

    base: str
    head: str | None
    conclusion: Conclusion
    targets: tuple[str, ...]
    findings: tuple[StoredFinding, ...]
    skipped: tuple[Skipped, ...]
    broken: tuple[Broken, ...]
    cost: Cost
    environment: tuple[str, ...]
    ignored: Mapping[str, Mapping[str, Json]]
    partial: bool
    appendix: tuple[LibraryBug, ...] = ()
    tests: tuple[TestedTarget, ...] = ()
    interrupted: bool = False


def read_stored(document: Mapping[str, Any]) -> StoredReport:
    """Return the report in another process's document; raise ``MachineError`` where it is none."""
    error = best_match(validator().iter_errors(document))
    if error is not None:
        raise MachineError(
            f"a stored report is malformed at {error.json_path}", "Run the check again."
        )
    text = json.dumps(document, ensure_ascii=False)
    return stored(dict(json.loads(text.encode("utf-8", "replace"))))


def stored(document: Mapping[str, Any]) -> StoredReport:
    """Return the report in a document that is known to be one."""
    findings = document["findings"]
    return StoredReport(
        base=document["base"],
        head=document["head"],
        conclusion=Conclusion(document["verdict"]),
        targets=tuple(target["id"] for target in document["targets"]),
        findings=tuple(_finding(finding) for finding in findings),
        skipped=tuple(
            Skipped(s["analyzer"], s["target"], s["reason"], bool(s.get("our_fault")))
            for s in document["skipped"]
        ),
        broken=tuple(Broken(b["analyzer"], b["target"], b["error"]) for b in document["broken"]),
        cost=Cost(**{name: document["cost"].get(name, 0) for name in Cost.__slots__}),
        environment=tuple(document.get("environment", ())),
        ignored={f["fingerprint"]: f["ignored"] for f in findings if f.get("ignored")},
        partial=bool(document.get("partial")),
        appendix=tuple(map(appendix.read, document.get("appendix", ()))),
        tests=tuple(map(read_target, document["targets"])),
        interrupted=bool(document.get("interrupted")),
    )


def _finding(finding: Mapping[str, Any]) -> StoredFinding:
    suggestion = finding["suggestion"]
    return StoredFinding(
        fingerprint=finding["fingerprint"],
        rule=finding["rule"],
        level=Level(finding["level"]),
        status=Status(finding["status"]),
        path=finding["path"],
        line=finding["line"],
        end_line=max(finding["line"], finding["end_line"]),
        target=finding["target"],
        title=finding["title"],
        message=finding["message"],
        evidence=finding["evidence"],
        inputs=tuple(_input(item) for item in finding["inputs"]),
        suggestion=suggestion and suggestion_of(suggestion),
        reproducer=finding["reproducer"],
    )


def suggestion_of(document: Mapping[str, Any]) -> Suggestion:
    """Return the suggestion of a finding's document."""
    return Suggestion(
        document["path"],
        document["start_line"],
        document["end_line"],
        document["replacement"],
        document["verified"],
        str(document.get("unverified") or ""),
    )


def _input(item: Mapping[str, Any]) -> StoredInput:
    return StoredInput(
        kind=InputKind(item["kind"]),
        description=item["description"],
        file=item["file"],
        value=item["value"],
        answer=str(item.get("answer") or ""),
        failing=bool(item.get("failing", True)),
        answered_by=str(item.get("answered_by") or ""),
    )
