"""Run the call of a bug before and after its fix, each in a fresh process."""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from benchmarks.real_bugs.bug_list import Bug
from benchmarks.real_bugs.fix_commits import extract

LONGEST = 300
NOT_A_BUG = ("ModuleNotFoundError", "SyntaxError", "IndentationError")
"""Errors of the environment or of the whole file, which show nothing of a call."""


@dataclass(frozen=True, slots=True)
class CallResult:
    """What a call did: its last line of standard error, empty where it passed."""

    error: str


@dataclass(frozen=True, slots=True)
class Verification:
    """What the call of a bug did at the fix and at its parent."""

    fix: CallResult
    parent: CallResult

    @property
    def shown(self) -> bool:
        failed = self.parent.error
        return not self.fix.error and bool(failed) and not failed.startswith(NOT_A_BUG)


def verify(bug: Bug, clone: Path, packages: Path) -> Verification:
    """Run the call of a bug on both commits."""
    done = [_run(bug, clone, commit, packages) for commit in (bug.fix, bug.parent)]
    return Verification(*done)


def _run(bug: Bug, clone: Path, commit: str, packages: Path) -> CallResult:
    with tempfile.TemporaryDirectory() as folder:
        extract(clone, commit, Path(folder))
        sources = [folder, str(Path(folder, "src"))]
        environment = {
            **os.environ,
            "PYTHONPATH": os.pathsep.join([*sources, str(packages)]),
            "KERAS_BACKEND": "torch",
            "PYTHONDONTWRITEBYTECODE": "1",
            "OMP_NUM_THREADS": "1",
        }
        done = subprocess.run(
            [sys.executable, "-c", bug.call],
            cwd=folder,
            env=environment,
            capture_output=True,
            text=True,
            timeout=LONGEST,
            check=False,
        )
    lines = done.stderr.strip().splitlines() or [f"exit status {done.returncode}"]
    return CallResult(lines[-1][:300] if done.returncode else "")


def install(packages: Sequence[str], folder: Path) -> Path:
    """Return the folder with the small packages that the projects import, installed once."""
    place = folder / "packages"
    installed = place / "installed.txt"
    if not installed.is_file() or installed.read_text().split() != list(packages):
        pip = [sys.executable, "-m", "pip", "install", "--quiet", "--no-deps", "--upgrade"]
        subprocess.run([*pip, "--target", str(place), *packages], check=True)
        installed.write_text("\n".join(packages))
    return place
