"""Time of `assayer check` beside an earlier commit: medians of interleaved runs, and their ratio.

    python -m benchmarks.check_speed [--before 31cc9317] [--rounds 5] [--only NAME]

Each case is a small repository. Both sides run in this interpreter, in turn, with a home of their
own and bytecode on disk; wall seconds and processor seconds of the check and all it starts. On a
machine that does other work the ratio counts, and processor seconds vary less than wall seconds.
"""

from __future__ import annotations

import argparse
import os
import resource
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

ROOT = Path(__file__).parents[1]
PLAIN = "import json\n\n\ndef store{n}(value):\n    return json.dumps({{'value': value}})\n"
CLOUD = """\
from google.cloud import vision


def first_line(path):
    client = vision.ImageAnnotatorClient()
    with open(path, "rb") as file:
        image = vision.Image(content=file.read())
    response = client.text_detection(image=image)
    if not response.text_annotations:
        return None
    return response.text_annotations[0].description.splitlines()[0]
"""
TORCH = """\
import torch


def scale(x: torch.Tensor) -> torch.Tensor:
    return x / x.abs().max().clamp(min=1e-6)


def halves(x: torch.Tensor):
    return x[: len(x) // 2], x[len(x) // 2 :]


def attend(q: torch.Tensor, k: torch.Tensor) -> torch.Tensor:
    return torch.softmax(q @ k.transpose(-1, -2), dim=-1)
"""


@dataclass(frozen=True, slots=True)
class Case:
    """A change: files before, what replaces what in them, options; ``again`` checks it twice."""

    files: dict[str, str]
    edits: tuple[tuple[str, str, str], ...]
    options: tuple[str, ...] = ()
    again: bool = False


_PLAIN_FILES = {f"m{n}.py": PLAIN.format(n=n) for n in range(30)}
_CLOUD_EDIT = (("app.py", ".splitlines()[0]", ".splitlines()[0].strip()"),)
_TORCH_EDITS = (
    ("nets.py", "min=1e-6", "min=1e-5"),
    ("nets.py", "return x[: len(x)", "return x[0 : len(x)"),
    ("nets.py", "dim=-1", "dim=-1, dtype=q.dtype"),
)
CASES = {
    "no ML": Case(_PLAIN_FILES, (("m3.py", "'value'", "'values'"),)),
    "one cloud function": Case({"app.py": CLOUD}, _CLOUD_EDIT, ("--inputs", "3")),
    "one cloud function, unchanged": Case(
        {"app.py": CLOUD}, _CLOUD_EDIT, ("--inputs", "3"), again=True
    ),
    "three torch functions": Case({"nets.py": TORCH}, _TORCH_EDITS),
    "three torch functions, unchanged": Case({"nets.py": TORCH}, _TORCH_EDITS, again=True),
}


@dataclass(slots=True)
class Side:
    """One revision of Assayer, and the times of its runs."""

    name: str
    code: Path
    home: Path
    wall: list[float] = field(default_factory=list[float])
    processor: list[float] = field(default_factory=list[float])

    def check(self, repository: Path, options: tuple[str, ...], *, counted: bool = True) -> None:
        """Check once; note the times where they count."""
        command = [sys.executable, "-P", "-m", "worker.cli", "check", str(repository)]
        command += ["--offline", "--quiet", "--budget", "120", "--format", "json", *options]
        kept = {name: os.environ[name] for name in ("PATH", "HOME") if name in os.environ}
        variables = {
            **kept,
            "PYTHONPATH": str(self.code),
            "PYTHONPYCACHEPREFIX": str(self.home / "bytecode"),
            "XDG_STATE_HOME": str(self.home / "state"),
            "XDG_CACHE_HOME": str(self.home / "cache"),
        }
        began, computed = time.monotonic(), _children()
        done = subprocess.run(command, env=variables, capture_output=True, timeout=500, check=False)
        if done.returncode not in (0, 1):
            raise SystemExit(f"{self.name}: exit {done.returncode}\n{done.stderr.decode()}")
        if counted:
            self.wall.append(time.monotonic() - began)
            self.processor.append(_children() - computed)


def _children() -> float:
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def repository(folder: Path, case: Case) -> Path:
    """Make the repository of a case, with its change in the working tree."""
    folder.mkdir()

    def git(*arguments: str) -> None:
        who = ("-c", "user.name=a", "-c", "user.email=a@example.org")
        subprocess.run(["git", *who, *arguments], cwd=folder, check=True, capture_output=True)

    git("init", "--quiet", "--initial-branch=main")
    for path, text in case.files.items():
        (folder / path).write_text(text)
    git("add", "--all")
    git("commit", "--quiet", "--message=before")
    for path, old, new in case.edits:
        text = (folder / path).read_text()
        assert old in text
        (folder / path).write_text(text.replace(old, new))
    return folder


def before(revision: str, folder: Path) -> Path:
    """Write the code of an earlier commit."""
    folder.mkdir()
    archive = subprocess.Popen(["git", "archive", revision], cwd=ROOT, stdout=subprocess.PIPE)
    subprocess.run(["tar", "-x", "-C", str(folder)], stdin=archive.stdout, check=True)
    if archive.wait():
        raise SystemExit(f"there is no commit {revision}")
    return folder


def measure(case: Case, sides: tuple[Side, Side], folder: Path, rounds: int) -> None:
    """Run a case on both sides in turn; the first run of each, uncounted, writes bytecode."""
    for number in range(rounds + 1):
        for side in sides:
            fresh = folder / f"{side.name}{number}"
            place = repository(fresh, case)
            if case.again:
                side.check(place, case.options, counted=False)
            side.check(place, case.options, counted=number > 0)


def told(name: str, old: Side, new: Side) -> str:
    """Return a row of a Markdown table: medians of both sides, and their ratios."""

    def cell(of: Callable[[Side], list[float]]) -> str:
        first, second = statistics.median(of(old)), statistics.median(of(new))
        return f"{first:.2f} / {second:.2f} s ({second / first:.2f})"

    return f"| {name} | {cell(lambda side: side.wall)} | {cell(lambda side: side.processor)} |"


def main() -> None:
    """Measure every case, or one."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--before", default="31cc9317")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--only", choices=tuple(CASES), action="append")
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        code = before(given.before, folder / "code")
        print(f"load {os.getloadavg()[0]:.1f}; {given.rounds} rounds; {given.before} / now (ratio)")
        print("| change | wall | processor |\n|---|---|---|")
        for number, case_name in enumerate(given.only or CASES):
            sides = (Side("old", code, folder / "h1"), Side("new", ROOT, folder / "h2"))
            place = folder / f"case{number}"
            place.mkdir()
            measure(CASES[case_name], sides, place, given.rounds)
            print(told(case_name, *sides), flush=True)


if __name__ == "__main__":
    main()
