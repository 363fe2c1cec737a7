"""Every format of the report, in one table."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from analyzers.vocabulary import Report
from worker.report import markdown_escape, report_messages
from worker.report.annotation_reports import to_github, to_gitlab
from worker.report.artifacts import Artifacts
from worker.report.html_report import ReadFile, page_of_document, stored_files, to_html
from worker.report.json_report import json_text, report_document
from worker.report.junit_report import to_junit
from worker.report.markdown_report import (
    ReportLinks,
    finding_text,
    offers_text,
    suggestion_text,
    summary,
)
from worker.report.sarif_report import to_sarif
from worker.report.stored_report import StoredFinding, StoredReport, stored
from worker.report.terminal_report import PLAIN_WIDTH, to_text

Document = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class RenderOptions:
    """The options of a renderer."""

    relative_to: Path | None = None
    colour: bool = False
    width: int = PLAIN_WIDTH


Renderer = Callable[[Document, ReadFile, RenderOptions], str]


def _text(document: Document, _read: ReadFile, options: RenderOptions) -> str:
    return to_text(stored(document), colour=options.colour, width=options.width)


def _alike(make: Callable[[StoredReport], str]) -> Renderer:
    return lambda document, _read, _options: make(stored(document))


def _document(make: Callable[[Document], str]) -> Renderer:
    return lambda document, _read, _options: make(document)


def to_markdown(report: StoredReport) -> str:
    """Return the summary, followed by the text of each finding on head."""
    links = ReportLinks(commands=False)
    parts = [summary(report)]
    for finding in report_messages.findings_on_head(report):
        if finding.fingerprint not in report.ignored:
            change = suggestion_text(finding) or offers_text(finding)
            body = finding_text(finding, report, links, change)
            parts.append(f"---\n\n{markdown_escape.code(_lines(finding))}\n\n{body}")
    return "\n".join(parts)


def _lines(finding: StoredFinding) -> str:
    """Return ``path:line`` or ``path:first-last``: the lines of the suggestion, if there is one."""
    change = report_messages.suggested(finding)
    path, first, last = (
        (change.path, change.start_line, change.end_line)
        if change
        else (finding.path, finding.line, finding.end_line)
    )
    return f"{path}:{first}" if first == last else f"{path}:{first}-{last}"


FORMATS: Mapping[str, Renderer] = {
    "text": _text,
    "json": _document(json_text),
    "markdown": _alike(to_markdown),
    "sarif": _alike(to_sarif),
    "junit": _document(to_junit),
    "html": lambda document, read, _options: page_of_document(document, read),
    "github": _alike(to_github),
    "gitlab": _alike(to_gitlab),
}


def render(
    form: str,
    report: Report,
    artifacts: Artifacts | None = None,
    options: RenderOptions | None = None,
) -> str:
    """Return a fresh report in one of :data:`FORMATS`; raise ``KeyError`` for another."""
    if form == "html":
        return to_html(report, artifacts)
    options = options or RenderOptions()
    document = report_document(report, artifacts, options.relative_to)
    return FORMATS[form](document, lambda _name: None, options)


def render_stored(
    form: str, document: Document, folder: Path, options: RenderOptions | None = None
) -> str:
    """Return the report in a document, which was read from ``folder``, in another format."""
    return FORMATS[form](document, stored_files(folder), options or RenderOptions())
