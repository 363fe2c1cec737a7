"""Outcomes of tests, read from the records of pytest processes."""

from __future__ import annotations

import json
import re
import tomllib
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

OUTCOMES = ("failed", "passed", "skipped", "errors")
# a test that fails now and then is a failure here, and where docs/security.md names the test
SECURITY_FILE = re.compile(r"/sandbox/|attack|hostile")
SECURITY_TEST = re.compile(r"\[`(test_\w+)`\]\((?:\.\./)*(tests/[^)#]+)\)")


@dataclass
class Case:
    """A test and what became of it; ``running`` is its outcome as long as it has none."""

    id: str
    outcome: str = "running"
    seconds: float = 0.0
    reason: str = ""
    hung: bool = False
    ended: bool = False

    @property
    def file(self) -> str:
        """The test's file."""
        return self.id.partition("::")[0]

    @property
    def bad(self) -> bool:
        """Return whether the test failed, or a fixture of it."""
        return self.outcome in ("failed", "errors")


@dataclass
class Record:
    """The tests that were collected, and those that started."""

    collected: list[str] = field(default_factory=list)
    cases: dict[str, Case] = field(default_factory=dict)

    @property
    def running(self) -> list[str]:
        """The tests that started and did not end."""
        return [case.id for case in self.cases.values() if not case.ended]

    @property
    def waiting(self) -> list[str]:
        """The tests that did not start."""
        return [each for each in self.collected if each not in self.cases]

    def merge(self, other: Record) -> None:
        """Take over what another run tells, except that what failed stays failed."""
        self.collected += [each for each in other.collected if each not in self.collected]
        for case in other.cases.values():
            mine = self.cases.get(case.id)
            if mine is None or not mine.bad:
                self.cases[case.id] = case


def read(path: Path, until: float) -> Record:
    """Return what the record tells of the time before ``until``."""
    record = Record()
    lines = path.read_text().splitlines(keepends=True) if path.exists() else []
    for line in lines:
        # a killed process may leave half a line
        event: dict[str, Any] = json.loads(line) if line.endswith("\n") else {"at": until + 1}
        if event["at"] > until:
            break
        if "collected" in event:
            record.collected = event["collected"]
        else:
            _note(record.cases.setdefault(event["id"], Case(event["id"])), event)
    return record


def _note(case: Case, event: dict[str, Any]) -> None:
    when, outcome = event["when"], event.get("outcome")
    case.ended = case.ended or when in ("teardown", "collect")
    case.seconds += event.get("seconds", 0.0)
    case.hung = case.hung or event.get("hung", False)
    if outcome == "failed":
        case.outcome = "failed" if case.outcome == "failed" or when == "call" else "errors"
    elif outcome == "skipped":
        case.outcome, case.reason = "skipped", event["reason"].removeprefix("Skipped: ")
    elif when == "call" and not case.bad:
        case.outcome = "passed"


def counted(cases: Iterable[Case]) -> str:
    """Return how many tests passed, failed and were skipped, as pytest's closing line does."""
    counts = Counter(case.outcome for case in cases)
    told = ", ".join(f"{counts[word]} {word}" for word in OUTCOMES if counts[word])
    return told or "no tests ran"


def unaccepted(cases: Iterable[Case], accepted: Path) -> list[Case]:
    """Return the skipped tests whose reason is not on the list of accepted reasons."""
    listed = tomllib.loads(accepted.read_text())["accepted"] if accepted.exists() else {}
    return [
        case
        for case in cases
        if case.outcome == "skipped"
        and not any(re.fullmatch(pattern, case.reason) for pattern in listed)
    ]


def security_tests(page: Path) -> set[str]:
    """Return the tests that the page names as evidence, as ``file::name``."""
    found = SECURITY_TEST.findall(page.read_text()) if page.exists() else []
    return {f"{file}::{name}" for name, file in found}


def of_security(case: Case, named: set[str]) -> bool:
    """Return whether the test is one of attacks, sandbox or security."""
    name = case.id.partition("[")[0].rpartition("::")[2]
    return bool(SECURITY_FILE.search(case.file)) or f"{case.file}::{name}" in named
