"""The one issue about a repository's default branch, edited in place."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from typing import Any

from analyzers.vocabulary import Level, Status
from worker.composition.amending import amended, unneeded
from worker.composition.marks import AUDIT, marked
from worker.composition.sticky import rest_section, sections_of
from worker.report import wording
from worker.report.markdown import COMMENT_LIMIT, Addresses, size, summary
from worker.report.stored import StoredFinding, StoredReport, read_stored
from worker.store.records import Ignore, IgnoreKind

TITLE = "Assayer: what the audit of the default branch finds"


@dataclass(frozen=True, slots=True)
class AuditIssue:
    """What the issue should say; without a finding it need not be ``open``."""

    title: str
    body: str
    open: bool


def audit_issue(
    document: Mapping[str, Any], ignores: Sequence[Ignore], today: date, addresses: Addresses
) -> AuditIssue:
    """Return the issue about a report on all of a branch.

    What was accepted as baseline is told there, since nobody else tells it.
    Raises ``MachineError`` for a report that is none.
    """
    ignored = [ignore for ignore in ignores if ignore.kind is IgnoreKind.IGNORED]
    current = amended(document, ignored, today)
    report = read_stored(current)
    found = [finding for finding in wording.ordered(report) if _stands(finding, report)]
    sections = sections_of((), unneeded(current, ignored, today))
    if found:
        sections.append(rest_section(report, found, addresses))
    number = wording.counted(len(found), "finding")
    headline = f"{number} on the default branch"
    room = COMMENT_LIMIT - size(marked("", AUDIT)) - 1
    body = summary(report, addresses.page, sections, room, headline)
    return AuditIssue(TITLE, marked(body, AUDIT), open=bool(found))


def _stands(finding: StoredFinding, report: StoredReport) -> bool:
    return (
        finding.status in {Status.NEW, Status.EXISTING}
        and finding.level is not Level.NOTICE
        and finding.fingerprint not in report.ignored
    )
