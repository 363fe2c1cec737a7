"""The benchmark of real bugs: its list, its pull requests, and what it makes of a report."""

from __future__ import annotations

import pytest

from benchmarks.real_bugs.bug_list import Bug, load
from benchmarks.real_bugs.fix_commits import fetched, file_at, git, pull_request
from benchmarks.real_bugs.outcome_tables import Row, tables
from benchmarks.real_bugs.pull_request_checks import CheckResult, judge
from benchmarks.real_bugs.verification import verify

FIXED = "def half(x):\n    return x / 2\n\n\ndef other(x):\n    return x\n"
BROKEN = FIXED.replace("x / 2", "x // 2")


@pytest.fixture
def mirrors(tmp_path):
    root = tmp_path / "mirrors" / "owner+toy"
    root.mkdir(parents=True)
    git(root, "init", "-q", "-b", "main")
    for text in (BROKEN, FIXED):
        (root / "toy.py").write_text(text)
        git(root, "add", "-A")
        git(root, "commit", "-q", "-m", "One")
    return tmp_path / "mirrors"


@pytest.fixture
def bug(mirrors):
    parent, fix = (
        git(mirrors / "owner+toy", "rev-parse", name).decode().strip() for name in ("HEAD^", "HEAD")
    )
    call = "from toy import half\nassert half(3) == 1.5\n"
    return Bug(
        "toy-half", "owner/toy", fix, parent, "toy.py", "half", "wrong value", "floors", call
    )


def result(bug, findings=(), executions=9, reason="changed"):
    target = {"id": bug.target, "executions": executions, "reason": reason}
    report = {
        "verdict": "success",
        "findings": list(findings),
        "targets": [target],
        "skipped": [],
        "broken": [],
        "cost": {"executions": executions},
    }
    return CheckResult(bug.id, "product", 2.0, 0, "head", report)


def finding(target="toy.py::half", level="failure", line=2):
    return {
        "rule": "property/crash",
        "level": level,
        "status": "new",
        "path": "toy.py",
        "line": line,
        "target": target,
        "title": "fails",
    }


def test_the_list_is_complete_and_has_two_halves():
    bugs = load().bugs
    assert len(bugs) >= 40
    assert all(bug.call.strip() and bug.says for bug in bugs)
    assert min(sum(bug.half == half for bug in bugs) for half in ("develop", "held-out")) >= 20


def test_a_bug_of_unknown_kind_is_refused(tmp_path):
    path = tmp_path / "bugs.toml"
    fields = ("id", "repository", "fix", "parent", "file", "function", "kind", "says", "call")
    path.write_text("packages = []\n[[bug]]\n" + "".join(f'{name} = "odd"\n' for name in fields))
    with pytest.raises(ValueError, match="kind 'odd'"):
        load(path)


def test_a_call_that_fails_before_the_fix_alone_is_shown(bug, mirrors, tmp_path):
    done = verify(bug, fetched(bug, tmp_path, mirrors), tmp_path)
    assert done.shown
    assert (done.fix.error, done.parent.error) == ("", "AssertionError")


def test_the_pull_request_brings_the_bug_back(bug, mirrors, tmp_path):
    checkout, base, head = pull_request(bug, fetched(bug, tmp_path, mirrors), tmp_path)
    assert (file_at(checkout, base, "toy.py"), file_at(checkout, head, "toy.py")) == (FIXED, BROKEN)
    assert (checkout / "toy.py").read_text() == BROKEN
    assert git(checkout, "rev-parse", f"{head}^").decode().strip() == base


@pytest.mark.parametrize(
    ("findings", "executions", "outcome", "alarms"),
    [
        ([finding()], 9, "told", 0),
        ([finding(level="notice")], 9, "notice", 0),
        ([finding(target="toy.py::other", line=6)], 9, "missed", 1),
        ([], 9, "missed", 0),
        ([], 0, "not tested", 0),
    ],
)
def test_what_became_of_a_bug(bug, findings, executions, outcome, alarms):
    judged = judge(bug, result(bug, findings, executions), BROKEN)
    assert (judged.outcome, len(judged.false_alarms)) == (outcome, alarms)


def test_no_report_is_an_error_and_not_a_miss(bug):
    assert judge(bug, CheckResult(bug.id, "", 1.0, 3, "", {}), BROKEN).outcome == "error"


def test_the_table_counts_by_half_and_kind(bug):
    done = result(bug, [finding()])
    table = tables([Row(bug, done, judge(bug, done, BROKEN)), Row(bug, None, None)])
    assert f"| {bug.half} | wrong value | 2 | 1 | 0 | 0 | 0 | 0 | 0 | 1 | 2 |" in table
    assert "| toy-half | wrong value | told | success | 9 | 2 | property/crash: fails |" in table


def test_private_function_is_tested_through_its_callers(bug):
    report = result(bug, [], 9).report
    report["targets"] = [{"id": "toy.py::caller", "reason": "calls-changed", "executions": 9}]
    report["skipped"] = [{"target": "toy.py::caller", "reason": "no time"}]
    judged = judge(bug, CheckResult(bug.id, "", 1.0, 0, "", report), BROKEN)
    assert (judged.outcome, judged.reason) == ("missed", "no time")
