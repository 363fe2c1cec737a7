"""The report as it stands in a pull request: one summary, inline comments.

All is rendered from the report's document, so that the command line and the
hosted bot, which has nothing else, say the same.
"""

from __future__ import annotations

import shlex
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

from analyzers.vocabulary import InputKind
from worker.report import appendix, markdown_escape, report_messages
from worker.report.answered_inputs import with_origin
from worker.report.report_templates import fill
from worker.report.stored_report import StoredFinding, StoredInput, StoredReport
from worker.report.valid_input_messages import OFFERED, offers_of

COMMENT_LIMIT = 65_536
"""Bytes of a comment: GitHub counts characters, of which there are never more."""
MOST_INPUTS = 5
MOST_EVIDENCE = 20
MOST_PARAGRAPHS = 6
LONGEST_INPUT = 240
LONGEST_TITLE = 300
LONGEST_MESSAGE = 2000
LARGEST_MESSAGE = 20_000
LONGEST_COMMAND = 4000
_ROWS = (20, 5, 0)


@dataclass(frozen=True, slots=True)
class ReportLinks:
    """The links of a report: the run's ``page``, and the address of each of its files.

    ``commands``: the bot reads slash-commands where the report is shown.
    """

    page: str | None = None
    file: Callable[[str], str | None] = lambda _name: None
    commands: bool = True


NO_LINKS = ReportLinks()


def size(text: str) -> int:
    """Return the bytes that a text takes at GitHub."""
    return len(text.encode("utf-8", "replace"))


def fitting(texts: Iterable[str], limit: int) -> str:
    """Return the first text of at most ``limit`` bytes, which get shorter; else the last."""
    last = ""
    for last in texts:
        if size(last) <= limit:
            break
    return last


def summary(
    report: StoredReport,
    details_url: str | None = None,
    sections: Sequence[str] = (),
    limit: int = COMMENT_LIMIT,
    headline: str | None = None,
) -> str:
    """Return the summary comment of a pull request, of at most ``limit`` bytes.

    ``sections`` are Markdown between the findings and the rest; the last are left out first.
    """
    title = report_messages.headline(report) if headline is None else headline
    fewer = [(60, sections[:count]) for count in range(len(sections), -1, -1)]
    tries = [(None, sections), *fewer, *((most, ()) for most in _ROWS)]
    texts = (
        fill(
            "summary.md.j2",
            headline=title,
            report=report,
            most=most,
            sections=kept,
            findings=report_messages.findings_on_head(report),
            fixed=report_messages.fixed_findings(report),
            words=report_messages,
            appendix=appendix,
            escape=markdown_escape,
            details_url=details_url,
            longest=LONGEST_TITLE,
        )
        for most, kept in tries
    )
    return fitting(texts, limit)


def finding_text(
    finding: StoredFinding,
    report: StoredReport,
    addresses: ReportLinks = NO_LINKS,
    change: str = "",
    limit: int = COMMENT_LIMIT,
) -> str:
    """Return one finding's text in at most ``limit`` bytes; ``change`` is the suggestion."""
    texts = (_finding(finding, report, addresses, change, detail) for detail in (2, 1, 0))
    return fitting(texts, limit)


def _finding(
    finding: StoredFinding, report: StoredReport, addresses: ReportLinks, change: str, detail: int
) -> str:
    """The text with everything (2), without inputs and suggestion (1), or the bare minimum (0)."""
    inputs = sorted(finding.inputs, key=lambda item: not item.failing)
    shown = inputs[:MOST_INPUTS] if detail == 2 else []
    command = check_command(finding, report)
    text = report_messages.clipped(finding.message, (1, LONGEST_MESSAGE, LARGEST_MESSAGE)[detail])
    program = report_messages.program_text(finding)
    parts = text.split("\n", MOST_PARAGRAPHS - 1)
    return fill(
        "finding.md.j2",
        title=report_messages.clipped(finding.title, LONGEST_TITLE),
        paragraphs=[markdown_escape.prose(part) for part in parts if part.strip()],
        program=markdown_escape.block(program, "python") if program and detail else "",
        finding=finding,
        changes=[str(change.get("says", "")) for change in report_messages.changes_of(finding)][
            :20
        ],
        standing=report_messages.clipped(
            report_messages.status_sentence(finding, report), LONGEST_TITLE
        ),
        measured=report_messages.measured(finding.evidence, finding.message),
        evidence=report_messages.evidence_lines(finding)[:MOST_EVIDENCE] if detail else [],
        inputs=[_input(item, addresses) for item in shown],
        more=len(inputs) - len(shown),
        change=change if detail == 2 else "",
        reproducer=finding.reproducer if detail else None,
        address=finding.reproducer and addresses.file(finding.reproducer),
        command=command if len(command) <= LONGEST_COMMAND else "",
        silence=f"/assayer ignore {finding.fingerprint} reason…"
        if addresses.commands
        else report_messages.ignore_comment(finding),
        silence_at="" if addresses.commands else f" at the end of line {finding.line}",
        run_test=finding.reproducer and report_messages.reproduce_command(finding.reproducer),
        escape=markdown_escape,
        clipped=report_messages.clipped,
    )


def suggestion_text(finding: StoredFinding) -> str:
    """The verified suggestion as a block that GitHub lets people apply, or another to be read."""
    suggestion = report_messages.suggested(finding)
    if suggestion is None:
        return unverified_text(finding)
    return f"{markdown_escape.block(suggestion.replacement, 'suggestion')}\n\n{TRIED}"


def unverified_text(finding: StoredFinding, text: str | None = None) -> str:
    """A change that could not be verified, to be read: no button applies it; else empty."""
    change = report_messages.unverified(finding)
    if change is None:
        return ""
    first, last = change.start_line, change.end_line
    where = markdown_escape.code(f"{change.path}:{first}" + (f"-{last}" if last != first else ""))
    told = markdown_escape.plain(report_messages.unverified_sentence(change))
    if text is None:
        lines = markdown_escape.block(change.replacement.replace("\r", ""), "python")
        return f"A possible change, instead of {where}:\n\n{lines}\n\n{told}"
    lines = markdown_escape.block("\n".join(report_messages.suggestion_diff(change, text)), "diff")
    return f"A possible change, at {where}:\n\n{lines}\n\n{told}"


def offers_text(finding: StoredFinding) -> str:
    """Return the annotations that a finding was found by, to be read; else empty."""
    parts = [
        f"{OFFERED}, above line {offer.line} of"
        f" {markdown_escape.code(report_messages.clipped(offer.path, 300))}:\n\n"
        f"{markdown_escape.block(chr(10).join(offer.lines), 'python')}"
        for offer in offers_of(finding.evidence)
    ]
    return "\n\n".join(parts)


TRIED = (
    "This change was applied and run again on the same inputs:"
    " the finding goes away and nothing else gets worse."
)


def check_command(finding: StoredFinding, report: StoredReport) -> str:
    """Return the command that finds a finding again, in a checkout of the head."""
    if not report.base:
        return shlex.join(["assayer", "fuzz", finding.path])
    parts = ["assayer", "check", "--base", report.base[:12], "--target", finding.target]
    return shlex.join(parts)


def _input(item: StoredInput, addresses: ReportLinks) -> str:
    answered = with_origin(item.answer, item.answered_by)
    answer = f" → {markdown_escape.plain(answered)}" if answered else ""
    said = markdown_escape.plain(report_messages.clipped(item.description, LONGEST_INPUT))
    address = addresses.file(item.file) if item.file else None
    if item.kind is InputKind.IMAGE and address:
        return f"{said}{answer}<br>![{said}]({address})"
    if item.value is not None:
        named = "" if item.value == repr(item.description) else f"{said}: "
        if item.description.endswith(f": {item.value}"):
            named = f"{markdown_escape.plain(item.description.removesuffix(f': {item.value}'))}: "
        value = markdown_escape.code(report_messages.clipped(item.value, LONGEST_INPUT))
        return f"{named}{value}{answer}"
    return f"[{said}]({address}){answer}" if address else f"{said}{answer}"
