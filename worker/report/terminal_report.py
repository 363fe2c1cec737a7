"""The report for people at a terminal."""

from __future__ import annotations

import io
import os
from collections.abc import Iterator
from typing import TextIO

from rich.console import Console
from rich.padding import Padding
from rich.text import Text

from analyzers.vocabulary import Conclusion, Finding, InputKind, Level, Report, Status
from worker.report import appendix, argument_messages, report_messages
from worker.report.answered_inputs import AnsweredInput, answered_inputs
from worker.report.artifacts import Artifacts, FindingFiles
from worker.report.valid_input_messages import OFFERED, offers_of

PLAIN_WIDTH = 100
MOST_INPUTS = 5
MOST_VALUES = 12
LONGEST_VALUE = 400
_MARKS = {
    Conclusion.SUCCESS: ("✓", "bold green"),
    Conclusion.FAILURE: ("✗", "bold red"),
    Conclusion.NEUTRAL: ("•", "bold yellow"),
    Conclusion.SKIPPED: ("–", "bold"),
    Conclusion.ERROR: ("!", "bold magenta"),
}
_LEVEL_STYLES = {Level.FAILURE: "red", Level.WARNING: "yellow", Level.NOTICE: "blue"}


def to_text(report: Report, artifacts: Artifacts | None = None, *, colour: bool = False) -> str:
    """Return the report as text; ``colour`` adds terminal codes."""
    buffer = io.StringIO()
    console = Console(
        file=buffer,
        force_terminal=colour,
        color_system="standard" if colour else None,
        no_color=not colour,
        width=PLAIN_WIDTH,
        highlight=False,
        markup=False,
        emoji=False,
        legacy_windows=False,
    )
    for line in _lines(report, artifacts):
        console.print(line)
    return "\n".join(line.rstrip() for line in buffer.getvalue().split("\n"))


def wants_colour(stream: TextIO) -> bool:
    """Return whether a stream is a terminal that shows colours (``NO_COLOR`` is honoured)."""
    return stream.isatty() and not os.environ.get("NO_COLOR") and os.environ.get("TERM") != "dumb"


def _lines(report: Report, artifacts: Artifacts | None) -> Iterator[Text | Padding]:
    mark, style = _MARKS[report.conclusion]
    yield Text.assemble((f"{mark} {report_messages.headline(report)}", style))
    yield Text(f"  {report_messages.overview(report)}")
    for finding in report_messages.sorted_findings(report):
        yield Text()
        yield from _finding(finding, report, artifacts)
    yield from _not_tested(report)
    told = appendix.lines(report)
    if told:
        yield Text()
        yield Text(appendix.TITLE, "dim")
        for place, said in told:
            yield _indented(f"{place}: {said}" if place else said, style="dim")
    yield Text()
    yield Text(f"  {report_messages.cost_sentence(report.cost)}", "dim")
    if report.findings or report.conclusion is Conclusion.ERROR:
        for sentence in report.environment:
            yield Text(f"  {_clean(sentence)}", "dim")


def _finding(
    finding: Finding, report: Report, artifacts: Artifacts | None
) -> Iterator[Padding | Text]:
    files = artifacts.of(finding) if artifacts else None
    stands = finding.status is Status.NEW and finding.fingerprint not in report.ignored
    style = _LEVEL_STYLES[finding.level] if stands else "dim"
    yield Text.assemble(
        (report_messages.location_text(finding), "bold"), "  ", (_clean(finding.title), style)
    )
    yield _indented(
        f"{finding.rule}, {report_messages.status_sentence(finding, report)}", style="dim"
    )
    yield _indented(finding.message)
    for name, value in report_messages.evidence_lines(finding):
        yield _indented(f"{name}: {value}", 4)
    yield from _inputs(finding, files)
    yield from _suggestion(finding, artifacts)
    for offer in offers_of(finding.evidence):
        yield _indented(f"{OFFERED}, above line {offer.line} of {offer.path}:")
        for line in offer.lines:
            yield _indented(line.strip(), 4, "green")
    if files and files.reproducer:
        yield _indented(f"Reproduce: python -m pytest {files.reproducer}")
    if stands:
        yield _indented(f"Silence: /assayer ignore {finding.fingerprint} <reason>", style="dim")


def _inputs(finding: Finding, files: FindingFiles | None) -> Iterator[Padding]:
    items = answered_inputs(finding)
    if items:
        yield _indented("Inputs:")
    for item in items[:MOST_INPUTS]:
        yield _indented(_input(item, files), 4)
    if len(items) > MOST_INPUTS:
        yield _indented(f"and {len(items) - MOST_INPUTS} more", 4)
    made = [] if items else argument_messages.values_of(finding)
    if made:
        yield _indented("Arguments:")
    for value in made[:MOST_VALUES]:
        said = report_messages.clipped(value.source, LONGEST_VALUE)
        plain = value.description.endswith(f": {said}")
        yield _indented(value.description if plain else f"{value.description}  {said}", 4)
    if len(made) > MOST_VALUES:
        yield _indented(f"and {len(made) - MOST_VALUES} more", 4)


def _input(answered: AnsweredInput, files: FindingFiles | None) -> str:
    item = answered.item
    answer = f" → {answered.said}" if answered.said else ""
    if item.kind is InputKind.TEXT:
        text = report_messages.text_of(item)
        named = "" if item.description == text else f"{item.description}: "
        return f"{named}{report_messages.clipped(text, 160)!r}{answer}"
    file = files.inputs.get(item.digest) if files else None
    return f"{item.description}{answer}" + ("" if file is None else f"  {file}")


def _suggestion(finding: Finding, artifacts: Artifacts | None) -> Iterator[Padding]:
    suggestion = report_messages.suggested(finding) or report_messages.unverified(finding)
    if suggestion is None:
        return
    if suggestion.verified:
        yield _indented("Suggestion (applied and run again: the finding goes away):")
    else:
        yield _indented(f"Suggestion. {report_messages.unverified_sentence(suggestion)}")
    source = artifacts.sources.get(suggestion.path) if artifacts else None
    for line in report_messages.suggestion_diff(suggestion, source):
        yield _indented(line, 4, "green" if line.startswith("+") else "red")


def _not_tested(report: Report) -> Iterator[Text | Padding]:
    reasons, beside = (
        report_messages.untested_targets(report),
        report_messages.skipped_beside(report),
    )
    if reasons or beside:
        yield Text()
        yield Text("Not tested", "bold")
        for reason, names in reasons:
            yield _indented(f"{names}: {reason}")
        for skipped in beside:
            yield _indented(f"{skipped.target}: {skipped.reason}")
    if report.broken:
        yield Text()
        yield Text("Our own failures", "bold magenta")
        for broken in report.broken:
            yield _indented(f"{broken.target}: {broken.error}")


def _indented(text: str, indent: int = 2, style: str = "") -> Padding:
    return Padding(Text(_clean(text, keep="\n"), style), (0, 0, 0, indent), expand=False)


def _clean(text: str, keep: str = "") -> str:
    return "".join(c if c.isprintable() or c in keep else " " for c in text)
