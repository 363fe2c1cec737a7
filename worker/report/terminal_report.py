"""The report for people at a terminal."""

from __future__ import annotations

import io
import os
import shutil
from collections.abc import Iterator
from typing import TextIO

from rich.console import Console
from rich.padding import Padding
from rich.text import Text

from analyzers.vocabulary import Conclusion, InputKind, Level, Status
from worker.report import appendix, report_messages
from worker.report.answered_inputs import with_origin
from worker.report.stored_report import StoredFinding, StoredInput, StoredReport
from worker.report.valid_input_messages import OFFERED, offers_of

PLAIN_WIDTH = 100
NARROWEST = 30
MOST_INPUTS = 5
MOST_VALUES = 12
LONGEST_VALUE = 400
LONGEST_TEXT = 160
_MARKS = {
    Conclusion.SUCCESS: ("✓", "bold green"),
    Conclusion.FAILURE: ("✗", "bold red"),
    Conclusion.NEUTRAL: ("•", "bold yellow"),
    Conclusion.SKIPPED: ("–", "bold"),
    Conclusion.ERROR: ("!", "bold magenta"),
}
_LEVEL_STYLES = {Level.FAILURE: "red", Level.WARNING: "yellow", Level.NOTICE: "blue"}


def to_text(report: StoredReport, *, colour: bool = False, width: int = PLAIN_WIDTH) -> str:
    """Return the report as text, the verdict last; ``colour`` adds terminal codes."""
    buffer = io.StringIO()
    console = Console(
        file=buffer,
        force_terminal=colour,
        color_system="standard" if colour else None,
        no_color=not colour,
        width=width,
        highlight=False,
        markup=False,
        emoji=False,
        legacy_windows=False,
    )
    for line in _lines(report):
        console.print(line)
    return "\n".join(line.rstrip() for line in buffer.getvalue().split("\n"))


def width_of(stream: TextIO) -> int:
    """Return the columns that a text may take: a terminal's, and no more than is easily read."""
    columns = shutil.get_terminal_size().columns if stream.isatty() else PLAIN_WIDTH
    return max(NARROWEST, min(columns, PLAIN_WIDTH))


def wants_colour(stream: TextIO) -> bool:
    """Return whether a stream is a terminal that shows colours (``NO_COLOR`` is honoured)."""
    return stream.isatty() and not os.environ.get("NO_COLOR") and os.environ.get("TERM") != "dumb"


def _lines(report: StoredReport) -> Iterator[Text | Padding]:
    for finding in report_messages.sorted_findings(report):
        yield from _finding(finding, report)
        yield Text()
    yield from _not_tested(report)
    known = appendix.lines(report)
    if known:
        yield Text(appendix.TITLE, "dim")
        for place, said in known:
            yield _indented(f"{place}: {said}" if place else said, style="dim")
        yield Text()
    if report.findings or report.conclusion is Conclusion.ERROR:
        for sentence in report.environment:
            yield _indented(sentence, style="dim")
    yield from _verdict(report)


def _verdict(report: StoredReport) -> Iterator[Text | Padding]:
    mark, style = _MARKS[report.conclusion]
    yield _indented(report_messages.cost_sentence(report.cost), style="dim")
    yield Text(f"  {report_messages.overview(report)}")
    yield Text(f"{mark} {report_messages.headline(report)}", style)


def _finding(finding: StoredFinding, report: StoredReport) -> Iterator[Padding | Text]:
    stands = finding.status is Status.NEW and finding.fingerprint not in report.ignored
    style = _LEVEL_STYLES[finding.level] if stands else "dim"
    yield Text.assemble(
        (report_messages.location_text(finding), "bold"), "  ", (_clean(finding.title), style)
    )
    yield _indented(
        f"{finding.rule}, {report_messages.status_sentence(finding, report)}", style="dim"
    )
    yield _indented(finding.message)
    if program := report_messages.program_text(finding):
        yield _indented(program, 4, "cyan")
    for name, value in report_messages.evidence_lines(finding):
        yield _indented(f"{name}: {value}", 4)
    yield from _inputs(finding)
    yield from _suggestion(finding)
    for offer in offers_of(finding.evidence):
        yield _indented(f"{OFFERED}, above line {offer.line} of {offer.path}:")
        for line in offer.lines:
            yield _indented(line.strip(), 4, "green")
    if finding.reproducer:
        yield _indented(f"Reproduce: {report_messages.reproduce_command(finding.reproducer)}")
    if stands:
        comment = report_messages.ignore_comment(finding)
        yield _indented(f"Silence: {comment} (at the end of line {finding.line})", style="dim")


def _inputs(finding: StoredFinding) -> Iterator[Padding]:
    made = all(item.kind is InputKind.VALUE for item in finding.inputs)
    most = MOST_VALUES if made else MOST_INPUTS
    if finding.inputs:
        yield _indented("Arguments:" if made else "Inputs:")
    for item in finding.inputs[:most]:
        yield _indented(_input(item), 4)
    if len(finding.inputs) > most:
        yield _indented(f"and {len(finding.inputs) - most} more", 4)


def _input(item: StoredInput) -> str:
    said = with_origin(item.answer, item.answered_by)
    answer = f" → {said}" if said else ""
    if item.value is not None:
        longest = LONGEST_VALUE if item.kind is InputKind.VALUE else LONGEST_TEXT
        value = report_messages.clipped(item.value, longest)
        named = _named(item, value)
        return f"{named}{answer}"
    return f"{item.description}{answer}" + (f"  {item.file}" if item.file else "")


def _named(item: StoredInput, value: str) -> str:
    """Return the value after its description, where that does not hold the value itself."""
    if item.value == repr(item.description):
        return value
    if item.description.endswith(f": {item.value}"):
        return item.description
    between = "  " if item.kind is InputKind.VALUE else ": "
    return f"{item.description}{between}{value}"


def _suggestion(finding: StoredFinding) -> Iterator[Padding]:
    suggestion = report_messages.suggested(finding) or report_messages.unverified(finding)
    if suggestion is None:
        return
    if suggestion.verified:
        yield _indented("Suggestion (applied and run again: the finding goes away):")
    else:
        yield _indented(f"Suggestion. {report_messages.unverified_sentence(suggestion)}")
    for line in report_messages.replacement_diff(suggestion, finding.original):
        yield _indented(line, 4, "green" if line.startswith("+") else "red")


def _not_tested(report: StoredReport) -> Iterator[Text | Padding]:
    reasons, beside = (
        report_messages.untested_targets(report),
        report_messages.skipped_beside(report),
    )
    if reasons or beside:
        yield Text("Not tested", "bold")
        for reason, names in reasons:
            yield _indented(f"{names}: {reason}")
        for skipped in beside:
            yield _indented(f"{skipped.target}: {skipped.reason}")
        yield Text()
    if report.broken:
        yield Text("Our own failures", "bold magenta")
        for broken in report.broken:
            yield _indented(f"{broken.target}: {broken.error}")
        yield Text()


def _indented(text: str, indent: int = 2, style: str = "") -> Padding:
    return Padding(Text(_clean(text, keep="\n"), style), (0, 0, 0, indent), expand=False)


def _clean(text: str, keep: str = "") -> str:
    return "".join(c if c.isprintable() or c in keep else " " for c in text)
