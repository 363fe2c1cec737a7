"""A report as its document tells it: what is left where the run itself is gone."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from analyzers.vocabulary import (
    Broken,
    Conclusion,
    Cost,
    InputKind,
    Level,
    LibraryBug,
    Skipped,
    Status,
    Suggestion,
    TestedTarget,
)
from analyzers.vocabulary.conversion import convert
from worker.errors import MachineError
from worker.report.tested_targets import read_target

if TYPE_CHECKING:
    from jsonschema import Draft202012Validator

_SCHEMA = Path(__file__).parent / "schema.json"


@cache
def validator() -> Draft202012Validator:
    """Return the validator of reports."""
    from jsonschema import Draft202012Validator  # noqa: PLC0415 - a check that reads none is quick

    return Draft202012Validator(json.loads(_SCHEMA.read_text(encoding="utf-8")))


@dataclass(frozen=True, slots=True)
class StoredInput:
    """An input that shows a finding; ``file`` is relative to the run's folder.

    ``answered_by`` is the source of ``answer``; without ``failing`` the code does what is meant.
    """

    kind: InputKind
    description: str
    file: str | None = None
    value: str | None = None
    answer: str = ""
    failing: bool = True
    answered_by: str = ""


@dataclass(frozen=True, slots=True)
class StoredFinding:
    """A finding, as CONTRACT.md section 2 lays it down.

    ``original`` is what its suggestion replaces.  ``columns`` are the first character of its
    first line and the one after its last line, 1-based.
    """

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
    evidence: Mapping[str, Any]
    inputs: tuple[StoredInput, ...]
    suggestion: Suggestion | None = None
    reproducer: str | None = None
    original: str | None = None
    line_hash: str = ""
    columns: tuple[int, int] | None = None


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
    environment: tuple[str, ...] = ()
    ignored: Mapping[str, Mapping[str, Any]] = field(default_factory=dict[str, Mapping[str, Any]])
    partial: bool = False
    appendix: tuple[LibraryBug, ...] = ()
    tests: tuple[TestedTarget, ...] = ()
    interrupted: bool = False
    files: int | None = None


def read_stored(document: Mapping[str, Any]) -> StoredReport:
    """Return the report in another process's document; raise ``MachineError`` where it is none."""
    from jsonschema.exceptions import best_match  # noqa: PLC0415

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
    return convert(
        {
            **document,
            "conclusion": document["verdict"],
            "targets": [target["id"] for target in document["targets"]],
            "findings": list(map(_finding, findings)),
            "appendix": [{**each, "divergence": each} for each in document.get("appendix", ())],
            "ignored": {f["fingerprint"]: f["ignored"] for f in findings if f.get("ignored")},
            "tests": list(map(read_target, document["targets"])),
        },
        StoredReport,
    )


def _finding(finding: Mapping[str, Any]) -> dict[str, Any]:
    suggestion = finding["suggestion"] or {}
    columns = (finding.get("column"), finding.get("end_column"))
    return {
        **_given(finding),
        "end_line": max(finding["line"], finding["end_line"]),
        "inputs": list(map(_given, finding["inputs"])),
        "suggestion": _given(suggestion) or None,
        "original": suggestion.get("original"),
        "columns": None if None in columns else columns,
    }


def _given(document: Mapping[str, Any]) -> dict[str, Any]:
    """Return a part of a report without what is null, as if it were not there."""
    return {name: value for name, value in document.items() if value is not None}


def suggestion_of(document: Mapping[str, Any]) -> Suggestion:
    """Return the suggestion of a finding's document."""
    return convert(_given(document), Suggestion)
