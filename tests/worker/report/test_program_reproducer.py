"""The project's own program as a pytest file: it needs nothing of ours."""

import ast
import subprocess
import sys

import pytest

from analyzers.vocabulary import Crashes, Finding, Level, Probe, Program, Violates
from tests.worker.report.running import PYTEST
from worker.report.replay_file import read_replay, write_replay
from worker.report.reproducer import reproducer
from worker.report.reproducer import test_name as name_of

CODE = "import math\n\n\ndef half(x):\n    return {half}\n"
SOURCE = "from __future__ import annotations\nimport random\nfrom halves import *\nx = half(4.0)"


def finding(criterion):
    program = Program(SOURCE, "README.md:3", "`2` is `4`", 1)
    ensures = (criterion.condition,) if isinstance(criterion, Violates) else ()
    return Finding(
        analyzer="properties",
        rule="property/crash",
        level=Level.FAILURE,
        path="halves.py",
        line=5,
        end_line=5,
        symbol="halves.py::half",
        target="halves.py::half",
        title="`half` fails",
        message="It fails.",
        evidence={"driver": "README.md:3", "variation": "", "code": SOURCE},
        probes=(Probe("halves.py::half", {}, (), ensures, program=program),),
        criterion=criterion,
        input_kind="x",
    )


@pytest.mark.slow
@pytest.mark.parametrize(
    ("criterion", "fixed", "broken"),
    [
        (Crashes("ZeroDivisionError", "halves.py", "half"), "x / 2", "x / 0"),
        (Violates("abs(x - 2.0) < 0.5"), "x / 2", "x"),
        (Violates("finite(x)"), "x / 2", "math.inf"),
        (Violates("near(x, 2.0)"), "x / 2", "x"),
        (Violates("near([x], (2.0,))"), "x / 2", "x"),
    ],
)
def test_it_fails_on_head_and_passes_on_base(tmp_path, criterion, fixed, broken):
    shown = finding(criterion)
    text = reproducer(shown, {})
    ast.parse(text)
    test = tmp_path / f"{name_of(shown)}.py"
    test.write_text(text)
    found = []
    for half in (broken, fixed):
        (tmp_path / "halves.py").write_text(CODE.format(half=half))
        command = [sys.executable, "-B", *PYTEST, test.name]
        ran = subprocess.run(command, cwd=tmp_path, check=False, capture_output=True, text=True)
        found.append(ran.returncode)
    assert found == [1, 0], text


def test_replay_keeps_the_program(tmp_path):
    shown = finding(Violates("finite(x)"))
    assert read_replay(write_replay(shown, {}, tmp_path)).probes == shown.probes
