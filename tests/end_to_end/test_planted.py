"""Planted defects are found once, in their place; their clean twins are left in peace."""

import json
from pathlib import Path

import pytest
from jsonschema import Draft202012Validator

from tests.end_to_end.defects import DESK, SOUND
from worker import report

pytestmark = pytest.mark.slow

SCHEMA = json.loads((Path(report.__file__).parent / "schema.json").read_text(encoding="utf-8"))


def target(checked, identity):
    (found,) = [target for target in checked.report["targets"] if target["id"] == identity]
    return found


@pytest.mark.parametrize("defect", DESK, ids=str)
def test_planted_defect_is_found_once(planted, defect):
    finding = planted.about(defect.path, defect.line)
    assert finding["rule"] == defect.rule
    assert finding["status"] == defect.status
    assert finding["level"] == defect.level
    assert finding["target"] == defect.target


def test_nothing_else_is_found(planted):
    assert len(planted.findings) == len(DESK)
    assert planted.report["broken"] == []


@pytest.mark.parametrize("identity", SOUND)
def test_correct_code_is_tested_and_left_in_peace(planted, identity):
    assert target(planted, identity)["executions"] > 0
    assert target(planted, identity)["branches"]["covered"] > 0
    assert not [finding for finding in planted.findings if finding["target"] == identity]


def test_new_failures_block(planted):
    assert planted.status == 1
    assert planted.report["verdict"] == "failure"


def test_clean_twin_gets_no_finding_but_what_it_fixes(twin):
    assert {(f["rule"], f["target"], f["status"]) for f in twin.findings} <= {
        ("cloud/crash", "desk/archive.py::shelf", "fixed"),
        ("cloud/crash", "desk/post/letters.py::sender", "fixed"),
    }
    assert twin.report["broken"] == []


def test_clean_twin_succeeds_by_tests(planted, twin):
    assert twin.status == 0
    assert twin.report["verdict"] == "success"
    assert {t["id"] for t in twin.report["targets"]} == {t["id"] for t in planted.report["targets"]}
    assert all(target["executions"] for target in twin.report["targets"])


def test_clean_twin_reaches_every_goal(twin):
    assert all(t["goals"]["reached"] == t["goals"]["total"] for t in twin.report["targets"])


def test_existing_defect_blocks_nothing(existing):
    assert [finding["status"] for finding in existing.findings] == ["existing"]
    assert (existing.status, existing.report["verdict"]) == (0, "success")


def test_unchanged_caller_of_changed_code_is_a_target(planted):
    assert target(planted, "desk/intake.py::drawer")["reason"] == "calls-changed"
    assert target(planted, "desk/receipts.py::merchant")["reason"] == "changed"


def test_crash_says_what_happened(planted):
    crash = planted.about("desk/comments.py", DESK[4].line)
    assert crash["evidence"]["exception"] == "ZeroDivisionError"
    assert crash["evidence"]["raised_at"] == f"desk/comments.py:{DESK[4].line}"
    assert crash["inputs"]


def test_constant_condition_comes_with_a_tried_patch(planted):
    finding = planted.about("desk/receipts.py", DESK[1].line)
    suggestion = finding["suggestion"]
    assert suggestion["verified"] is True
    assert suggestion["replacement"].strip() == 'if "REFUND" in text or "CREDIT" in text:'
    assert (suggestion["start_line"], suggestion["end_line"]) == (DESK[1].line, DESK[1].line)


def test_mixed_sentiment_counts_both_sides(planted):
    evidence = planted.about("desk/comments.py", DESK[3].line)["evidence"]
    for polarity in ("positive", "negative"):
        low, high = evidence[polarity]["interval"]
        share = evidence[polarity]["reached"] / evidence[polarity]["inputs"]
        assert evidence["threshold"] < low <= share <= high


@pytest.mark.parametrize("name", ["planted", "twin"])
def test_report_keeps_its_schema(request, name):
    checked = request.getfixturevalue(name)
    errors = list(Draft202012Validator(SCHEMA).iter_errors(checked.report))
    assert [error.message for error in errors] == []


def test_report_names_both_commits(planted, desk):
    assert Path(planted.report["repository"]) == desk.repository
    assert len(planted.report["base"]) == len(planted.report["head"]) == 40


def test_progress_goes_to_standard_error(planted):
    assert planted.ended.out == ""
    assert "12 functions to test" in planted.ended.err
    assert "Traceback" not in planted.ended.err


def test_fingerprint_survives_a_line_shift(desk, planted):
    tree = desk.branch("planted")
    file = tree / "desk/receipts.py"
    before = file.read_text(encoding="utf-8")
    file.write_text("# Receipts come on paper,\n# most of them crumpled.\n\n" + before, "utf-8")
    try:
        shifted = desk.home.check(
            tree, desk.folder / "shifted", "--target", "desk/receipts.py::is_refund"
        )
    finally:
        file.write_text(before, encoding="utf-8")
    (finding,) = shifted.findings
    assert finding["line"] == DESK[1].line + 3
    assert finding["fingerprint"] == planted.about("desk/receipts.py", DESK[1].line)["fingerprint"]
    assert shifted.report["head"] is None
    assert shifted.report["base"] == planted.report["base"]
