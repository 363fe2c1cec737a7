"""How long detection takes, and whether it finds what was planted.

    python -m benchmarks.detection [files] [share of ML files in percent]
    python -m benchmarks.detection real FOLDER

The second takes 10,000 files of less than 30 kB from the packages in FOLDER (site-packages),
their packages renamed so that they count as a project's own, and changes five that use torch: the
first time, and again with what the first detection kept.  Without FOLDER it builds a synthetic
project in memory: services that ask ML APIs, views in other files that test the answers, and
plain code that only resembles it.
"""

from __future__ import annotations

import random
import sys
import time
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory

from analyzers.catalogue import load_catalogue
from analyzers.detection import DetectionResult, detect
from analyzers.vocabulary import ChangeSet, FileChange
from worker.check.kept_facts import keep_facts, known_facts
from worker.check.result_store import FolderResults

PLAIN = """
import json
import os
from dataclasses import dataclass
from {folder} import {other}


@dataclass
class Store{n}:
    root: str
    limit: int = 10

    def load(self, name):
        path = os.path.join(self.root, name)
        if not os.path.exists(path):
            return {{}}
        with open(path) as file:
            data = json.load(file)
        if len(data) > self.limit:
            data = dict(list(data.items())[: self.limit])
        return data

    def keep(self, name, values):
        good = [value for value in values if value is not None and value > 0]
        for at, value in enumerate(good):
            if value % 2 == 0:
                good[at] = value // 2
            elif value > 100:
                good[at] = {other}.clip(value)
        with open(os.path.join(self.root, name), "w") as file:
            json.dump(good, file)
        return good


def clip(value, low=0, high=100):
    if value < low:
        return low
    return high if value > high else value


def label_detection(image):
    return [part for part in image.split(",") if part]
"""
SERVICE = """
from google.cloud import vision, language
import boto3


class Service{n}:
    def __init__(self):
        self.vision = vision.ImageAnnotatorClient()
        self.language = language.LanguageServiceClient()
        self.aws = boto3.client("rekognition")

    def labels(self, content):
        image = vision.Image(content=content)
        found = self.vision.label_detection(image=image).label_annotations
        return [{{"name": label.description, "score": label.score}} for label in found]

    def mood(self, text):
        document = language.Document(content=text, type_=language.Document.Type.PLAIN_TEXT)
        answer = self.language.analyze_sentiment(request={{"document": document}})
        return answer.document_sentiment

    def people(self, content):
        answer = self.aws.detect_labels(Image={{"Bytes": content}})
        return [label for label in answer["Labels"] if label["Name"] == "Person"]  # planted
"""
VIEW = """
from services.service{n} import Service{n}

service = Service{n}()
PETS = ("Dog", "Cat")


def strongest(labels):
    return max(labels, key=lambda label: label["score"])


def pets(request):
    labels = service.labels(request.data)
    if not labels:  # planted
        return "nothing", 404
    best = strongest(labels)
    if best["name"] in PETS and best["score"] > 0.6:  # planted
        return best["name"], 200
    found = False
    for label in labels:  # planted
        if label["name"].lower().endswith("dog"):  # planted
            found = True
    return ("dog" if found else "other"), 200  # planted


def angry(request):
    mood = service.mood(request.text)
    if request.method != "POST":
        return 405
    if mood.score < -0.5 and mood.magnitude > 1:  # planted
        return 200
    return 204


def crowded(request):
    return len(service.people(request.data)) > 3  # planted
"""


def project(files: int, share: int) -> dict[str, str]:
    """``share`` per cent of the files ask ML APIs or test their answers."""
    source: dict[str, str] = {}
    asking = files * share // 200
    for n in range(asking):
        source[f"services/service{n}.py"] = SERVICE.format(n=n)
        source[f"views/view{n}.py"] = VIEW.format(n=n) + PLAIN.format(
            n=n, folder="plain", other="module0"
        )
    plain = files - len(source)
    for n in range(plain):
        text = PLAIN.format(n=n, folder="plain", other=f"module{(n + 1) % plain}")
        source[f"plain/module{n}.py"] = text * random.Random(n).choice([1, 2, 4])
    return source


def planted(source: dict[str, str]) -> set[tuple[str, int]]:
    return {
        (path, at)
        for path, text in source.items()
        for at, line in enumerate(text.splitlines(), 1)
        if "# planted" in line
    }


def timed(changes: ChangeSet, *, everything: bool) -> tuple[float, DetectionResult]:
    start = time.perf_counter()
    found = detect(changes, load_catalogue(), everything=everything)
    return time.perf_counter() - start, found


def report(files: int, share: int) -> None:
    head = project(files, share)
    lines = sum(text.count("\n") for text in head.values())
    print(f"{files} files, {lines:,} lines, {share} % of the files use ML")
    whole = ChangeSet("synthetic", "base", None, (), head, {})
    seconds, found = timed(whole, everything=True)
    wanted = planted(head)
    got = {(goal.path, goal.line) for target in found.targets for goal in target.goals}
    print(f"  everything: {seconds:6.2f} s, {len(found.targets)} targets")
    print(f"  planted conditions found: {len(wanted & got)} of {len(wanted)}")
    print(f"  other conditions found:   {len(got - wanted)}")
    base = dict(head)
    touched = [path for path in head if path.startswith("services/")][:5]
    for path in touched:
        base[path] = head[path].replace('"Person"', '"People"')
    changes = tuple(FileChange(path, frozenset({26})) for path in touched)
    change = ChangeSet("synthetic", "base", "head", changes, head, base)
    seconds, found = timed(change, everything=False)
    print(f"  {len(touched)} changed files: {seconds:.2f} s, {len(found.targets)} targets")


MOST_FILES, LARGEST = 10_000, 30_000
_COPIES = frozenset(
    {"cloud", "google", "grpc", "numpy", "pip", "requests", "six", "vision", "yaml"}
)
"""Folders that would make what holds them an installation or a copy of a client."""


def real_files(folder: Path) -> dict[str, str]:
    """Return texts of real files, a random sample, by paths of a project of their own."""
    paths = sorted(path for path in folder.rglob("*.py") if path.stat().st_size < LARGEST)
    random.Random(1).shuffle(paths)
    packages: dict[str, str] = {}
    found: dict[str, str] = {}
    for path in paths[:MOST_FILES]:
        first, *rest = path.relative_to(folder).parts
        package = packages.setdefault(first, f"part{len(packages)}")
        inner = [f"{each}_" if each in _COPIES else each for each in rest]
        with suppress(UnicodeDecodeError):
            found["/".join([package, *inner]) if inner else first] = path.read_text("utf-8")
    return found


def report_real(folder: Path) -> None:
    """Print seconds until five changed files among 10,000 real ones are detected."""
    head = real_files(folder)
    using = [path for path, text in sorted(head.items()) if "import torch" in text]
    touched = using[:: len(using) // 5][:5]
    base = {**head, **{path: head[path].replace("return ", "return not ") for path in touched}}
    changes = tuple(FileChange(path, frozenset(range(1, 40))) for path in touched)
    change = ChangeSet("real", "base", "head", changes, head, base)
    lines = sum(text.count("\n") for text in head.values())
    print(f"{len(head):,} real files, {lines:,} lines, {len(using)} import torch")
    with TemporaryDirectory() as cache:
        store = FolderResults(Path(cache), "benchmark")
        for name in ("nothing known", "five are new"):
            start, computed = time.perf_counter(), time.process_time()
            facts = known_facts(store, len(head))
            found = detect(change, load_catalogue(), facts=facts)
            keep_facts(store, facts)
            wall, spent = time.perf_counter() - start, time.process_time() - computed
            print(f"  {name}: {wall:.2f} s, {spent:.2f} s computed, {len(found.targets)} targets")
            change = replace(
                change, sources={p: f"{t}#\n" if p in touched else t for p, t in head.items()}
            )


if __name__ == "__main__":
    if sys.argv[1:2] == ["real"]:
        load_catalogue()
        report_real(Path(sys.argv[2]))
        sys.exit()
    numbers = [int(argument) for argument in sys.argv[1:]]
    load_catalogue()
    if numbers:
        report(numbers[0], numbers[1] if len(numbers) > 1 else 15)
    else:
        for size in (300, 3000):
            report(size, 15)
