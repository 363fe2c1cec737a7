"""Check that one seed gives one verdict, also beside eight busy processes.

``python -m benchmarks.determinism [PROJECT…] [--times N]`` checks each project N times with
one seed on the machine as it is, and N times beside eight processes that compute, and
compares the verdicts, the findings (fingerprint, level, status) and what was tested.  Exit
status 1 where two runs of a project differ.  Each run begins without recordings, examples or
environments of another.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Generator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from worker.cli.demo import unpack
from worker.demo import BASE, HEAD

SEED, BUSY, TIMES, BUDGET = 7, 8, 10, 300
LONGEST_BUSY = 900
ROOT = str(Path(__file__).resolve().parents[1])
MAIN = f"import sys; sys.path.insert(0, {ROOT!r}); from worker.cli import main; main()"
SPIN = "import time; end = time.monotonic() + {seconds}\nwhile time.monotonic() < end: pass"
SETTINGS = """\
[sandbox]
memory = "700MiB"
[environments]
install = "never"
"""

CLOUD = """\
from google.cloud import vision


def first(path):
    client = vision.ImageAnnotatorClient()
    with open(path, "rb") as file:
        image = vision.Image(content=file.read())
    labels = client.label_detection(image=image).label_annotations
    if labels[0].description == "Fire" and labels[0].score > 0.8:
        return "alarm"
    if len(labels) > 3 and labels[2].score > 2:
        return "never"
    return "quiet"
"""
PROPERTIES = """\
import torch


#@arg(x): tensors(dtype="float32", shape=("n", "m"), min=-4, max=4)
#@arg(k): ints(min=1, max=12)
def best(x, k=3):
    scores = torch.softmax(x, dim=1)
    values, places = scores.topk(k, dim=1)
    return values.sum(dim=1), places


#@arg(x): tensors(dtype="float32", shape=("n", 8), min=-4, max=4)
def slow(x):
    for _ in range(60):
        x = torch.tanh(x @ torch.ones(8, 8) / 8)
    return x
"""
RELATION = """\
import torch


#@arg(x): tensors(dtype="int64", shape="n")
#@arg(y): tensors(dtype="int64", shape="n")
def common(x, y):
    return torch.lcm(x, y)
"""
MEMORY = """\
import torch


#@arg(n): ints(min=1, max=3)
def table(n):
    rows = torch.ones({mebibytes} * n, 1024, 256)
    return rows[0].sum() / n
"""


@dataclass(frozen=True)
class Seen:
    """The part of a report that two runs of one seed share."""

    verdict: str
    findings: tuple[tuple[str, ...], ...]
    tested: tuple[tuple[str, str], ...]


def texts() -> Mapping[str, str]:
    """Return the source of each project but the demo."""
    return {
        "cloud": CLOUD,
        "properties": PROPERTIES,
        "relation": RELATION,
        "memory": MEMORY.format(mebibytes=120),
        "too-large": MEMORY.format(mebibytes=4000),
    }


def made(name: str, folder: Path) -> tuple[Path, list[str]]:
    """Return a project's checkout, and the options that say what to check of it."""
    if name == "demo":
        return unpack(folder), ["--base", BASE, "--head", HEAD, "--inputs", "6"]
    root = folder / name
    root.mkdir()
    (root / "app.py").write_text(texts()[name])
    for command in (["init", "-q", "-b", "main"], ["add", "."], ["commit", "-qm", "one"]):
        subprocess.run(["/usr/bin/git", *IDENTITY, *command], cwd=root, check=True)
    return root, ["--all", *ONLY.get(name, ())]


ONLY = {"memory": ("--only", "properties")}
IDENTITY = ["-c", "user.name=one", "-c", "user.email=one@example.com"]


def checked(root: Path, options: Sequence[str]) -> tuple[Seen, float]:
    """Return what one check of a project says, and its seconds."""
    with tempfile.TemporaryDirectory() as home:
        Path(home).chmod(0o755)
        settings = Path(home, "settings.toml")
        settings.write_text(SETTINGS)
        environment = {**os.environ, "HOME": home, "XDG_STATE_HOME": f"{home}/state"}
        environment |= {"XDG_CACHE_HOME": f"{home}/cache", "PYTHONSAFEPATH": "1"}
        began = time.monotonic()
        command = ["check", str(root), *options, "--seed", str(SEED), "--budget", str(BUDGET)]
        told = subprocess.run(
            [
                *(sys.executable, "-P", "-c", MAIN, *command, "--offline", "--quiet"),
                *("--format", "json", "--settings", str(settings)),
            ],
            env=environment,
            stdout=subprocess.PIPE,
            check=False,
        )
        seconds = time.monotonic() - began
    return seen(json.loads(told.stdout)), seconds


def seen(report: Mapping[str, Any]) -> Seen:
    """Return what a report says that another run must say too."""
    findings = ((f["rule"], f["fingerprint"], f["level"], f["status"]) for f in report["findings"])
    tested = ((each["id"], str(each.get("tested"))) for each in report["targets"])
    return Seen(report["verdict"], tuple(sorted(findings)), tuple(sorted(tested)))


@contextmanager
def busy(count: int) -> Generator[None]:
    """Compute beside what is inside, in processes that stop by themselves."""
    spin = SPIN.format(seconds=LONGEST_BUSY)
    spinning = [subprocess.Popen([sys.executable, "-I", "-c", spin]) for _ in range(count)]
    try:
        yield
    finally:
        for each in spinning:
            each.kill()
            each.wait()


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("projects", nargs="*", metavar="PROJECT")
    parser.add_argument("--times", type=int, default=TIMES)
    parser.add_argument("--busy", type=int, default=BUSY)
    asked = parser.parse_args()
    same = True
    with tempfile.TemporaryDirectory() as folder:
        Path(folder).chmod(0o755)
        for name in asked.projects or ["demo", *texts()]:
            root, options = made(name, Path(folder))
            runs = [checked(root, options) for _ in range(asked.times)]
            with busy(asked.busy):
                runs += [checked(root, options) for _ in range(asked.times)]
            same = show(name, runs) and same
    return 0 if same else 1


def show(name: str, runs: Sequence[tuple[Seen, float]]) -> bool:
    """Print the runs of one project; whether all say the same."""
    kinds = Counter(each for each, _ in runs)
    half = len(runs) // 2
    quiet, loaded = (sum(s for _, s in part) / max(half, 1) for part in (runs[:half], runs[half:]))
    print(
        f"{name}: {len(kinds)} outcome(s) of {len(runs)} runs; {quiet:.0f} s, busy {loaded:.0f} s"
    )
    for each, count in kinds.most_common():
        print(f"    {count} x {each.verdict}; tested {dict(each.tested)}")
        for finding in each.findings:
            print(f"        {' '.join(finding)}")
    sys.stdout.flush()
    return len(kinds) == 1


if __name__ == "__main__":
    sys.exit(main())
