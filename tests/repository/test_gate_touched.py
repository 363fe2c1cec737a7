"""After a change the gate runs the slow tests that depend on it, nearest first."""

import pytest

from tests.repository.gate_checkout import Checkout


@pytest.fixture
def checkout(tmp_path):
    checkout = Checkout(tmp_path)
    checkout.write("worker/__init__.py", "")
    checkout.write("worker/low.py", "LOW = 1\n")
    checkout.write("worker/high.py", "from worker.low import LOW\n")
    checkout.write("worker/other.py", "")
    checkout.test("test_low.py", before="import worker.low")
    checkout.test("test_high.py", before="from worker import high")
    checkout.test("test_other.py", before="from worker import other")
    checkout.test("end_to_end/test_process.py")
    checkout.commit()
    return checkout


def ran(checkout, *arguments):
    done = checkout.gate("--touched", *arguments)
    assert done.returncode == 0, done.stdout + done.stderr
    names = [line.split()[-1] for line in done.stdout.splitlines() if "::test_it" in line]
    return {name.removeprefix("tests/").removesuffix(".py::test_it") for name in names}, done.stdout


def test_tests_of_what_changed_run(checkout):
    checkout.write("worker/low.py", "LOW = 2\n")
    checkout.commit()
    assert ran(checkout, "HEAD~1")[0] == {"test_low", "test_high", "end_to_end/test_process"}


def test_test_that_changed_runs(checkout):
    checkout.test("test_other.py", "assert True")
    checkout.commit()
    assert ran(checkout)[0] == {"test_other", "end_to_end/test_process"}


def test_history_of_one_commit_runs_the_end_to_end_tests(checkout):
    assert ran(checkout)[0] == {"end_to_end/test_process"}


def test_farthest_is_left_out_and_named(checkout):
    checkout.write("worker/low.py", "LOW = 2\n")
    checkout.durations(test_low=200, test_high=200, **{"end_to_end/test_process": 200})
    names, out = ran(checkout, "HEAD", "--processes", "1")
    assert names == {"test_low"}
    assert "== left out, for lack of time: tests/test_high.py" in out
    assert "== left out, for lack of time: tests/end_to_end/test_process.py" in out
