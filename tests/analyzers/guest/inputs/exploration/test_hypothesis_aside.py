"""Hypothesis is imported ahead of need, and the project cannot tell."""

import subprocess
import sys
from pathlib import Path

import analyzers

ROOT = Path(analyzers.__file__).parents[1]
SCRIPT = """
import sys
from analyzers.guest.inputs.exploration import hypothesis_draws as draws

draws.set_aside_hypothesis(None)
aside = dict(draws._aside)
print("hypothesis" in sys.modules, "sortedcontainers" in sys.modules, "hypothesis" in aside)
{between}
print(draws.enable_hypothesis(None), sys.modules["hypothesis"] is aside["hypothesis"])
"""


def told(between: str = "") -> list[str]:
    code = SCRIPT.format(between=between)
    command = [sys.executable, "-c", code]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True)
    return done.stdout.splitlines()


def test_hypothesis_is_hidden_until_it_is_needed():
    assert told() == ["False False True", "None True"]


def test_projects_own_hypothesis_stays_its_own():
    assert told("import hypothesis") == ["False False True", "None False"]


def test_hypothesis_that_lies_elsewhere_is_imported_from_there(tmp_path):
    (tmp_path / "hypothesis.py").write_text("VERSION = 'another'\n")
    between = f"sys.path.insert(0, {str(tmp_path)!r})"
    assert told(between) == ["False False True", "None False"]
