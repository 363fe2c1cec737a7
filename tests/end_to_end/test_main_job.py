"""The main job on the smallest project: a finding, its reproducer and its replay."""

import pytest

from tests.end_to_end.commandline import home
from tests.end_to_end.repositories import git
from tests.end_to_end.test_bad_input import EYES, SHELF, small_repository, write
from tests.end_to_end.test_properties import run_test

REPAIRED = SHELF.replace(
    "    return words_on(path)[0].description[0].upper()",
    "    words = words_on(path)\n    return words[0].description[0].upper() if words else ''",
)


@pytest.fixture(scope="module")
def at_home(tmp_path_factory):
    return home(tmp_path_factory.mktemp("home"))


@pytest.fixture(scope="module")
def scans(tmp_path_factory):
    repository = small_repository(tmp_path_factory.mktemp("main") / "scans", {"cloud.py": EYES})
    return write(repository, {"shelf.py": SHELF})


@pytest.fixture(scope="module")
def checked(at_home, scans):
    return at_home.check(scans, at_home.state / "out", "--inputs", "2")


@pytest.fixture
def repaired(scans, tmp_path):
    git(scans, "worktree", "add", "--quiet", "--detach", str(tmp_path / "repaired"))
    return write(tmp_path / "repaired", {"shelf.py": REPAIRED})


def test_crash_is_found_on_its_line(checked):
    (finding,) = checked.findings
    assert (finding["rule"], finding["path"], finding["line"]) == ("cloud/crash", "shelf.py", 5)
    assert finding["evidence"]["exception"] == "IndexError"
    assert (checked.status, checked.report["verdict"]) == (1, "failure")
    assert (checked.report["head"], len(checked.report["base"])) == (None, 40)


def test_reproducer_fails_on_the_change_alone(checked, scans, repaired):
    reproducer = checked.folder / checked.findings[0]["reproducer"]
    assert run_test(reproducer, scans).returncode == 1
    assert run_test(reproducer, repaired).returncode == 0


def test_replay_fails_until_it_is_repaired(checked, at_home, scans, repaired):
    fingerprint = checked.findings[0]["fingerprint"]
    ended = at_home.run("replay", checked.path, "--repo", scans)
    assert (ended.status, ended.out.split()[:2]) == (1, ["FAILED", fingerprint])
    ended = at_home.run("replay", checked.path, "--repo", repaired)
    assert (ended.status, ended.out.split()[:2]) == (0, ["FIXED", fingerprint])
