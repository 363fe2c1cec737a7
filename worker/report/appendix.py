"""Defects of libraries that no input was seen to meet: told quietly, at the end."""

from __future__ import annotations

import signal
from collections.abc import Iterable, Mapping
from dataclasses import asdict
from typing import Any

from analyzers.vocabulary import Divergence, LibraryBug
from analyzers.vocabulary.conversion import convert
from worker.report.markdown_escape import shown
from worker.report.report_messages import clipped
from worker.report.stored_report import StoredReport

TITLE = "Known to go wrong in libraries called here"
EXPLAINED = (
    "These calls of the installed version go wrong. No input of the code was found that"
    " leads to them, and they weigh on nothing."
)
MOST = 20
LONGEST_CALL = 160
LONGEST_OUTCOME = 120
_PLACE = ("analyzer", "target", "path", "line", "library_version")


def lines(report: StoredReport) -> list[tuple[str, str]]:
    """Return place and problem of each call, at most :data:`MOST`, dead processes first."""
    bugs = sorted(report.appendix, key=lambda bug: bug.divergence.rule != "crash")
    told = [(f"{bug.path}:{bug.line}", _said(bug)) for bug in bugs[:MOST]]
    more = len(bugs) - len(told)
    return [*told, ("", f"and {more} more")] if more else told


def _said(bug: LibraryBug) -> str:
    told = bug.divergence
    related = _code(told.related) if "(" in told.related else told.related
    other = "(" in told.related or told.rule != "crash"
    other = other and bool(told.related) and told.related != told.expected
    compared = f"; {related} gives {_code(told.expected, LONGEST_OUTCOME)}" if other else ""
    note = f" ({_words(told.note)})" if told.note else ""
    version = f"{told.api.partition('.')[0]} {bug.library_version}"
    return f"{_code(told.call)} {_comes_to(told)} in {version}{compared}{note}"


def _comes_to(told: Divergence) -> str:
    outcome = _code(told.outcome, LONGEST_OUTCOME)
    if told.outcome in signal.Signals.__members__:
        return f"ends the process with {outcome}"
    return f"{'raises' if told.rule == 'crash' else 'gives'} {outcome}"


def _code(text: str, longest: int = LONGEST_CALL) -> str:
    return f"`{clipped(_words(text).replace('`', chr(39)), longest)}`"


def _words(text: str) -> str:
    return " ".join(shown(text).split())


def document(bug: LibraryBug) -> dict[str, Any]:
    """An entry of ``appendix`` in the JSON report."""
    place = {name: getattr(bug, name) for name in _PLACE}
    return {**place, **asdict(bug.divergence)}


def one_each(items: Iterable[Mapping[str, Any]]) -> list[Mapping[str, Any]]:
    """Return the entries of which each is a bug of its own, the first of each."""
    kept: dict[tuple[str, ...], Mapping[str, Any]] = {}
    for item in items:
        bug = convert({**item, "divergence": item}, LibraryBug)
        kept.setdefault(bug.identity, item)
    return list(kept.values())
