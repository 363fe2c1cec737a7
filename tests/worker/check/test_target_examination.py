"""The study of all targets puts those with a difference first."""

import time
from dataclasses import replace

import pytest

from analyzers.pipeline import analyzers_named
from analyzers.vocabulary import ChangeSet, Reason, Target
from tests.worker.sessions import laboratory, tree
from worker.check.base_comparison import FindingReach
from worker.check.target_examination import TargetExamination
from worker.executor.sandbox_executor import SandboxExecutor

BASE = """\
def first(x):
    return x + 1


def second(x):
    return x + 2
"""
README = "```python\na = first(3)\n```\n\n```python\nb = second(4)\n```\n"


@pytest.mark.slow
def test_targets_with_a_difference_come_first(tmp_path):
    head = BASE.replace("x + 1", "1 + x").replace("x + 2", "x + 3")
    trees = [tree(tmp_path / name, app=text) for name, text in (("head", head), ("base", BASE))]
    (tmp_path / "head" / "README.md").write_text(README)
    targets = tuple(
        Target("app.py", name, line, line + 1, Reason.CHANGED, (), (), ("app.py",))
        for name, line in (("first", 1), ("second", 5))
    )
    made = replace(laboratory(*trees), targets=targets)
    changes = ChangeSet("app", "base", "head", (), {"app.py": head}, {"app.py": BASE})
    examination = TargetExamination(
        made, (), FindingReach(made, changes), SandboxExecutor, analyzers_named(["properties"])
    )
    until = time.monotonic() + 200
    assert examination.study(targets, (until, until)) == [*reversed(targets)]
