"""Wrong usage, odd repositories and poor machines end with the right status and a sentence."""

import os
import shutil
import subprocess

import pytest

from tests.end_to_end.commandline import home
from tests.end_to_end.repositories import PROJECTS, small_repository, write

PYPROJECT = "[tool.assayer]\n"
FEW = ("--inputs", "2")
EYES = (PROJECTS / "desk/base/desk/cloud.py").read_text(encoding="utf-8")
SHELF = """from cloud import words_on


def shelf(path):
    return words_on(path)[0].description[0].upper()
"""
root = pytest.mark.skipif(os.geteuid() != 0, reason="mounting needs root")


@pytest.fixture
def at_home(tmp_path):
    return home(tmp_path / "home")


@pytest.fixture
def scans(tmp_path):
    """A working tree that adds a function that crashes on blank scans."""
    repository = small_repository(tmp_path / "scans", {"cloud.py": EYES})
    return write(repository, {"shelf.py": SHELF})


def checked(at_home, repository, *arguments, **more):
    return at_home.check(repository, at_home.state / "out", *FEW, *arguments, **more)


def refused(ended, status=2):
    assert ended.status == status
    assert ended.out == ""
    assert ended.err.startswith("assayer: ") or "Usage:" in ended.err
    assert "Traceback" not in ended.err
    return ended.err


def test_folder_without_git_is_refused(at_home, tmp_path):
    said = refused(at_home.run("check", tmp_path))
    assert "git" in said


@pytest.mark.slow
def test_missing_folder_is_refused(at_home, tmp_path):
    assert "nowhere" in refused(at_home.run("check", tmp_path / "nowhere"))


def test_unknown_revision_is_named(at_home, scans):
    assert "no-such-branch" in refused(at_home.run("check", scans, "--base", "no-such-branch"))


@pytest.mark.slow
def test_repository_without_commits_is_refused(at_home, tmp_path):
    (tmp_path / "empty").mkdir()
    subprocess.run(["git", "init", "-q", tmp_path / "empty"], check=True)
    refused(at_home.run("check", tmp_path / "empty"))


def test_empty_diff_is_skipped(at_home, tmp_path):
    repository = small_repository(tmp_path / "still", {"cloud.py": EYES, "shelf.py": SHELF})
    done = checked(at_home, repository, "--base", "HEAD", "--head", "HEAD")
    assert (done.status, done.report["verdict"]) == (0, "skipped")
    assert done.report["targets"] == done.findings == []


@pytest.mark.slow
def test_syntax_error_is_named(at_home, scans):
    write(scans, {"broken.py": "from cloud import words_on\n\ndef sort(path:\n    return 1\n"})
    done = checked(at_home, scans)
    (skipped,) = [s for s in done.report["skipped"] if "broken.py" in s["target"] + s["reason"]]
    assert "line 3" in skipped["reason"] or ":3" in skipped["reason"]
    assert [finding["path"] for finding in done.findings] == ["shelf.py"]


@pytest.mark.slow
def test_only_a_syntax_error_is_not_success(at_home, tmp_path):
    repository = small_repository(tmp_path / "broken", {"cloud.py": EYES})
    write(repository, {"cloud.py": EYES.replace("def words_on(path):", "def words_on(path:")})
    done = checked(at_home, repository)
    assert done.status == 0
    assert done.report["verdict"] in {"neutral", "skipped"}
    assert "cloud.py" in str(done.report["skipped"])


@pytest.mark.slow
def test_malformed_configuration_is_named(at_home, tmp_path):
    files = {"cloud.py": EYES, "pyproject.toml": PYPROJECT + "imputs = 3\n"}
    repository = small_repository(tmp_path / "project", files)
    said = refused(at_home.run("check", write(repository, {"shelf.py": SHELF})))
    assert "pyproject.toml:2" in said
    assert "imputs" in said


@pytest.mark.slow
def test_malformed_settings_are_named(at_home, scans, tmp_path):
    settings = tmp_path / "settings.toml"
    settings.write_text("[sandbox]\nmemory = 'much'\n", encoding="utf-8")
    said = refused(at_home.run("check", scans, "--settings", settings))
    assert "settings.toml:2" in said
    assert "memory" in said


def test_unknown_analyzer_is_named_with_the_known(at_home, scans):
    said = refused(at_home.run("check", scans, "--only", "clouds"))
    assert "clouds" in said
    assert "cloud" in said.replace("clouds", "")


def test_unknown_target_is_named(at_home, scans):
    target = "shelf.py::shelve"
    assert target in refused(at_home.run("check", scans, "--target", target))


@pytest.mark.slow
def test_unwritable_report_is_said(at_home, scans, tmp_path):
    (tmp_path / "file").write_text("", encoding="utf-8")
    ended = at_home.run("check", scans, *FEW, "--output", tmp_path / "file" / "report.txt")
    assert ended.status in {2, 3}
    assert "Traceback" not in ended.err
    assert "file" in ended.err


@pytest.mark.slow
def test_damaged_report_is_not_replayed(at_home, scans, tmp_path):
    (tmp_path / "report.json").write_text("{}", encoding="utf-8")
    refused(at_home.run("replay", tmp_path / "report.json", "--repo", scans))


# ------------------------------------------------------- poor machines


def in_mounts(script):
    """A prefix that runs a command in a mount namespace of its own, after ``script``."""
    return ("unshare", "--mount", "sh", "-c", f'{script} && exec "$@"', "sh")


@pytest.fixture
def without_bubblewrap():
    program = shutil.which("bwrap", path="/usr/local/bin:/usr/bin:/bin")
    return in_mounts(f"mount --bind /dev/null {program}")


@root
def test_no_isolation_refuses_and_says_what_to_install(at_home, scans, without_bubblewrap):
    asked = {"ASSAYER_SANDBOX__ISOLATION": "bubblewrap"}
    done = at_home.run("check", scans, "--quiet", prefix=without_bubblewrap, **asked)
    said = refused(done, status=3)
    assert "bwrap is not installed" in said
    assert "apt install bubblewrap" in said
    assert "--trust" in said


@pytest.mark.slow
@root
def test_trusted_code_needs_no_isolation(at_home, scans, without_bubblewrap):
    done = checked(at_home, scans, "--trust", prefix=without_bubblewrap)
    assert [finding["path"] for finding in done.findings] == ["shelf.py"]
    assert done.status == 1
    assert "no isolation" in str(done.report["environment"])


@root
@pytest.mark.parametrize("size", ["16k", pytest.param("200k", marks=pytest.mark.slow)])
def test_full_disk_is_said(at_home, scans, tmp_path, size):
    write(scans, {"large.txt": "x" * 400_000, "other.py": f"TEXT = '{'y' * 300_000}'\n"})
    full = tmp_path / "full"
    full.mkdir()
    prefix = in_mounts(f"mount -t tmpfs -o size={size},mode=1777 tmpfs {full}")
    ended = at_home.run("check", scans, "--quiet", prefix=prefix, TMPDIR=str(full))
    assert "No space left on device" in refused(ended, status=3)


@pytest.mark.slow
@root
def test_full_disk_under_the_report_is_said(at_home, scans, tmp_path):
    full = tmp_path / "full"
    full.mkdir()
    prefix = in_mounts(f"mount -t tmpfs -o size=4k tmpfs {full}")
    arguments = (*FEW, "--quiet", "--format", "html", "--output", full / "report.html")
    ended = at_home.run("check", scans, *arguments, prefix=prefix)
    assert "No space left on device" in refused(ended, status=3)


@pytest.mark.slow
@root
def test_full_state_folder_keeps_no_one_from_testing(at_home, scans):
    prefix = in_mounts(f"mount -t tmpfs -o size=4k tmpfs {at_home.state}")
    output = at_home.state.parent / "out"
    done = at_home.check(scans, output, *FEW, prefix=prefix)
    assert [finding["path"] for finding in done.findings] == ["shelf.py"]
    assert done.status == 1
