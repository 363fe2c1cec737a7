import importlib.util
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

SCRIPT = Path(__file__).resolve().parents[2] / "scripts" / "gate.py"
QUICK = "def test_quick():\n    assert False\n"
SLOW = "import pytest\n\n\n@pytest.mark.slow\ndef test_slow():\n    assert {outcome}\n"
DURATIONS = '{"everyday": {}, "slow": {"tests/test_good.py": 90}}'


@pytest.fixture(scope="module")
def gate():
    spec = importlib.util.spec_from_file_location("gate", SCRIPT)
    module = importlib.util.module_from_spec(spec)
    sys.modules["gate"] = module
    spec.loader.exec_module(module)
    yield module
    del sys.modules["gate"]


@pytest.fixture
def checkout(tmp_path):
    (tmp_path / "scripts").mkdir()
    (tmp_path / "tests").mkdir()
    shutil.copy(SCRIPT, tmp_path / "scripts" / "gate.py")
    (tmp_path / "pytest.ini").write_text("[pytest]\naddopts = -q\nmarkers = slow\n")
    (tmp_path / "tests" / "test_good.py").write_text(QUICK + SLOW.format(outcome=True))
    (tmp_path / "tests" / "durations.json").write_text(DURATIONS)
    return tmp_path


def slow(checkout, *arguments):
    return subprocess.run(
        [sys.executable, checkout / "scripts" / "gate.py", "--slow", *arguments],
        check=False,
        capture_output=True,
        text=True,
    )


@pytest.mark.slow
def test_slow_tests_run_alone(checkout):
    ran = slow(checkout)
    assert ran.returncode == 0, ran.stdout
    assert ran.stdout.splitlines()[-1].startswith("1 passed in ")


@pytest.mark.slow
def test_slow_failure_is_failure(checkout):
    (checkout / "tests" / "test_bad.py").write_text(SLOW.format(outcome=False))
    ran = slow(checkout)
    assert ran.returncode == 1
    assert ran.stdout.splitlines()[-1].startswith("1 failed, 1 passed in ")
    assert "== failed: tests/test_bad.py to tests/test_bad.py" in ran.stdout


@pytest.mark.slow
def test_unreadable_test_is_failure(checkout):
    (checkout / "tests" / "test_bad.py").write_text("# pytest.mark.slow\nimport nowhere\n")
    assert slow(checkout).returncode == 1


@pytest.mark.slow
def test_files_out_of_time_are_named(checkout):
    ran = slow(checkout, "1")
    assert ran.returncode == 0
    assert "left out, for the time was up: tests/test_good.py" in ran.stdout


def test_measured_seconds_are_written(checkout):
    slept = "import time\n\n" + SLOW.format(outcome="time.sleep(0.6) is None")
    (checkout / "tests" / "test_long.py").write_text(slept)
    ran = slow(checkout)
    assert "s tests.test_long::test_slow" in ran.stdout
    assert "tests/test_long.py" in (checkout / "build" / "durations.json").read_text()


def test_groups_take_about_as_long(gate):
    seconds = {f"tests/test_{number:02}.py": 20.0 for number in range(40)}
    groups = gate.grouped(seconds, seconds, 2)
    assert {group.seconds for group in groups} == {80.0}
    assert [file for group in groups for file in group.files] == sorted(seconds)


def test_long_file_is_its_own_group(gate):
    seconds = {"tests/a.py": 1.0, "tests/b.py": 900.0, "tests/c.py": 1.0}
    assert len(gate.grouped(seconds, seconds, 2)) == 3
