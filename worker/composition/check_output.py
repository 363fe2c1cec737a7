"""What a check run says: its title, summary, text, annotations and buttons."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import accumulate
from pathlib import PurePosixPath

from analyzers.vocabulary import Conclusion, Level, Status
from worker.composition.conclusion import CheckConclusion
from worker.composition.offers import offer_to_read
from worker.composition.selection import remarkable
from worker.composition.suggestions import to_read
from worker.github.checks import ANNOTATIONS_A_CALL, Action, Annotation
from worker.report import escape, wording
from worker.report.markdown import (
    Addresses,
    check_command,
    finding_text,
    size,
    summary,
)
from worker.report.stored import StoredFinding, StoredReport

LONGEST_TITLE = 255
LARGEST_TEXT = 65_535
LARGEST_MESSAGE = 64_000
MOST_ANNOTATIONS = 1_000
_RULE = "\n---\n\n"

RERUN_4X = Action("Run 4× inputs", "Test again with four times the inputs", "rerun_4x")
BASELINE = Action("Accept as baseline", "Count these findings as existing", "baseline")
APPLY = Action("Apply suggestion", "Commit the verified suggestions", "apply")


@dataclass(frozen=True, slots=True)
class CheckOutput:
    """A finished check run; ``annotations`` are sent batch by batch."""

    conclusion: CheckConclusion
    title: str
    summary: str
    text: str | None = None
    annotations: tuple[tuple[Annotation, ...], ...] = ()
    actions: tuple[Action, ...] = ()


def check_output(
    report: StoredReport,
    conclusion: CheckConclusion,
    addresses: Addresses,
    sections: Sequence[str] = (),
) -> CheckOutput:
    """Return what the check run of an examined change says.

    ``sections`` are more for its summary, as Markdown.
    """
    return CheckOutput(
        conclusion=conclusion,
        title=_clipped_bytes(wording.headline(report), LONGEST_TITLE),
        summary=summary(report, addresses.page, sections, LARGEST_TEXT),
        text=_text(report, addresses),
        annotations=batches(notes(report)),
        actions=actions(report, conclusion),
    )


def failed_output(
    conclusion: CheckConclusion, incident: str, error: str | None, addresses: Addresses
) -> CheckOutput:
    """Return our apology for a run that has no report; ``incident`` is its id."""
    said = failed_summary(incident, error, addresses)
    return CheckOutput(conclusion, wording.HEADLINES[Conclusion.ERROR], said)


def refused_output(error: str, addresses: Addresses) -> CheckOutput:
    """Return what is said of a run that a mistake in what was asked kept from beginning."""
    return CheckOutput(
        CheckConclusion.ACTION_REQUIRED,
        "Not tested: something has to be corrected first",
        refused_summary(error, addresses),
    )


def refused_summary(error: str, addresses: Addresses) -> str:
    """Return what has to be corrected as Markdown."""
    page = f" [Its page]({addresses.page})." if addresses.page else ""
    return (
        "### Assayer: not tested, something has to be corrected first\n\n"
        f"{escape.plain(wording.clipped(error, 2_000))}\n\n"
        f"When it is corrected, push or write {escape.code('/assayer rerun')}.{page}\n"
    )


def failed_summary(incident: str, error: str | None, addresses: Addresses) -> str:
    """Return our apology as Markdown."""
    page = f" [What is known of it]({addresses.page})." if addresses.page else ""
    why = escape.plain(wording.clipped(error or "its report is lost", 2_000))
    return (
        "### Assayer: could not test this change\n\n"
        "We are sorry: this is our failure or our machine's, not yours, and it says nothing"
        f" about the change.\n\n{why}\n\n"
        f"Incident {escape.code(incident)}.{page} Press Re-run, or write"
        f" {escape.code('/assayer rerun')}, to try again.\n"
    )


def cancelled_output(reason: str) -> CheckOutput:
    """Return what the check run of a superseded or stopped run says."""
    title = _clipped_bytes(f"Cancelled: {escape.shown(reason)}", LONGEST_TITLE)
    said = f"This run was cancelled: {escape.plain(wording.clipped(reason, 2_000))}.\n"
    return CheckOutput(CheckConclusion.CANCELLED, title, said)


def notes(report: StoredReport) -> tuple[Annotation, ...]:
    """Return a note for each new finding that nobody ignores, the gravest first.

    They have no columns: a report counts lines.
    """
    found = (
        _annotation(finding, report)
        for finding in wording.ordered(report)
        if finding.status is Status.NEW
        and finding.fingerprint not in report.ignored
        and in_repository(finding.path)
    )
    return tuple(found)[:MOST_ANNOTATIONS]


def batches(found: Sequence[Annotation]) -> tuple[tuple[Annotation, ...], ...]:
    """Return the notes in groups of as many as one request may hold."""
    starts = range(0, len(found), ANNOTATIONS_A_CALL)
    return tuple(tuple(found[i : i + ANNOTATIONS_A_CALL]) for i in starts)


def actions(report: StoredReport, conclusion: CheckConclusion) -> tuple[Action, ...]:
    """Return the buttons that would do something."""
    if conclusion is CheckConclusion.SKIPPED or not report.targets:
        return ()
    offered = [RERUN_4X]
    if any(finding.level is Level.FAILURE for finding in remarkable(report)):
        offered.append(BASELINE)
    if any(wording.suggested(finding) for finding in remarkable(report)):
        offered.append(APPLY)
    return tuple(offered)


def in_repository(path: str) -> bool:
    """Whether a path can name a file of a repository."""
    pure = PurePosixPath(path)
    return bool(pure.parts) and not pure.is_absolute() and ".." not in pure.parts


def _annotation(finding: StoredFinding, report: StoredReport) -> Annotation:
    told = [
        wording.clipped(finding.message, 20_000),
        *wording.measured(finding.evidence, finding.message),
        f"Reproduce: {check_command(finding, report)}",
        f"Silence: /assayer ignore {finding.fingerprint} reason…",
    ]
    message = escape.shown("\n".join(told))
    return Annotation(
        path=finding.path,
        start_line=finding.line,
        end_line=finding.end_line,
        level=finding.level.value,
        title=_clipped_bytes(escape.shown(finding.title), LONGEST_TITLE),
        message=_clipped_bytes(message, LARGEST_MESSAGE),
    )


def _text(report: StoredReport, addresses: Addresses) -> str | None:
    """Every finding in full, as many as fit."""
    told = [f for f in wording.ordered(report) if f.fingerprint not in report.ignored]
    parts = [_part(finding, report, addresses) for finding in told]
    return cut(parts, LARGEST_TEXT, addresses.page) if parts else None


def _part(finding: StoredFinding, report: StoredReport, addresses: Addresses) -> str:
    heading = f"#### {escape.code(wording.clipped(wording.place(finding), 300))}"
    change = to_read(finding) or offer_to_read(finding)
    told = finding_text(finding, report, addresses, change, LARGEST_TEXT // 3)
    return f"{heading}\n\n{told}"


def cut(parts: Sequence[str], limit: int, page: str | None) -> str:
    """Return whole parts, as many as fit into ``limit`` bytes, and where the rest is."""
    whole = _RULE.join(parts)
    if size(whole) <= limit:
        return whole
    room = limit - size(_left(len(parts), page))
    sizes = accumulate(size(part) + size(_RULE) for part in parts)
    kept = sum(1 for total in sizes if total <= room)
    return _RULE.join([*parts[:kept], _left(len(parts) - kept, page)])


def _left(number: int, page: str | None) -> str:
    where = f"in the [full report]({page})" if page else "in the full report"
    return f"_{wording.counted(number, 'more finding')} {where}._\n"


def _clipped_bytes(text: str, limit: int) -> str:
    """The text in at most ``limit`` bytes, with an ellipsis where it was cut."""
    if size(text) <= limit:
        return text
    end = "…"
    return text.encode("utf-8", "replace")[: limit - size(end)].decode("utf-8", "ignore") + end
