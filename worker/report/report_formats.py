"""Every format of the report, in one table."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path

from analyzers.vocabulary import Report
from worker.report import markdown_escape, report_messages
from worker.report.artifacts import Artifacts
from worker.report.html_report import to_html
from worker.report.json_report import report_document, to_json
from worker.report.junit_report import to_junit
from worker.report.markdown_report import finding_text, offers_text, suggestion_text, summary
from worker.report.sarif_report import to_sarif
from worker.report.stored_report import StoredFinding, stored
from worker.report.terminal_report import to_text


@dataclass(frozen=True, slots=True)
class RenderOptions:
    """The options of a renderer."""

    relative_to: Path | None = None
    colour: bool = False


Renderer = Callable[[Report, Artifacts | None, RenderOptions], str]


def _text(report: Report, artifacts: Artifacts | None, options: RenderOptions) -> str:
    return to_text(report, artifacts, colour=options.colour)


def _json(report: Report, artifacts: Artifacts | None, options: RenderOptions) -> str:
    return to_json(report, artifacts, options.relative_to)


def _alike(make: Callable[[Report, Artifacts | None], str]) -> Renderer:
    return lambda report, artifacts, _options: make(report, artifacts)


def _alone(make: Callable[[Report], str]) -> Renderer:
    return lambda report, _artifacts, _options: make(report)


def to_markdown(report: Report, artifacts: Artifacts | None = None) -> str:
    """Return the summary, followed by the inline comments of each finding."""
    told = stored(report_document(report, artifacts))
    parts = [summary(told)]
    for finding in report_messages.findings_on_head(told):
        if finding.fingerprint not in told.ignored:
            change = suggestion_text(finding) or offers_text(finding)
            body = finding_text(finding, told, change=change)
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
    "json": _json,
    "markdown": _alike(to_markdown),
    "sarif": _alone(to_sarif),
    "junit": _alone(to_junit),
    "html": _alike(to_html),
}


def render(
    form: str,
    report: Report,
    artifacts: Artifacts | None = None,
    options: RenderOptions | None = None,
) -> str:
    """Return the report in one of :data:`FORMATS`; raise ``KeyError`` for another."""
    return FORMATS[form](report, artifacts, options or RenderOptions())
