"""The projects, as their folders describe them."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

FOLDER = Path(__file__).parent / "projects"
CLEAN = ("cloud", "learning", "networks")
GROUPS = (*CLEAN, "untestable", "seeded")
VERDICTS = frozenset({"success", "failure", "neutral", "skipped", "error"})
QUIET = ("success", "neutral")
TESTED = ("no", "partly", "yes")


@dataclass(frozen=True)
class Project:
    """A pull request written by hand, and what may be reported on it.

    ``head`` and ``base`` are file contents by path; ``base`` is empty where the whole
    project is new.  ``most`` says how far a target can be tested at all, ``yes`` where it does not
    name one; ``least`` are targets that must be tested, in part at least.  ``findings`` are the
    rules that must be reported, ``notices`` those that may be.  ``budget`` are the seconds of
    the check; ``memory`` limits its guests.  ``like`` names the project that
    guards against the same false alarm in much the same code; the tests run that one alone.
    """

    name: str
    group: str
    why: str
    head: Mapping[str, str]
    base: Mapping[str, str]
    verdicts: frozenset[str]
    most: Mapping[str, str]
    least: tuple[str, ...]
    findings: tuple[str, ...]
    notices: frozenset[str]
    budget: float
    memory: str | None
    like: str | None


def projects(names: Sequence[str] = ()) -> list[Project]:
    """Return all projects, or those of the given names, in alphabetical order.

    Raise ``ValueError`` naming the manifest that is wrong, ``LookupError`` for unknown names.
    """
    folders = {path.parent.name: path.parent for path in sorted(FOLDER.glob("*/case.toml"))}
    unknown = sorted({*names} - {*folders})
    if unknown:
        raise LookupError(f"no project is called {', '.join(unknown)}")
    return [_read(folder) for name, folder in folders.items() if not names or name in names]


def _read(folder: Path) -> Project:
    try:
        return _project(folder, tomllib.loads((folder / "case.toml").read_text("utf-8")))
    except (KeyError, ValueError) as error:
        raise ValueError(f"{folder}/case.toml: {error!r}") from error


def _project(folder: Path, case: Mapping[str, Any]) -> Project:
    """Return the project of a folder; a seeded twin changes its original, or is ``new``."""
    head, base = _files(folder / "head"), _files(folder / "base")
    if original := case.get("of"):
        unchanged = _files(FOLDER / original / "head")
        head, base = unchanged | head, {} if case.get("new") else unchanged
    return Project(
        folder.name,
        _one_of(GROUPS, case["group"]),
        case["why"],
        head,
        _base(head, base, case.get("added", ())) if base else {},
        _some_of(VERDICTS, case.get("verdict", QUIET)),
        {target: _one_of(TESTED, value) for target, value in case.get("most", {}).items()},
        tuple(case.get("least", ())),
        tuple(case.get("findings", ())),
        frozenset(case.get("notices", ())),
        float(case.get("budget", 120)),
        case.get("memory"),
        case.get("like"),
    )


def _base(
    head: Mapping[str, str], changed: Mapping[str, str], added: Sequence[str]
) -> dict[str, str]:
    return {path: text for path, text in head.items() if path not in added} | dict(changed)


def _files(folder: Path) -> dict[str, str]:
    return {
        str(path.relative_to(folder)): path.read_text("utf-8")
        for path in sorted(folder.rglob("*"))
        if path.is_file() and "__pycache__" not in path.parts
    }


def _one_of(known: Sequence[str], value: str) -> str:
    if value not in known:
        raise ValueError(f"{value!r} is none of {', '.join(known)}")
    return value


def _some_of(known: frozenset[str], values: str | Sequence[str]) -> frozenset[str]:
    chosen = frozenset([values] if isinstance(values, str) else values)
    if not chosen or chosen - known:
        raise ValueError(f"{values!r} is none of {', '.join(sorted(known))}")
    return chosen
