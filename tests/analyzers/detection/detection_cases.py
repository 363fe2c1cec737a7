"""Reads the cases: code, and beside it what is to be detected."""

from __future__ import annotations

from math import inf
from pathlib import Path

from analyzers.catalogue import load_catalogue
from analyzers.detection import DetectionResult, detect
from analyzers.vocabulary import ChangeSet, FileChange

FOLDER = Path(__file__).parent / "cases"


def names() -> list[str]:
    return sorted(path.stem for path in FOLDER.glob("*.txt"))


def sources(name: str) -> dict[str, str]:
    file = FOLDER / f"{name}.py"
    if file.exists():
        return {file.name: file.read_text()}
    folder = FOLDER / name
    return {path.relative_to(folder).as_posix(): path.read_text() for path in folder.rglob("*.py")}


def expected(name: str) -> str:
    return (FOLDER / f"{name}.txt").read_text()


def everything(files: dict[str, str]) -> DetectionResult:
    return detect(
        ChangeSet("repository", "base", None, (), files, {}), load_catalogue(), everything=True
    )


def changed(base: dict[str, str], head: dict[str, str], seconds: float = inf) -> DetectionResult:
    """What a change from ``base`` to ``head`` makes worth testing."""
    changes = tuple(
        FileChange(
            path, frozenset(range(1, head.get(path, "").count("\n") + 2)), None, path not in head
        )
        for path in sorted(base.keys() | head.keys())
        if base.get(path) != head.get(path)
    )
    change = ChangeSet("repository", "base", "head", changes, head, base)
    return detect(change, load_catalogue(), seconds=seconds)


def _lines(text: str) -> range:
    return range(1, text.count("\n") + 2)


def shown(detected: DetectionResult) -> str:
    """Targets with their APIs, and the conditions of each with their lines."""
    lines: list[str] = []
    for target in detected.targets:
        lines.append(f"{target.id}: {' '.join(target.apis)}")
        conditions = {(goal.path, goal.line, goal.decision_text) for goal in target.goals}
        own = target.path
        for path, line, text in sorted(conditions, key=lambda item: (item[0] != own, item)):
            place = str(line) if path == own else f"{path}:{line}"
            lines.append(f"    {place}: {text}")
    lines += [f"skipped {entry.target}: {entry.reason}" for entry in detected.skipped]
    return "".join(f"{line}\n" for line in lines)
