"""The gate fails for whatever fails, and names it."""

import sys
from pathlib import Path

import pytest

from tests.repository.gate_checkout import Checkout

ONCE = (
    "if not os.path.exists('build/failed-once'):",
    "    open('build/failed-once', 'w').close()",
    "    assert False",
)


@pytest.fixture
def checkout(tmp_path):
    return Checkout(tmp_path)


def test_slow_tests_run_alone(checkout):
    checkout.write("tests/test_quick.py", "def test_quick():\n    assert False\n")
    checkout.test("test_good.py")
    ran = checkout.gate()
    assert ran.returncode == 0, ran.stdout + ran.stderr
    assert ran.stdout.splitlines()[-1].startswith("1 passed in ")


def test_test_that_moves_the_clock_is_no_crash(checkout):
    checkout.test("test_clock.py", "time.time = time.monotonic = lambda: 9e9")
    checkout.test("test_good.py")
    ran = checkout.gate()
    assert ran.returncode == 0, ran.stdout + ran.stderr
    assert ran.stdout.splitlines()[-1].startswith("2 passed in ")


def test_failure_that_repeats_is_named(checkout):
    checkout.test("test_bad.py", "assert False")
    checkout.test("test_good.py")
    ran = checkout.gate()
    assert ran.returncode == 1
    *_, named, closing = ran.stdout.splitlines()
    assert named == "FAILED tests/test_bad.py::test_it"
    assert closing.startswith("1 failed, 1 passed in ")


def test_file_that_cannot_be_collected_hides_no_other(checkout):
    checkout.write("tests/test_bad.py", "# pytest.mark.slow\nimport nowhere\n")
    checkout.test("test_good.py")
    ran = checkout.gate()
    assert ran.returncode == 1
    *_, named, closing = ran.stdout.splitlines()
    assert named == "FAILED tests/test_bad.py"
    assert closing.startswith("1 passed, 1 errors in ")


@pytest.mark.slow
def test_failure_counts_though_its_group_runs_out_of_time(checkout):
    checkout.test("test_bad.py", "assert False")
    checkout.test("test_long.py", "time.sleep(600)")
    ran = checkout.gate("--slow", "--seconds", "12")
    assert ran.returncode == 1
    assert "== cut while it ran: tests/test_long.py::test_it" in ran.stdout
    assert "== left out, for lack of time: tests/test_long.py" in ran.stdout
    assert ran.stdout.splitlines()[-2] == "FAILED tests/test_bad.py::test_it"


def test_files_out_of_time_are_named(checkout):
    checkout.test("test_good.py")
    checkout.durations(test_good=90)
    ran = checkout.gate("--slow", "--seconds", "1")
    assert ran.returncode == 0
    assert "== left out, for lack of time: tests/test_good.py" in ran.stdout


def test_hanging_test_is_named(checkout):
    checkout.test("test_hanging.py", "time.sleep(600)")
    checkout.test("test_later.py")
    ran = checkout.gate("--slow", "--limit", "1")
    assert ran.returncode == 1
    assert ran.stdout.splitlines()[-2] == "HUNG tests/test_hanging.py::test_it"
    assert ran.stdout.splitlines()[-1].startswith("1 failed, 1 passed in ")


def test_flaky_test_is_named_and_passes(checkout):
    checkout.test("test_flaky.py", *ONCE)
    ran = checkout.gate()
    assert ran.returncode == 0
    assert ran.stdout.splitlines()[-2] == "no build/passed-all: the tree is not clean"
    assert "FLAKY tests/test_flaky.py::test_it" in ran.stdout.splitlines()[-4:]
    assert ran.stdout.splitlines()[-1].startswith("1 passed in ")


@pytest.mark.parametrize("path", ["worker/sandbox/test_it.py", "test_attacks.py", "test_page.py"])
def test_flaky_test_of_security_is_failure(checkout, path):
    checkout.write("docs/security.md", "| c | [`test_it`](../tests/test_page.py) |\n")
    checkout.test(path, *ONCE)
    ran = checkout.gate()
    assert ran.returncode == 1
    *_, flaky, failed, closing = ran.stdout.splitlines()
    assert flaky == f"FLAKY tests/{path}::test_it"
    assert failed.startswith(f"FAILED tests/{path}::test_it, for it tests security")
    assert closing.startswith("1 failed in ")


def test_three_flaky_files_are_failures(checkout):
    for number in range(3):
        checkout.test(f"test_{number}.py", *(line.replace("once", str(number)) for line in ONCE))
    ran = checkout.gate()
    assert ran.returncode == 1
    assert ran.stdout.splitlines()[-1].startswith("3 failed in ")


def test_crash_is_named_and_the_rest_runs(checkout):
    checkout.test("test_crash.py", "os.kill(os.getpid(), 11)")
    checkout.test("test_later.py")
    ran = checkout.gate()
    assert ran.returncode == 1
    *_, named, closing = ran.stdout.splitlines()
    assert named == "CRASHED tests/test_crash.py::test_it (SIGSEGV)"
    assert closing.startswith("1 passed in ")


def test_process_that_ends_itself_is_named(checkout):
    checkout.test("test_ending.py", "os._exit(0)")
    ran = checkout.gate()
    assert ran.returncode == 1
    assert ran.stdout.splitlines()[-2].startswith("CRASHED tests/test_ending.py::test_it")


def test_only_listed_skips_are_accepted(checkout):
    checkout.write("tests/accepted_skips.toml", '[accepted]\n"no .* here" = "why"\n')
    checkout.test("test_listed.py", "pytest.skip('no controller here')")
    checkout.test("test_other.py", "pytest.skip('bubblewrap is not installed')")
    ran = checkout.gate("--slow", "--strict")
    assert ran.returncode == 1
    named = "SKIPPED tests/test_other.py::test_it: bubblewrap is not installed"
    assert ran.stdout.splitlines()[-2].startswith(named)
    assert "SKIPPED tests/test_listed.py" not in ran.stdout


def test_tree_that_passed_is_noted(checkout):
    checkout.test("test_good.py")
    tree = checkout.commit()
    checkout.write("build/passed", f"{tree}\n")
    assert checkout.gate().returncode == 0
    passed = checkout.folder / "build" / "passed-all"
    assert passed.read_text().strip() == tree
    checkout.test("test_bad.py", "assert False")
    assert checkout.gate().returncode == 1
    assert not passed.exists()


@pytest.mark.slow
def test_everyday_run_notes_its_tree(checkout):
    checkout.write("tests/test_quick.py", "def test_quick():\n    pass\n")
    checkout.write("scripts/gate.py", without_checks(checkout))
    tree = checkout.commit()
    ran = checkout.gate("--limit", "120")
    assert ran.returncode == 0, ran.stdout
    assert (checkout.folder / "build" / "passed").read_text().strip() == tree
    checkout.write("tests/test_quick.py", "def test_quick():\n    assert False\n")
    assert checkout.gate("--limit", "120").returncode == 1
    assert not (checkout.folder / "build" / "passed").exists()


def without_checks(checkout):
    script = (checkout.folder / "scripts" / "gate.py").read_text()
    return script.replace("reversed(CHECKS)", "()")


def test_measured_seconds_are_written(checkout):
    checkout.test("test_long.py", "time.sleep(0.6)")
    ran = checkout.gate()
    assert "s tests/test_long.py::test_it" in ran.stdout
    assert "tests/test_long.py" in (checkout.folder / "build" / "durations.json").read_text()


@pytest.fixture
def grouped(monkeypatch):
    monkeypatch.syspath_prepend(Path(__file__).parents[2] / "scripts")
    from gating.groups import grouped

    yield grouped
    for name in [name for name in sys.modules if name.startswith("gating")]:
        del sys.modules[name]


def test_groups_take_about_as_long(grouped):
    seconds = {f"tests/test_{number:02}.py": 40.0 for number in range(40)}
    groups = grouped(seconds, seconds, 2)
    assert {group.seconds for group in groups} == {80.0}
    assert [file for group in groups for file in group.files] == sorted(seconds)


def test_long_file_is_a_group_of_its_own_and_comes_first(grouped):
    seconds = {"tests/a.py": 1.0, "tests/b.py": 900.0, "tests/c.py": 1.0}
    first, *others = grouped(seconds, seconds, 2)
    assert first.files == ["tests/b.py"]
    assert len(others) == 2
