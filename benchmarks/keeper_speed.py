"""How long a check takes: a function of 13 branches, about 100 pictures, local text detection.

``python -m benchmarks.keeper_speed`` runs ``assayer check`` twice in a new
repository with a new state folder: the first time every picture is read, the
second time the recordings answer.  The baselines are measured on the pictures
that the check drew: the same function asked about one after the other in one
warm process, without a sandbox, a search, or a judgement (the least that
reading can take on one core); and a process a picture, as a script that tries
them out would be run.
"""

from __future__ import annotations

import json
import os
import resource
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from analyzers.vocabulary import InputRequest
from worker.sources.source_selection import Sources

SIGNS = (
    *("STOP", "EXIT", "OPEN", "CLOSED", "SALE", "POLICE"),
    *("TAXI", "HOTEL", "DANGER", "PARKING", "SCHOOL", "HOSPITAL"),
)
SOURCE = '''
from google.cloud import vision


def sign(path):
    """What a sign on the road says."""
    client = vision.ImageAnnotatorClient()
    with open(path, "rb") as file:
        response = client.text_detection(image=vision.Image(content=file.read()))
    texts = response.text_annotations
    text = texts[0].description.strip() if texts else ""
'''
API = "google.vision.text_detection"
INPUTS = 8
SAMPLE = 5
ASSAYER = Path(sys.executable).with_name("assayer")
READING = """
import sys
from pathlib import Path
from worker.engines.engine import ApiRequest
from worker.engines.local.text_recognition import LocalText
engine = LocalText()
for name in sys.argv[1:]:
    answer = engine.ask("google.vision.text_detection", ApiRequest(Path(name).read_bytes()))
"""


def main() -> None:
    """Print the figures as JSON."""
    with tempfile.TemporaryDirectory() as folder:
        root = Path(folder)
        repository = planted(root / "signs")
        first = checked(repository, root, "first")
        second = checked(repository, root, "second")
        pictures = drawn(root / "pictures")
        loop = read(pictures)
        cold = alone(pictures)
    figures = {
        "first run": first,
        "second run, from recordings": second,
        f"{len(pictures)} pictures read one after the other, warm": loop,
        "a process a picture": cold,
        "first run/warm reading": round(first["seconds"] / loop["seconds"], 2),
        "a process a picture/first run": round(cold["seconds"] / first["seconds"], 1),
    }
    print(json.dumps(figures, indent=2))


def source() -> str:
    """A function of 13 branches."""
    tests = [f"    if text == {word!r}:\n        return {at}\n" for at, word in enumerate(SIGNS)]
    return SOURCE + "".join(tests) + f"    return {len(SIGNS)}\n"


def planted(repository: Path) -> Path:
    """A git repository whose last commit adds the function."""
    repository.mkdir()
    _git(repository, "init", "--quiet", "--initial-branch=main")
    _git(repository, "commit", "--quiet", "--allow-empty", "--message=nothing yet")
    (repository / "app.py").write_text(source())
    _git(repository, "add", "app.py")
    _git(repository, "commit", "--quiet", "--message=signs")
    return repository


def checked(repository: Path, root: Path, name: str) -> dict[str, Any]:
    """Wall and processor seconds of a check, and what its report counts."""
    report = root / f"{name}.json"
    command = [ASSAYER, "check", repository, "--base", "HEAD~1", "--head", "HEAD"]
    options = ["--inputs", str(INPUTS), "--format", "json", "--output", report]
    state = {"XDG_STATE_HOME": str(root / "state")}
    figures = _timed([*map(str, [*command, *options])], state)
    said = json.loads(report.read_text("utf-8"))
    (target,) = said["targets"]
    return {
        **figures,
        "verdict": said["verdict"],
        "branches": target["branches"],
        "executions": said["cost"]["executions"],
        "api_calls": said["cost"]["api_calls"],
        "api_calls_cached": said["cost"]["api_calls_cached"],
    }


def drawn(folder: Path) -> list[Path]:
    """The pictures of the check: its words and wordless ones."""
    folder.mkdir()
    wishes = [InputRequest(API, word) for word in SIGNS]
    found = [
        Sources().find(wanted, INPUTS, 0).inputs for wanted in (*wishes, InputRequest(API, None))
    ]
    paths: list[Path] = []
    for item in (item for inputs in found for item in inputs):
        paths.append(folder / f"{len(paths)}{item.suffix}")
        paths[-1].write_bytes(item.content)
    return paths


def alone(pictures: Sequence[Path]) -> dict[str, float]:
    """Seconds for a process a picture, reckoned from the medians of a few."""
    few = [read([each]) for each in pictures[:SAMPLE]]
    return {
        name: round(statistics.median(one[name] for one in few) * len(pictures), 2)
        for name in few[0]
    }


def read(pictures: Sequence[Path]) -> dict[str, float]:
    """Seconds for a process that reads the pictures one after the other."""
    return _timed([sys.executable, "-c", READING, *map(str, pictures)], {})


def _timed(command: Sequence[str], variables: Mapping[str, str]) -> dict[str, float]:
    before, began = resource.getrusage(resource.RUSAGE_CHILDREN), time.perf_counter()
    done = subprocess.run(
        command, env={**os.environ, **variables}, check=False, capture_output=True, text=True
    )
    seconds, after = time.perf_counter() - began, resource.getrusage(resource.RUSAGE_CHILDREN)
    assert done.returncode in {0, 1}, done.stderr
    used = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    return {"seconds": round(seconds, 2), "processor_seconds": round(used, 2)}


def _git(repository: Path, *arguments: str) -> None:
    author = ("-c", "user.name=A. Author", "-c", "user.email=author@example.org")
    subprocess.run(["git", *author, *arguments], cwd=repository, check=True)


if __name__ == "__main__":
    main()
