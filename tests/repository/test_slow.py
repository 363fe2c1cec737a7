import shutil
import subprocess
import sys
from pathlib import Path

import pytest

SCRIPTS = Path(__file__).resolve().parents[2] / "scripts"
QUICK = "def test_quick():\n    assert False\n"
SLOW = "import pytest\n\n\n@pytest.mark.slow\ndef test_slow():\n    assert {outcome}\n"


@pytest.fixture
def checkout(tmp_path):
    (tmp_path / "scripts").mkdir()
    for name in ("slow.py", "closing"):
        shutil.copy(SCRIPTS / name, tmp_path / "scripts" / name)
    (tmp_path / "pytest.ini").write_text("[pytest]\naddopts = -q\nmarkers = slow\n")
    (tmp_path / "test_good.py").write_text(QUICK + SLOW.format(outcome=True))
    return tmp_path


def slow(checkout, *arguments):
    return subprocess.run(
        [sys.executable, checkout / "scripts" / "slow.py", *arguments],
        check=False,
        capture_output=True,
        text=True,
    )


def test_slow_tests_run_alone(checkout):
    ran = slow(checkout)
    assert ran.returncode == 0, ran.stdout
    assert ran.stdout.splitlines()[-1].startswith("1 passed in ")


def test_slow_failure_is_failure(checkout):
    (checkout / "test_bad.py").write_text(SLOW.format(outcome=False))
    ran = slow(checkout)
    assert ran.returncode == 1
    assert "1 failed" in ran.stdout.splitlines()[-1]
    assert "1 passed" in ran.stdout.splitlines()[-1]


def test_files_out_of_time_are_named(checkout):
    ran = slow(checkout, "1")
    assert ran.returncode == 0
    assert "left out, for the time was up: test_good.py" in ran.stdout
