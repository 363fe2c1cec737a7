"""A verified change as Markdown: to be applied with a button, or to be read."""

from __future__ import annotations

import re

from analyzers.vocabulary import Suggestion
from worker.report import escape, wording
from worker.report.markdown import TRIED, unverified_text
from worker.report.stored import StoredFinding

_LINE = re.compile(r"[^\n]*\n|[^\n]+")


def appliable(suggestion: Suggestion, text: str) -> str | None:
    """Return a ``suggestion`` block, with the line ends of the head's file ``text``.

    ``None`` where a button would not do exactly what was verified: the lines
    are not there, or end in different ways.
    """
    replaced = lines_of(text)[suggestion.start_line - 1 : suggestion.end_line]
    if len(replaced) != suggestion.end_line - suggestion.start_line + 1:
        return None
    lines = suggestion.replacement.replace("\r\n", "\n")
    returns = {line.endswith("\r\n") for line in replaced if line.endswith("\n")}
    if "\r" in lines or len(returns) > 1 or any("\r" in line[:-2] for line in replaced):
        return None
    end = "\r\n" if True in returns else "\n"
    fence = "`" * max(3, escape.longest_run(lines) + 1)
    return end.join([f"{fence}suggestion", *lines.split("\n"), fence])


def lines_of(text: str) -> list[str]:
    """The lines of a text as Git counts them, with their ends."""
    return _LINE.findall(text)


def with_button(finding: StoredFinding, text: str) -> str:
    """Return the verified suggestion for a comment on exactly its lines; else empty."""
    suggestion = wording.suggested(finding)
    block = suggestion and appliable(suggestion, text)
    return f"{block}\n\n{TRIED}" if block else ""


def to_read(finding: StoredFinding, text: str | None = None) -> str:
    """Return the suggestion as a difference, for any other place; else empty."""
    suggestion = wording.suggested(finding)
    if suggestion is None:
        return unverified_text(finding, text)
    path, first, last = suggestion.path, suggestion.start_line, suggestion.end_line
    where = escape.code(f"{path}:{first}" if first == last else f"{path}:{first}-{last}")
    if text is None:
        lines = escape.block(suggestion.replacement.replace("\r", ""), "python")
        return f"A change that was tried, instead of {where}:\n\n{lines}\n\n{TRIED}"
    lines = escape.block("\n".join(wording.suggestion_diff(suggestion, text)), "diff")
    return f"A change that was tried, at {where}:\n\n{lines}\n\n{TRIED}"
