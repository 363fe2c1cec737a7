"""A variant of a case checked as its maintainers would: a git repository, and the command line."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from benchmarks.properties.cases import Case

LONGEST = 900
DECIDED = (0, 1)
IDENTITY = {
    "GIT_AUTHOR_NAME": "Zoo",
    "GIT_AUTHOR_EMAIL": "zoo@example.org",
    "GIT_COMMITTER_NAME": "Zoo",
    "GIT_COMMITTER_EMAIL": "zoo@example.org",
    "GIT_CONFIG_GLOBAL": os.devnull,
}
KEPT = ("PATH", "HOME", "LANG", "PYTHONPATH")
PROMISE = "property/postcondition"
ACCEPTED = {
    "property/crash": {"property/crash", "property/removed-api"},
    "property/removed-api": {"property/crash", "property/removed-api"},
    "property/postcondition": {"property/postcondition"},
}
"""The rules under which the bug of a case may be reported: what was removed also crashes."""


@dataclass(frozen=True, slots=True)
class Checked:
    """The report of one variant; ``trouble`` says why there is none."""

    findings: tuple[Mapping[str, Any], ...]
    skipped: tuple[str, ...]
    broken: tuple[str, ...]
    targets: int
    executions: int
    seconds: float
    trouble: str = ""


def checked(case: Case, variant: str, folder: Path) -> Checked:
    """Check a variant of a case in a new folder."""
    root = folder / case.name / variant
    for path, text in case.sources(variant).items():
        (root / path).parent.mkdir(parents=True, exist_ok=True)
        (root / path).write_text(text, "utf-8")
    _commit(root)
    output = folder / f"{case.name}-{variant}.json"
    began = time.monotonic()
    trouble = _assayer(root, output, folder / f"{case.name}-{variant}-artifacts", _which(case))
    seconds = time.monotonic() - began
    if not output.is_file():
        return Checked((), (), (), 0, 0, seconds, trouble or "no report")
    return read(json.loads(output.read_text("utf-8")), seconds, trouble)


def read(report: Mapping[str, Any], seconds: float, trouble: str = "") -> Checked:
    """What counts of a report (``assayer-report/1``)."""
    return Checked(
        tuple(report["findings"]),
        tuple(f"{each['target']}: {each['reason']}" for each in report["skipped"]),
        tuple(f"{each['target']}: {each['error']}" for each in report["broken"]),
        len(report["targets"]),
        int(report["cost"]["executions"]),
        seconds,
        trouble,
    )


def _commit(root: Path) -> None:
    kept = {name: os.environ[name] for name in KEPT if name in os.environ}
    for words in (["init", "-q", "-b", "main"], ["add", "-A"], ["commit", "-q", "-m", "All of it"]):
        subprocess.run(
            ["git", *words], cwd=root, env={**kept, **IDENTITY}, check=True, capture_output=True
        )


def _which(case: Case) -> list[str]:
    """What to test: all, or by name what uses no framework and has no annotations.

    Such a function is tested where somebody asks for it.
    """
    is_asked = not case.annotated and case.framework in ("numpy", "python")
    return ["--target", case.target] if is_asked else ["--all"]


def _assayer(root: Path, output: Path, artifacts: Path, which: list[str]) -> str:
    kept = {name: os.environ[name] for name in KEPT if name in os.environ}
    words = [*which, "--only", "properties", "--format", "json", "--offline", "--quiet"]
    done = subprocess.run(
        [
            str(Path(sys.executable).with_name("assayer")),
            *("check", str(root), *words),
            *("--output", str(output), "--artifacts", str(artifacts)),
        ],
        env={**kept, "XDG_STATE_HOME": str(output.with_suffix(".state")), "KERAS_BACKEND": "torch"},
        capture_output=True,
        text=True,
        timeout=LONGEST,
        check=False,
    )
    if done.returncode in DECIDED:
        return ""
    return f"exit status {done.returncode}: {(done.stderr.strip().splitlines() or ['?'])[-1]}"


def seeded(case: Case, finding: Mapping[str, Any]) -> bool:
    """Whether a finding is about the bug of the case: its rule, its place and its exception.

    A promise that the target does not keep is broken by the same bug, as it is
    kept in the fixed version: what is found there is false by all means.
    """
    if finding["rule"] == PROMISE and finding["target"] == case.target:
        return True
    if finding["rule"] not in ACCEPTED[case.rule]:
        return False
    lines = case.lines()
    if not lines:
        return bool(finding["target"] == case.target)
    if _place(finding) not in lines and (finding["path"], finding["line"]) not in lines:
        return False
    exception = finding["evidence"].get("exception")
    return exception is None or exception.rpartition(".")[2] in case.exceptions


def _place(finding: Mapping[str, Any]) -> tuple[str, int]:
    path, _, line = str(finding["evidence"].get("raised_at", "")).rpartition(":")
    return path, int(line) if line.isdigit() else 0
