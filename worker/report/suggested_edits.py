"""Suggestions put into the text of a file, and shown as a difference."""

from __future__ import annotations

import difflib
import hashlib
import re
from collections.abc import Sequence

from analyzers.vocabulary import Suggestion
from worker.errors import UsageError

_LINE_STARTS = re.compile(r"(?<=\n)|(?<=\r)(?!\n)")
_NEWLINE = re.compile(r"\r\n|\r|\n")


def source_lines(text: str) -> list[str]:
    """Return the lines of a source file as Python counts them, without their ends."""
    return _NEWLINE.split(text)


def digest_of(text: str) -> str:
    """Return the SHA-256 of a file's text, however its lines end."""
    return hashlib.sha256(_NEWLINE.sub("\n", text).encode("utf-8", "surrogatepass")).hexdigest()


def overlap(one: Suggestion, other: Suggestion) -> bool:
    """Return whether two suggestions replace the same line."""
    return (
        one.path == other.path
        and one.start_line <= other.end_line
        and other.start_line <= one.end_line
    )


def edited(text: str, suggestions: Sequence[Suggestion]) -> str:
    """A file with suggestions that do not overlap put in place, with its own line ends.

    Raises ``UsageError`` where it has no such lines.
    """
    lines = _LINE_STARTS.split(text)
    for one in sorted(suggestions, key=lambda each: each.start_line, reverse=True):
        replaced = lines[one.start_line - 1 : one.end_line]
        if len(replaced) != one.end_line - one.start_line + 1 or not replaced[-1]:
            raise UsageError(f"{one.path} has no lines {one.start_line} to {one.end_line}")
        newline = "\r\n" if replaced[0].endswith("\r\n") else "\n"
        new = one.replacement.replace("\r\n", "\n").split("\n")
        lines[one.start_line - 1 : one.end_line] = [line + newline for line in new]
    return "".join(lines)


def unified_diff(path: str, before: str, after: str) -> str:
    """Return a difference that ``git apply`` takes; empty where the texts are equal."""
    old, new = ([line for line in _LINE_STARTS.split(text) if line] for text in (before, after))
    lines = difflib.unified_diff(old, new, f"a/{path}", f"b/{path}")
    return "".join(
        line if line.endswith(("\n", "\r")) else f"{line}\n\\ No newline at end of file\n"
        for line in lines
    )
