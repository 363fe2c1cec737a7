"""Programs as tests: run as pytest runs them."""

import subprocess
import sys
from dataclasses import replace

import pytest

from analyzers.vocabulary import Crashes, Violates
from tests.analyzers.samples import finding
from tests.worker.report.running import PYTEST
from worker.report.artifacts import program_test

TAKEN = replace(finding(), criterion=Violates("refuses('math.exp(0)')"))
DIED = replace(finding(), criterion=Crashes("process died", "", ""))


def ran(told, program, folder, *words):
    file = folder / "test_it.py"
    file.write_text(program_test(told, program, "test_it"), encoding="utf-8")
    command = [sys.executable, *words, file]
    return subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("told", "program", "status"),
    [
        (TAKEN, "import math\n\nprint(math.exp(0))\n", 1),
        (TAKEN, "import math\n\nprint(math.sqrt(-1))\n", 0),
        (DIED, "import os\n\nos.abort()\n", 1),
        (DIED, "import math\n\nmath.sqrt(-1)\n", 0),
    ],
    ids=["taken", "refused", "dies", "raises"],
)
def test_test_fails_as_long_as_it_is_so(told, program, status, tmp_path):
    assert ran(told, program, tmp_path, *PYTEST).returncode == status


def test_file_runs_the_program_by_itself(tmp_path):
    done = ran(TAKEN, "import math\n\nprint(math.exp(0))\n", tmp_path)
    assert (done.returncode, done.stdout) == (0, "1.0\n")
