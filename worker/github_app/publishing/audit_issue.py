"""The one issue in which a repository's audits are told."""

from __future__ import annotations

from collections.abc import Generator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import date, timedelta
from typing import Any

from analyzers.vocabulary import Level, Status
from worker.github_app.client import issues
from worker.github_app.client.api import Api
from worker.github_app.client.errors import GoneError, NotFoundError, UncertainError
from worker.github_app.context import (
    ISSUE_PERMISSIONS,
    NotNowError,
    PublishDestination,
    TaskContext,
    WriteTimeouts,
    bot_login,
)
from worker.github_app.publishing.comment_marks import AUDIT, has_mark, marked
from worker.github_app.publishing.summary_comment import rest_section, sections_of
from worker.report import report_messages
from worker.report.markdown_report import COMMENT_LIMIT, ReportLinks, size, summary
from worker.report.stored_report import StoredFinding, StoredReport, read_stored
from worker.store.conclusions import unneeded, with_current_ignores
from worker.store.records import IdempotencyState, IgnoreKind, IgnoreRecord

TITLE = "Assayer: what the audit of the default branch finds"


@dataclass(frozen=True, slots=True)
class AuditIssue:
    """What the issue should say; without a finding it need not be ``open``."""

    title: str
    body: str
    open: bool


def audit_issue(
    document: Mapping[str, Any],
    ignores: Sequence[IgnoreRecord],
    today: date,
    addresses: ReportLinks,
) -> AuditIssue:
    """Return the issue about a report on all of a branch.

    What was accepted as baseline is told there, since nobody else tells it.
    Raises ``MachineError`` for a report that is none.
    """
    ignored = [ignore for ignore in ignores if ignore.kind is IgnoreKind.IGNORED]
    current = with_current_ignores(document, ignored, today)
    report = read_stored(current)
    found = [
        finding
        for finding in report_messages.sorted_findings(report)
        if _is_listed(finding, report)
    ]
    sections = sections_of((), unneeded(current, ignored, today))
    if found:
        sections.append(rest_section(report, found, addresses))
    number = report_messages.counted(len(found), "finding")
    headline = f"{number} on the default branch"
    room = COMMENT_LIMIT - size(marked("", AUDIT)) - 1
    body = summary(report, addresses.page, sections, room, headline)
    return AuditIssue(TITLE, marked(body, AUDIT), open=bool(found))


def _is_listed(finding: StoredFinding, report: StoredReport) -> bool:
    return (
        finding.status in {Status.NEW, Status.EXISTING}
        and finding.level is not Level.NOTICE
        and finding.fingerprint not in report.ignored
    )


def update_audit_issue(
    wanted: AuditIssue, destination: PublishDestination, context: TaskContext
) -> None:
    """Let the issue say what the last audit found; it is opened only for a finding.

    Does nothing where issues are switched off.  Raises ``NotNowError`` while
    another audit of the repository is being told.
    """
    with _audit_lock(destination, context):
        try:
            there = _existing_issue(destination, context)
            if there is not None:
                _edit_issue(wanted, there, destination, context)
            elif wanted.open:
                _create_issue(wanted, destination, context)
        except GoneError:
            return


@contextmanager
def _audit_lock(destination: PublishDestination, context: TaskContext) -> Generator[None]:
    """Keep audits of other commits away; after an uncertain write, for as long as it takes."""
    with context.store.write() as unit:
        lease = unit.leases.take(
            f"issue:{destination.repository}", WriteTimeouts.of(context.settings).lease
        )
    if lease is None:
        raise NotNowError(context.now() + timedelta(seconds=30), "another audit is being told")
    settled = True
    try:
        yield
    except UncertainError:
        settled = False
        raise
    finally:
        if settled:
            with context.store.write() as unit:
                unit.leases.free(lease)


def _existing_issue(destination: PublishDestination, context: TaskContext) -> issues.Issue | None:
    with context.store.read() as unit:
        idempotency_record = unit.idempotency.get(_issue_key(destination))
    if (
        idempotency_record is None
        or idempotency_record.state is not IdempotencyState.DONE
        or idempotency_record.made is None
    ):
        return _find_issue(destination, context)
    try:
        return issues.get(
            _issue_api(destination, context), destination.name, int(idempotency_record.made)
        )
    except (NotFoundError, GoneError):
        with context.store.write() as unit:
            unit.idempotency.forget(_issue_key(destination))
        return None


def _find_issue(destination: PublishDestination, context: TaskContext) -> issues.Issue | None:
    there = issues.of_author(_issue_api(destination, context), destination.name, bot_login(context))
    return next((issue for issue in there if has_mark(issue.body, AUDIT)), None)


def _edit_issue(
    wanted: AuditIssue, there: issues.Issue, destination: PublishDestination, context: TaskContext
) -> None:
    state = "open" if wanted.open else "closed"
    if (there.title, there.body, there.state) != (wanted.title, wanted.body, state):
        change = {"title": wanted.title, "body": wanted.body, "state": state}
        api = _issue_api(destination, context)
        writer = context.writer(destination.installation)
        writer.edit(lambda: issues.edit(api, destination.name, there.number, change))


def _create_issue(
    wanted: AuditIssue, destination: PublishDestination, context: TaskContext
) -> None:
    api = _issue_api(destination, context)

    def send() -> str:
        return str(issues.create(api, destination.name, wanted.title, wanted.body).number)

    def look() -> str | None:
        found = _find_issue(destination, context)
        return None if found is None else str(found.number)

    context.writer(destination.installation).create(_issue_key(destination), send, look)


def _issue_key(destination: PublishDestination) -> str:
    return f"audit:{destination.repository}"


def _issue_api(destination: PublishDestination, context: TaskContext) -> Api:
    return context.api(destination.installation, destination.repository, **ISSUE_PERMISSIONS)
