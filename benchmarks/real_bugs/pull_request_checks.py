"""Check the pull request that brings a bug back, and say what became of the bug."""

from __future__ import annotations

import ast
import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import asdict, dataclass
from hashlib import sha256
from pathlib import Path
from typing import Any

from benchmarks.real_bugs.bug_list import Bug
from benchmarks.real_bugs.fix_commits import git, pull_request

ROOT = Path(__file__).parents[2]
PRODUCT = ("analyzers", "worker", "templates")
LONGEST = 15 * 60
OUTCOMES = ("told", "notice", "missed", "not tested", "error")
GATING = ("failure", "warning")
CONTAINERS = (ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef)


@dataclass(frozen=True, slots=True)
class CheckResult:
    """The report on one bug, with what the bug and the product were."""

    id: str
    product: str
    seconds: float
    exit_status: int
    head: str
    report: dict[str, Any]


@dataclass(frozen=True, slots=True)
class CheckOptions:
    """Options of ``assayer check``, the same for all bugs."""

    budget: int = 60
    seed: int = 1


@dataclass(frozen=True, slots=True)
class Judged:
    """What became of a bug: the outcome, its reason, and findings about something else."""

    outcome: str
    reason: str
    false_alarms: tuple[str, ...]


def checked(bug: Bug, clone: Path, folder: Path, options: CheckOptions) -> CheckResult:
    """Return the kept result of this bug, product and options, else check and keep it."""
    product = product_version()
    key = sha256(json.dumps([asdict(bug), asdict(options), product]).encode()).hexdigest()[:12]
    kept = folder / "results" / f"{bug.id}-{key}.json"
    if not kept.is_file():
        kept.parent.mkdir(parents=True, exist_ok=True)
        result = _check(bug, clone, folder, options, product)
        kept.write_text(json.dumps(asdict(result), indent=1), "utf-8")
    return CheckResult(**json.loads(kept.read_text("utf-8")))


def newest_result(bug: Bug, folder: Path) -> CheckResult | None:
    """Return the newest result of a bug, of whatever product and options."""
    kept = (folder / "results").glob(f"{bug.id}-????????????.json")
    newest = max(kept, key=lambda path: path.stat().st_mtime, default=None)
    return CheckResult(**json.loads(newest.read_text("utf-8"))) if newest else None


def product_version() -> str:
    """Return the names of the product's committed trees: what else changed cannot matter."""
    trees = git(ROOT, "rev-parse", *(f"HEAD:{folder}" for folder in PRODUCT)).decode().split()
    return "-".join(tree[:12] for tree in trees)


def _check(bug: Bug, clone: Path, folder: Path, options: CheckOptions, product: str) -> CheckResult:
    checkout, base, head = pull_request(bug, clone, folder)
    with tempfile.TemporaryDirectory() as scratch:
        output = Path(scratch, "report.json")
        command = [
            str(Path(sys.executable).with_name("assayer")), "check", str(checkout),
            *("--base", base, "--head", head, "--quiet", "--artifacts", scratch),
            *("--budget", str(options.budget), "--seed", str(options.seed)),
            *("--format", "json", "--output", str(output)),
        ]  # fmt: skip
        began = time.monotonic()
        done = subprocess.run(
            command,
            env={**os.environ, "KERAS_BACKEND": "torch"},
            capture_output=True,
            timeout=LONGEST,
            check=False,
        )
        seconds = time.monotonic() - began
        report = json.loads(output.read_text("utf-8")) if output.is_file() else {}
    return CheckResult(bug.id, product, round(seconds, 1), done.returncode, head, report)


def judge(bug: Bug, result: CheckResult, source: str) -> Judged:
    """Say what became of a bug; ``source`` is its file at head.

    A new finding counts for the bug where it lies in the changed function or its class, or
    on a function that was examined because it calls a changed one. Whether it names the
    bug is for a reader to say.
    """
    report = result.report
    if not report or report["verdict"] == "error":
        errors = (each["error"] for each in report.get("broken", ()))
        return Judged("error", next(errors, f"exit status {result.exit_status}"), ())
    new = [each for each in report["findings"] if each["status"] == "new"]
    lines = _lines(source, bug.function)
    about = [each for each in new if _concerns(each, bug, lines, report)]
    others = tuple(
        f"{each['rule']} {each['target']}"
        for each in new
        if each not in about and each["level"] in GATING
    )
    for levels, outcome in ((GATING, "told"), (("notice",), "notice")):
        told = [f"{each['rule']}: {each['title']}" for each in about if each["level"] in levels]
        if told:
            return Judged(outcome, told[0], others)
    tested = [each for each in report["targets"] if _is_near(each["id"], bug)]
    tested = tested or [each for each in report["targets"] if each["reason"] == "calls-changed"]
    names = {each["id"] for each in tested}
    reasons = [each["reason"] for each in report["skipped"] if each["target"] in names]
    if any(each["executions"] for each in tested):
        return Judged("missed", next(iter(reasons), _ran(tested)), others)
    absent = "" if tested else "not a target"
    return Judged("not tested", next(iter(reasons), absent or "no reason given"), others)


def _ran(targets: Iterable[Mapping[str, Any]]) -> str:
    return f"{sum(each['executions'] for each in targets)} executions, nothing said"


def _concerns(
    finding: Mapping[str, Any], bug: Bug, lines: range, report: Mapping[str, Any]
) -> bool:
    if _is_near(finding["target"], bug) or (
        finding["path"] == bug.file and finding["line"] in lines
    ):
        return True
    callers = (each["id"] for each in report["targets"] if each["reason"] == "calls-changed")
    return finding["target"] in callers


def _is_near(target: str, bug: Bug) -> bool:
    """Say whether a target is the changed function, its class, or a method beside it."""
    path, _, function = target.partition("::")
    owner = bug.function.rpartition(".")[0] or bug.function
    return path == bug.file and f"{function}.".startswith(f"{owner}.")


def _lines(source: str, function: str) -> range:
    """Return the lines of a function, empty where the head does not have it."""
    for name, node in _named(ast.parse(source), ""):
        if name == function:
            return range(node.lineno, (node.end_lineno or node.lineno) + 1)
    return range(0)


def _named(
    node: ast.AST, prefix: str
) -> Iterator[tuple[str, ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef]]:
    for child in ast.iter_child_nodes(node):
        if isinstance(child, CONTAINERS):
            yield f"{prefix}{child.name}", child
            yield from _named(child, f"{prefix}{child.name}.")
        else:
            yield from _named(child, prefix)
