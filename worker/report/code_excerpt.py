"""The lines around a finding, on head and on base."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from difflib import SequenceMatcher
from typing import Any

BEFORE, AFTER = 5, 4
MOST_LINES = 24
LONGEST_LINE = 240


@dataclass(frozen=True, slots=True)
class CodeLine:
    """A numbered line; ``marked``: the finding's, ``changed``: other than on the other side."""

    number: int
    text: str
    marked: bool
    changed: bool


def excerpt(
    head: str | None, base: str | None, line: int, end_line: int
) -> Mapping[str, Any] | None:
    """Return the lines around ``line``, and those of base where they are others."""
    lines = (head or "").splitlines()
    if not 1 <= line <= len(lines):
        return None
    first = max(1, line - BEFORE)
    last = min(len(lines), max(line, end_line) + AFTER, first + MOST_LINES - 1)
    old = None if base is None else _counterpart(base.splitlines(), lines, first - 1, last)
    return {"head": _side(lines[first - 1 : last], first), "base": old}


def _counterpart(base: list[str], head: list[str], first: int, last: int) -> dict[str, Any] | None:
    """Return the lines of base that ``head[first:last]`` replaces; ``None`` if equal."""
    matched = SequenceMatcher(None, base, head, autojunk=False)
    touched = [
        (a + max(0, first - c), b - max(0, d - last)) if tag == "equal" else (a, b)
        for tag, a, b, c, d in matched.get_opcodes()
        if c < last and d > first
    ]
    if not touched:
        return None
    begin, end = touched[0][0], min(touched[-1][1], touched[0][0] + MOST_LINES)
    old = base[begin:end]
    return None if old == head[first:last] else _side(old, begin + 1)


def _side(lines: list[str], first: int) -> dict[str, Any]:
    return {"line": first, "text": "\n".join(line[:LONGEST_LINE] for line in lines)}


def code_lines(
    side: Mapping[str, Any], other: Mapping[str, Any] | None, marked: range = range(0)
) -> list[CodeLine]:
    """Return an excerpt's lines with marks and, where there is another side, what differs."""
    lines = str(side["text"]).split("\n")
    theirs = {*str(other["text"]).split("\n")} if other else {*lines}
    first = int(side["line"])
    return [
        CodeLine(first + n, text, first + n in marked, text not in theirs)
        for n, text in enumerate(lines)
    ]
