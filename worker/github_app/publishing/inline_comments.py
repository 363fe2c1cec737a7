"""Locations in a pull request for review comments: lines, a file, or none.

GitHub refuses a whole review for one line that is not in the diff, so the
diff is read first.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import TypeAlias

from unidiff.errors import UnidiffParseError
from unidiff.patch import Hunk, PatchSet

from analyzers.vocabulary import Level, Status, Suggestion
from worker.report import markdown_escape, report_messages
from worker.report.markdown_report import TRIED, offers_text, unverified_text
from worker.report.report_messages import suggested
from worker.report.stored_report import StoredFinding, StoredReport
from worker.report.valid_input_messages import OFFERED, offers_of


def select_inline(
    findings: Sequence[StoredFinding], most: int, standing: Collection[str] = ()
) -> tuple[StoredFinding, ...]:
    """Return at most ``most`` of the findings, the surest first.

    Findings whose fingerprints are ``standing`` inline keep their place,
    even where there are more of them by now.
    """
    ranked = sorted(findings, key=lambda f: (f.fingerprint not in standing, *_rank(f)))
    kept = sum(finding.fingerprint in standing for finding in ranked)
    return tuple(ranked[: max(most, kept)])


def inline_candidates(report: StoredReport) -> tuple[StoredFinding, ...]:
    """Return the findings that may stand inline: new defects that nobody ignores."""
    return tuple(
        finding
        for finding in report_messages.sorted_findings(report)
        if finding.status is Status.NEW
        and finding.level is not Level.NOTICE
        and finding.fingerprint not in report.ignored
    )


def uncertainty(finding: StoredFinding) -> float:
    """Return the width of the widest 95 % interval, 0 for what happens every time."""
    parts = (finding.evidence, *(finding.evidence.get(name) for name in ("positive", "negative")))
    found = (report_messages.interval_of(part) for part in parts if isinstance(part, Mapping))
    return max((pair[1] - pair[0] for pair in found if pair), default=0.0)


def _rank(finding: StoredFinding) -> tuple[bool, bool, float, str, int, str]:
    return (
        finding.level is not Level.FAILURE,
        report_messages.suggested(finding) is None,
        uncertainty(finding),
        finding.path,
        finding.line,
        finding.fingerprint,
    )


_UNTOUCHED = frozenset({"removed", "unchanged"})
_LONE_RETURN = re.compile(r"\r(?!\n)")


@dataclass(frozen=True, slots=True)
class ChangedFile:
    """A file of a pull request; ``patch`` are its hunks, without a header.

    ``patch`` is ``None`` where GitHub gives none: binary, too large, only
    renamed.
    """

    path: str
    status: str
    patch: str | None = None


@dataclass(frozen=True, slots=True)
class OnLines:
    """A comment on lines of the head; ``start_line`` is ``None`` for one line."""

    path: str
    line: int
    start_line: int | None = None


@dataclass(frozen=True, slots=True)
class OnFile:
    """A comment on a whole file of the pull request."""

    path: str


@dataclass(frozen=True, slots=True)
class Nowhere:
    """The pull request does not touch the file: say it in the summary."""


CommentPosition: TypeAlias = OnLines | OnFile | Nowhere


@dataclass(frozen=True, slots=True)
class _HunkRange:
    """The lines of the head in one hunk; behind ``cut`` ones, lines were deleted."""

    first: int
    last: int
    cut: frozenset[int]

    def holds(self, first: int, last: int) -> bool:
        return self.first <= first <= last <= self.last

    def replaceable(self, first: int, last: int) -> bool:
        """Return whether nothing that was deleted stands between the lines."""
        return self.holds(first, last) and not self.cut & set(range(first, last))


@dataclass(frozen=True, slots=True)
class Diff:
    """The hunks of a pull request, by path."""

    stretches: Mapping[str, tuple[_HunkRange, ...]]

    @classmethod
    def of(cls, files: Sequence[ChangedFile]) -> Diff:
        """Read the files that GitHub lists; a patch that cannot be read has no lines."""
        return cls({f.path: _stretches(f.patch) for f in files if f.status not in _UNTOUCHED})

    def place(self, path: str, first: int, last: int, text: str | None = None) -> CommentPosition:
        """Return the most exact place for a remark on lines of the head, 1-based.

        ``text`` is the head's file where it is known: lines that Git counts
        otherwise than Python cannot be pointed at.
        """
        if path not in self.stretches:
            return Nowhere()
        if text is not None and _LONE_RETURN.search(text):
            return OnFile(path)
        for stretch in self.stretches[path]:
            if stretch.holds(first, last):
                return OnLines(path, last, first if first < last else None)
        if any(stretch.holds(first, first) for stretch in self.stretches[path]):
            return OnLines(path, first)
        return OnFile(path)

    def replaceable(self, path: str, first: int, last: int) -> bool:
        """Return whether a suggestion may replace these lines of the head."""
        return any(s.replaceable(first, last) for s in self.stretches.get(path, ()))


def _stretches(patch: str | None) -> tuple[_HunkRange, ...]:
    if not patch:
        return ()
    end = "" if patch.endswith("\n") else "\n"
    try:
        files = PatchSet.from_string(f"--- a/file\n+++ b/file\n{patch}{end}")
    except UnidiffParseError:
        return ()
    return tuple(_stretch(hunk) for file in files for hunk in file if hunk.target_length)


def _stretch(hunk: Hunk) -> _HunkRange:
    last = hunk.target_start - 1
    cut: set[int] = set()
    for line in hunk:
        if line.target_line_no is not None:
            last = line.target_line_no
        elif line.is_removed:
            cut.add(last)
    return _HunkRange(hunk.target_start, last, frozenset(cut))


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
    fence = "`" * max(3, markdown_escape.longest_run(lines) + 1)
    return end.join([f"{fence}suggestion", *lines.split("\n"), fence])


def lines_of(text: str) -> list[str]:
    """The lines of a text as Git counts them, with their ends."""
    return _LINE.findall(text)


def suggestion_with_button(finding: StoredFinding, text: str) -> str:
    """Return the verified suggestion for a comment on exactly its lines; else empty."""
    suggestion = report_messages.suggested(finding)
    block = suggestion and appliable(suggestion, text)
    return f"{block}\n\n{TRIED}" if block else ""


def suggestion_to_read(finding: StoredFinding, text: str | None = None) -> str:
    """Return the suggestion as a difference, for any other place; else empty."""
    suggestion = report_messages.suggested(finding)
    if suggestion is None:
        return unverified_text(finding, text)
    path, first, last = suggestion.path, suggestion.start_line, suggestion.end_line
    where = markdown_escape.code(f"{path}:{first}" if first == last else f"{path}:{first}-{last}")
    if text is None:
        lines = markdown_escape.block(suggestion.replacement.replace("\r", ""), "python")
        return f"A change that was tried, instead of {where}:\n\n{lines}\n\n{TRIED}"
    lines = markdown_escape.block(
        "\n".join(report_messages.suggestion_diff(suggestion, text)), "diff"
    )
    return f"A change that was tried, at {where}:\n\n{lines}\n\n{TRIED}"


MOST_LINES = 20
BUTTON = f"{OFFERED}; they change nothing but what is tested:"


def offer_with_button(finding: StoredFinding, diff: Diff, text: str) -> tuple[OnLines, str] | None:
    """Return where annotations can be put above the function with a button, and their Markdown.

    The remark goes from the function to the line that fails, so that it stays
    on that line.  ``text`` is the head's file.  ``None`` where the pull request
    does not show those lines together, or a verified suggestion stands there.
    """
    offer = next((each for each in offers_of(finding.evidence) if each.path == finding.path), None)
    if offer is None or suggested(finding) is not None:
        return None
    first, last = offer.line, finding.end_line
    if not first <= last < first + MOST_LINES or not diff.replaceable(offer.path, first, last):
        return None
    kept = [line.rstrip("\r\n") for line in lines_of(text)[offer.line - 1 : last]]
    whole = "\n".join([*offer.lines, *kept])
    block = appliable(Suggestion(offer.path, offer.line, last, whole), text)
    place = diff.place(offer.path, first, last, text)
    if block is None or not isinstance(place, OnLines):
        return None
    return place, f"{BUTTON}\n\n{block}"


def offer_to_read(finding: StoredFinding) -> str:
    """The annotations for any other place; empty where there are none, or a suggestion."""
    return "" if suggested(finding) is not None else offers_text(finding)
