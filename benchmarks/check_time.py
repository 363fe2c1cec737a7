"""Time of ``assayer check`` on three small functions, beside another checkout's, in turns.

    git worktree add /tmp/before 31cc9317
    python -m benchmarks.check_time /tmp/before --rounds 5

Prints JSON: medians of seconds, cold (empty caches) and again (the same command with what the
first left), and of the largest proportional memory of all processes of a check in MiB, and their
ratios to the other checkout's.  On a busy machine believe the ratios.
"""

from __future__ import annotations

import argparse
import json
import os
import statistics
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Mapping
from pathlib import Path

from worker.sandbox.guest_usage import _proportional, family

HERE = Path(__file__).resolve().parents[1]
TORCH = (
    """
import torch


def scale_rows(x: torch.Tensor, factor: float = 2.0) -> torch.Tensor:
    if x.dim() != 2:
        raise ValueError("a matrix is expected")
    return x * factor


def row_norms(x: torch.Tensor) -> torch.Tensor:
    if x.dim() != 2:
        raise ValueError("a matrix is expected")
    return torch.sqrt((x * x).sum(dim=1))


def centred(x: torch.Tensor) -> torch.Tensor:
    if x.dim() != 2:
        raise ValueError("a matrix is expected")
    return x - x.mean(dim=0)
""",
    {
        "x * factor": "torch.mul(x, factor)",
        "torch.sqrt((x * x).sum(dim=1))": "torch.linalg.norm(x, dim=1)",
        "x - x.mean(dim=0)": "torch.sub(x, x.mean(dim=0))",
    },
)
CLOUD = (
    """
from google.cloud import language_v1, vision


def is_receipt(path):
    with open(path, "rb") as file:
        image = vision.Image(content=file.read())
    found = vision.ImageAnnotatorClient().text_detection(image=image)
    if found.text_annotations and "total" in found.text_annotations[0].description:
        return True
    return False


def is_angry(text):
    document = language_v1.Document(content=text, type_=language_v1.Document.Type.PLAIN_TEXT)
    answer = language_v1.LanguageServiceClient().analyze_sentiment(document=document)
    return answer.document_sentiment.score < 0


def is_happy(text):
    document = language_v1.Document(content=text, type_=language_v1.Document.Type.PLAIN_TEXT)
    answer = language_v1.LanguageServiceClient().analyze_sentiment(document=document)
    return answer.document_sentiment.score > 0
""",
    {'"total" in': '"Total" in', "score < 0": "score < -0.1", "score > 0": "score > 0.1"},
)
PROJECTS = {"torch": TORCH, "cloud": CLOUD}
COMMAND = "from worker.cli import main; main()"
PERIOD = 0.2


def main() -> None:
    """Print the figures as JSON."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("before", type=Path)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--only", choices=PROJECTS)
    given = parser.parse_args()
    found = {name: compared(name, given) for name in PROJECTS if given.only in (None, name)}
    print(json.dumps(found, indent=2))


def compared(project: str, given: argparse.Namespace) -> Mapping[str, object]:
    """Return the medians of both checkouts, taken in turns."""
    checkouts = {"before": given.before, "now": HERE}
    measured: dict[str, list[dict[str, float]]] = {}
    with tempfile.TemporaryDirectory() as folder:
        repository = made(Path(folder, "repository"), *PROJECTS[project])
        for turn in range(given.rounds):
            for side, checkout in checkouts.items():
                caches = Path(folder, f"{side}-{turn}")
                for kind in ("cold", "again"):
                    one = measure(checkout, repository, caches)
                    measured.setdefault(f"{kind} {side}", []).append(one)
                    print(project, turn, kind, side, one, file=sys.stderr)
    medians = {
        key: {name: round(statistics.median(one[name] for one in runs), 2) for name in runs[0]}
        for key, runs in measured.items()
    }
    ratios = {
        kind: {
            figure: round(medians[f"{kind} now"][figure] / medians[f"{kind} before"][figure], 2)
            for figure in ("seconds", "memory")
        }
        for kind in ("cold", "again")
    }
    return {"rounds": given.rounds, "load": os.getloadavg()[0], **medians, "ratios": ratios}


def made(repository: Path, source: str, changes: Mapping[str, str]) -> Path:
    """Make a repository with two commits: a file, and its functions changed."""
    repository.mkdir()
    git = ["git", "-C", str(repository), "-c", "user.email=a@b.c", "-c", "user.name=a"]
    subprocess.run([*git, "init", "-q", "-b", "main"], check=True)
    for old, new in (("", ""), *changes.items()):
        source = source.replace(old, new) if old else source
        if old in ("", list(changes)[-1]):
            (repository / "app.py").write_text(source)
            subprocess.run([*git, "add", "."], check=True)
            subprocess.run([*git, "commit", "-qm", "a change"], check=True)
    return repository


def measure(checkout: Path, repository: Path, caches: Path) -> dict[str, float]:
    """Return the seconds and the largest memory (MiB) of one check, and what it tested."""
    environment = {
        **os.environ,
        "PYTHONPATH": str(checkout),
        **{f"XDG_{kind}_HOME": str(caches / kind) for kind in ("CACHE", "STATE", "DATA")},
    }
    command = [sys.executable, "-c", COMMAND, "check", str(repository), "--base", "HEAD~1"]
    report = caches / "report.json"
    caches.mkdir(exist_ok=True)
    began = time.monotonic()
    process = subprocess.Popen(
        [*command, "--head", "HEAD", "--quiet", "--format", "json", "--output", str(report)],
        env=environment,
        cwd="/",
        stdout=subprocess.DEVNULL,
    )
    most = [0.0]
    watching = threading.Event()
    watch = threading.Thread(target=_watch, args=(process.pid, most, watching))
    watch.start()
    status = process.wait()
    seconds = time.monotonic() - began
    watching.set()
    watch.join()
    tested = [each["tested"] for each in json.loads(report.read_text())["targets"]]
    return {
        "seconds": round(seconds, 2),
        "memory": round(most[0] / 2**20),
        "targets": len(tested),
        "tested": tested.count("yes"),
        "status": status,
    }


def _watch(pid: int, most: list[float], over: threading.Event) -> None:
    while not over.wait(PERIOD):
        most[0] = max(most[0], sum(map(_proportional, family(pid))))


if __name__ == "__main__":
    main()
