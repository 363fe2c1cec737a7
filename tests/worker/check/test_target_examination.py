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
class Kept:
    pass


class Sum(Kept):
    def first(self, x):
        return x + 1


def second(x):
    return x + 2
"""
ADDED = BASE.replace("def first", "def added(self, x):\n        return x\n\n    def first")
README = "```python\na = Sum().first(3)\n```\n\n```python\nb = second(4)\n```\n"


@pytest.mark.slow
@pytest.mark.parametrize(
    ("head", "names"),
    [(BASE, ["Sum.first", "second"]), (ADDED, ["Sum.added", "Sum.first", "second"])],
)
def test_targets_with_a_difference_come_first(tmp_path, head, names):
    """A method that base may have inherited, and has not, cannot be loaded there."""
    head = head.replace("x + 1", "1 + x").replace("x + 2", "x + 3")
    trees = [tree(tmp_path / name, app=text) for name, text in (("head", head), ("base", BASE))]
    (tmp_path / "head" / "README.md").write_text(README)
    lines = {name: head.split("\n").index(_line(head, name)) + 1 for name in names}
    targets = tuple(
        Target("app.py", name, line, line + 1, Reason.CHANGED, (), (), ("app.py",))
        for name, line in lines.items()
    )
    made = replace(laboratory(*trees), targets=targets)
    changes = ChangeSet("app", "base", "head", (), {"app.py": head}, {"app.py": BASE})
    examination = TargetExamination(
        made, (), FindingReach(made, changes), SandboxExecutor, analyzers_named(["properties"])
    )
    until = time.monotonic() + 200
    assert examination.study(targets, (until, until))[0].function == "second"


def _line(text, name):
    return next(each for each in text.split("\n") if f"def {name.rpartition('.')[2]}(" in each)
