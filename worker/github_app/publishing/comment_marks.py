"""Invisible marks at the end of what we write, by which we know it again.

Only the last line of a text counts: all above may quote somebody else.
"""

from __future__ import annotations

import re

SUMMARY = "<!-- assayer:summary -->"
AUDIT = "<!-- assayer:audit -->"
_FINDING = re.compile(r"<!-- assayer:finding:([0-9a-f]{16}) -->")


def finding_mark(fingerprint: str) -> str:
    """Return the mark of a remark about a finding."""
    return f"<!-- assayer:finding:{fingerprint} -->"


def marked(text: str, mark: str) -> str:
    """Return the text with a mark behind it."""
    return f"{text.rstrip()}\n\n{mark}"


def has_mark(body: str | None, mark: str) -> bool:
    """Return whether one of the last lines of a text is this mark; other marks may follow."""
    return mark in _marks(body)


def fingerprint_in(body: str | None) -> str | None:
    """Return the fingerprint of the finding that a comment of ours is about."""
    found = (_FINDING.fullmatch(line) for line in _marks(body))
    return next((match[1] for match in found if match), None)


def _marks(body: str | None) -> list[str]:
    """The marks that end a text, the last one first."""
    marks: list[str] = []
    for line in filter(str.strip, reversed((body or "").split("\n"))):
        if not re.fullmatch(r"<!-- assayer:[^<>]+ -->", line.strip()):
            break
        marks.append(line.strip())
    return marks


def same_text(there: str, wanted: str) -> bool:
    """Return whether two texts are the same to a reader, however their lines end."""
    return there.replace("\r\n", "\n").strip() == wanted.replace("\r\n", "\n").strip()
