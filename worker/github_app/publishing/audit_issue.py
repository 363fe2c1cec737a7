"""The one issue in which a repository's audits are told."""

from __future__ import annotations

from collections.abc import Generator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from datetime import date, timedelta
from typing import Any

from github.Issue import Issue
from github.Repository import Repository

from analyzers.vocabulary import Level, Status
from worker.github_app import messages
from worker.github_app.client.errors import GoneError, UncertainError
from worker.github_app.client.objects import completed, listed, made
from worker.github_app.context import ISSUE_PERMISSIONS, PublishContext, bot_login
from worker.github_app.publishing.comment_marks import AUDIT, has_mark, marked
from worker.github_app.publishing.summary_comment import rest_section, sections_of
from worker.github_app.rate_limited_writer import NotNowError
from worker.report import report_messages
from worker.report.markdown_report import COMMENT_LIMIT, ReportLinks, size, summary
from worker.report.stored_report import read_stored
from worker.store.conclusions import unneeded, with_current_ignores
from worker.store.records import IgnoreKind, IgnoreRecord

_NEEDED = ("number", "title", "state")


@dataclass(frozen=True, slots=True)
class AuditIssue:
    """The wanted content of the issue; without a finding it need not be ``open``."""

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
        if finding.status in {Status.NEW, Status.EXISTING}
        and finding.level is not Level.NOTICE
        and finding.fingerprint not in report.ignored
    ]
    sections = sections_of((), unneeded(current, ignored, today))
    if found:
        sections.append(rest_section(report, found, addresses))
    number = report_messages.counted(len(found), "finding")
    headline = f"{number} on the default branch"
    room = COMMENT_LIMIT - size(marked("", AUDIT)) - 1
    body = summary(report, addresses.page, sections, room, headline)
    return AuditIssue(messages.AUDIT_TITLE, marked(body, AUDIT), open=bool(found))


def update_audit_issue(wanted: AuditIssue, publish_context: PublishContext) -> None:
    """Let the issue say what the last audit found; it is opened only for a finding.

    Does nothing where issues are switched off.  Raises ``NotNowError`` while
    another audit of the repository is being told.
    """
    repository = publish_context.api(ISSUE_PERMISSIONS).repository(publish_context.name)
    key, writer = f"audit:{publish_context.repository}", publish_context.writer

    def get(number: int) -> Issue:
        return completed(repository.get_issue(number), *_NEEDED)

    def find() -> Issue | None:
        return standing_audit(repository, bot_login(publish_context.context))

    def look() -> str | None:
        found = find()
        return None if found is None else str(found.number)

    with _audit_lock(publish_context), suppress(GoneError):
        there = publish_context.existing(key, get, find)
        state = "open" if wanted.open else "closed"
        if there is None and wanted.open:
            title, body = wanted.title, wanted.body
            writer.create(
                key, lambda: str(made(repository.create_issue(title, body), "number").number), look
            )
        elif there and (there.title, there.body, there.state) != (wanted.title, wanted.body, state):
            issue = repository.get_issue(there.number)
            writer.edit(lambda: issue.edit(wanted.title, wanted.body, state=state))


def standing_audit(repository: Repository, login: str) -> Issue | None:
    """Return the newest issue of ours with the mark of an audit, open or closed."""
    there = listed(repository.get_issues(creator=login, state="all"), *_NEEDED)  # type: ignore[arg-type]
    issues = (issue for issue in there if issue.pull_request is None)
    return next((issue for issue in issues if has_mark(issue.body, AUDIT)), None)


@contextmanager
def _audit_lock(publish_context: PublishContext) -> Generator[None]:
    """Keep audits of other commits away; after an uncertain write, for as long as it takes."""
    context = publish_context.context
    with context.store.write() as unit:
        lease = unit.leases.take(f"issue:{publish_context.repository}", context.timeouts.lease)
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
