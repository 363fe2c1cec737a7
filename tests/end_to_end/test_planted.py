"""Planted defects are found once, in their place; their clean twins are left in peace.

Every finding can be seen again: by its reproducer, by replay, in every format.
"""

import json
import subprocess
import sys
from pathlib import Path
from xml.etree import ElementTree as ET

import pytest
from jsonschema import Draft202012Validator

from tests.end_to_end.commandline import LONGEST
from tests.end_to_end.defects import DESK, SOUND
from tests.end_to_end.repositories import PROJECTS
from tests.end_to_end.test_interrupted import interrupted
from tests.worker.report.running import PYTEST
from tests.worker.report.test_sarif_report import SCHEMA as SARIF
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


def test_what_was_found_before_stands(desk, tmp_path, planted):
    checked, _ = interrupted(desk, tmp_path / "run", "Error", jobs=1)
    assert "cloud/crash" in {found["rule"] for found in checked.findings}
    for found in checked.findings:
        assert found["fingerprint"] in {finding["fingerprint"] for finding in planted.findings}
        if found["evidence"].get("proof") == "constant-condition":
            continue  # told from the text; the interruption came before the run that shows it
        assert (checked.folder / found["reproducer"]).is_file()


# ------------------------------------------------------------ seen again


RECEIPT = "desk/archive.py::shelf"
SUFFIXES = {
    "text": ".txt",
    "markdown": ".md",
    "sarif": ".sarif",
    "junit": ".xml",
    "html": ".html",
}


def failures(checked, folder, result):
    """The message (or ``None``) of every reproducer, run as the author would in ``folder``."""
    done = subprocess.run(
        [
            *(sys.executable, *PYTEST, "--noconftest"),
            *(f"--junitxml={result}", f"--rootdir={folder}"),
            *[checked.folder / finding["reproducer"] for finding in checked.findings],
        ],
        cwd=folder,
        env={"PATH": "/usr/bin:/bin", "PYTHONDONTWRITEBYTECODE": "1"},
        capture_output=True,
        text=True,
        timeout=LONGEST,
        check=False,
    )
    assert result.exists(), done.stdout + done.stderr
    return {
        case.get("name", ""): next((part.get("message") for part in case), None)
        for case in ET.parse(result).iter("testcase")
    }


@pytest.fixture(scope="module")
def on_head(planted, desk):
    return failures(planted, desk.branch("planted"), desk.folder / "head.xml")


def test_reproducers_fail_on_head(planted, on_head):
    assert len(on_head) == len(planted.findings)
    assert all(on_head.values())


def test_reproducers_fail_with_the_same_error(planted, on_head):
    for finding in planted.findings:
        if finding["rule"] == "cloud/crash":
            (message,) = [m for name, m in on_head.items() if finding["fingerprint"] in name]
            assert message.startswith(finding["evidence"]["exception"])


def test_reproducers_pass_on_the_clean_twin(planted, desk, tmp_path):
    found = failures(planted, desk.branch("twin"), tmp_path / "result.xml")
    assert len(found) == len(planted.findings)
    assert not any(found.values()), found


def replayed(planted, desk, folder):
    ended = desk.home.run("replay", planted.path, "--repo", folder)
    return ended, [line.split()[:2] for line in ended.out.splitlines()]


def test_replay_fails_on_head(planted, desk):
    ended, lines = replayed(planted, desk, desk.branch("planted"))
    assert lines == [["FAILED", finding["fingerprint"]] for finding in planted.findings]
    assert ended.status == 1


def test_replay_is_fixed_on_the_clean_twin_in_a_folder_without_git(planted, desk):
    ended, lines = replayed(planted, desk, PROJECTS / "desk" / "twin")
    assert lines == [["FIXED", finding["fingerprint"]] for finding in planted.findings]
    assert ended.status == 0


@pytest.fixture(scope="module")
def rendered(desk, tmp_path_factory):
    """One finding in every format: JSON on standard output, the others in files."""
    folder = tmp_path_factory.mktemp("rendered")
    files = {form: folder / f"report{SUFFIXES[form]}" for form in SUFFIXES}
    ended = desk.home.run(
        *("check", desk.repository, "--base", "main", "--head", "planted", "--target", RECEIPT),
        *("--quiet", "--format", "json"),
        *(word for file in files.values() for word in ("--output", file)),
    )
    assert (ended.status, ended.err) == (0, "")
    return {"json": ended.out, **{form: file.read_text("utf-8") for form, file in files.items()}}


@pytest.mark.parametrize("form", ["json", *SUFFIXES])
def test_every_format_is_rendered(rendered, form):
    assert "IndexError" in rendered[form]
    assert "desk/archive.py" in rendered[form]


def test_json_on_standard_output_is_a_report(rendered):
    report = json.loads(rendered["json"])
    assert report["schema"] == "assayer-report/1"
    assert len(report["findings"]) == 1


def test_sarif_is_valid(rendered):
    log = json.loads(rendered["sarif"])
    SARIF.validate(log)
    assert log["runs"][0]["results"][0]["ruleId"] == "cloud/crash"


def test_junit_is_xml(rendered):
    names = [case.get("name") for case in ET.fromstring(rendered["junit"]).iter("testcase")]
    assert names


def test_page_needs_nothing_from_outside(rendered):
    page = rendered["html"]
    assert page.lstrip().lower().startswith("<!doctype html>")
    assert "data:image/" in page
    assert 'src="http' not in page
