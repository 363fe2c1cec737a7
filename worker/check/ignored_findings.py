"""Findings that the maintainers have chosen not to hear of."""

from __future__ import annotations

import datetime
from collections.abc import Mapping, Sequence

from analyzers.vocabulary import ChangeSet, Finding, JsonObject, Status
from worker.errors import UsageError
from worker.settings.inline_ignores import inline_ignores, malformed_ignores
from worker.settings.repository_configuration import Configuration


def ignored_findings(
    findings: Sequence[Finding], configuration: Configuration, texts: Mapping[str, str]
) -> dict[str, JsonObject]:
    """Reason and date by fingerprint of each finding that is there and ignored today."""
    today = datetime.datetime.now(tz=datetime.UTC).date()
    found: dict[str, JsonObject] = {}
    for finding in findings:
        if finding.status is Status.FIXED:
            continue
        for ignore in configuration.ignore:
            if ignore.covers(finding.fingerprint, finding.rule, finding.path, today):
                until = None if ignore.until is None else ignore.until.isoformat()
                found[finding.fingerprint] = {"reason": ignore.reason, "until": until}
        for comment in inline_ignores(texts.get(finding.path, ""), finding.path):
            if (comment.rule, comment.line) == (finding.rule, finding.line):
                found[finding.fingerprint] = {"reason": comment.reason, "until": None}
    return found


def refuse_malformed(changes: ChangeSet) -> None:
    """Raise ``UsageError`` for the first malformed comment in a changed file."""
    for change in changes.changes:
        for malformed in malformed_ignores(changes.sources.get(change.path, ""), change.path):
            raise UsageError(malformed.problem, file=malformed.path, line=malformed.line)


def added_ignores(changes: ChangeSet) -> tuple[str, ...]:
    """Sentences that name the ignores which the change itself adds."""
    return tuple(
        f"the change silences {comment.rule} at {comment.path}:{comment.line}: {comment.reason}"
        for change in changes.changes
        for comment in inline_ignores(changes.sources.get(change.path, ""), change.path)
        if comment.line in change.lines
    )
