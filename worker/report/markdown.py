"""The report as it stands in a pull request: one summary, inline comments."""

from __future__ import annotations

import shlex
from dataclasses import dataclass

from analyzers.vocabulary import Finding, Input, InputKind, Report
from worker.report import escape, wording
from worker.report.artifacts import Artifacts
from worker.report.templating import environment

COMMENT_LIMIT = 65_536
MOST_INPUTS = 5
MOST_EVIDENCE = 20
LONGEST_INPUT = 240
LONGEST_TITLE = 300
LONGEST_MESSAGE = 2000
_CUT = "\n\n_The rest of this comment was left out: it is longer than GitHub allows._\n"
_ROWS = (None, 200, 60, 20, 5, 0)


@dataclass(frozen=True, slots=True)
class InlineComment:
    """A comment on lines of the head; ``start_line`` is ``None`` for one line."""

    fingerprint: str
    path: str
    start_line: int | None
    line: int
    body: str


def summary(report: Report, details_url: str | None = None) -> str:
    """The one summary comment of a pull request, within GitHub's limit."""
    texts = (_summary(report, details_url, most) for most in _ROWS)
    fitting = next((text for text in texts if len(text) <= COMMENT_LIMIT), None)
    return _limited(_summary(report, details_url, 0)) if fitting is None else fitting


def _summary(report: Report, details_url: str | None, most: int | None) -> str:
    return (
        environment()
        .get_template("summary.md.j2")
        .render(
            report=report,
            most=most,
            findings=wording.ordered(report),
            words=wording,
            escape=escape,
            details_url=details_url,
        )
    )


def inline_comment(
    finding: Finding, report: Report, artifacts: Artifacts | None = None
) -> InlineComment:
    """The comment on a finding's lines; a verified suggestion sets the lines."""
    verified = finding.suggestion if finding.suggestion and finding.suggestion.verified else None
    path, first, last = (
        (verified.path, verified.start_line, verified.end_line)
        if verified
        else (finding.path, finding.line, finding.end_line)
    )
    body = _body(finding, report, artifacts)
    return InlineComment(finding.fingerprint, path, first if first < last else None, last, body)


def _body(finding: Finding, report: Report, artifacts: Artifacts | None) -> str:
    items = wording.inputs_of(finding)
    files = artifacts.of(finding) if artifacts else None
    template = environment().get_template("finding.md.j2")

    def rendered(*, whole: bool) -> str:
        shown = items[:MOST_INPUTS] if whole else []
        return template.render(
            title=wording.clipped(finding.title, LONGEST_TITLE),
            message=finding.message if whole else wording.clipped(finding.message, LONGEST_MESSAGE),
            finding=finding,
            standing=wording.standing(finding, report),
            recall=wording.recall_sentence(finding.evidence),
            evidence=wording.evidence_lines(finding)[:MOST_EVIDENCE],
            inputs=[_input(item) for item in shown],
            more=len(items) - len(shown),
            suggestion=finding.suggestion if whole else None,
            reproducer=files.reproducer if files else None,
            command=check_command(finding, report),
            escape=escape,
        )

    text = rendered(whole=True)
    return text if len(text) <= COMMENT_LIMIT else _limited(rendered(whole=False))


def check_command(finding: Finding, report: Report) -> str:
    """The command that finds a finding again, in a checkout of the head."""
    parts = ["assayer", "check", "--base", report.base[:12], "--target", finding.target]
    return shlex.join(parts)


def _input(item: Input) -> str:
    said = escape.plain(item.description)
    if item.kind is InputKind.TEXT:
        said += ": " + escape.code(wording.clipped(wording.text_of(item), LONGEST_INPUT))
    return said


def to_markdown(report: Report, artifacts: Artifacts | None = None) -> str:
    """The summary, followed by the inline comments as they would stand."""
    parts = [summary(report)]
    for finding in wording.ordered(report):
        if finding.fingerprint in report.ignored:
            continue
        comment = inline_comment(finding, report, artifacts)
        start = comment.line if comment.start_line is None else comment.start_line
        lines = f"{start}" if start == comment.line else f"{start}-{comment.line}"
        parts.append(f"---\n\n{escape.code(f'{comment.path}:{lines}')}\n\n{comment.body}")
    return "\n".join(parts)


def _limited(text: str) -> str:
    return text if len(text) <= COMMENT_LIMIT else text[: COMMENT_LIMIT - len(_CUT)] + _CUT
