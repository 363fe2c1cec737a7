"""Every finding can be seen again: by its reproducer, by replay, in every format."""

import json
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from xml.etree import ElementTree as ET

import pytest

from tests.end_to_end.commandline import LONGEST
from tests.end_to_end.repositories import PROJECTS
from tests.worker.report.test_sarif_report import SCHEMA as SARIF

pytestmark = pytest.mark.slow

RECEIPT = "desk/archive.py::shelf"
FORMATS = ("text", "json", "markdown", "sarif", "junit", "html")


def failures(checked, folder, result):
    """The message (or ``None``) of every reproducer, run as the author would in ``folder``."""
    done = subprocess.run(
        [
            *(sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "--noconftest"),
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


def test_replay_is_fixed_on_the_clean_twin(planted, desk):
    ended, lines = replayed(planted, desk, desk.branch("twin"))
    assert lines == [["FIXED", finding["fingerprint"]] for finding in planted.findings]
    assert ended.status == 0


def test_replay_works_on_a_folder_without_git(existing, desk):
    ended, lines = replayed(existing, desk, PROJECTS / "desk" / "twin")
    assert [outcome for outcome, _ in lines] == ["FIXED"]
    assert ended.status == 0


@pytest.fixture(scope="module")
def rendered(desk):
    """One finding in every format, printed to standard output."""
    check = ("check", desk.repository, "--base", "main", "--head", "planted", "--target", RECEIPT)
    with ThreadPoolExecutor(2) as pool:
        ended = pool.map(lambda form: desk.home.run(*check, "--quiet", "--format", form), FORMATS)
        return dict(zip(FORMATS, ended, strict=True))


@pytest.mark.parametrize("form", FORMATS)
def test_every_format_is_rendered(rendered, form):
    assert rendered[form].status == 0
    assert rendered[form].err == ""
    assert "IndexError" in rendered[form].out
    assert "desk/archive.py" in rendered[form].out


def test_json_on_standard_output_is_a_report(rendered):
    report = json.loads(rendered["json"].out)
    assert report["schema"] == "assayer-report/1"
    assert len(report["findings"]) == 1


def test_sarif_is_valid(rendered):
    log = json.loads(rendered["sarif"].out)
    SARIF.validate(log)
    assert log["runs"][0]["results"][0]["ruleId"] == "cloud/crash"


def test_junit_is_xml(rendered):
    names = [case.get("name") for case in ET.fromstring(rendered["junit"].out).iter("testcase")]
    assert names


def test_page_needs_nothing_from_outside(rendered):
    page = rendered["html"].out
    assert page.lstrip().lower().startswith("<!doctype html>")
    assert "data:image/" in page
    assert 'src="http' not in page
