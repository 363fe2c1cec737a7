"""The one summary comment of a pull request: edited in place, and none where all is well."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

from github.Issue import Issue
from github.IssueComment import IssueComment

from analyzers.vocabulary import Level, Status
from worker.github_app import messages
from worker.github_app.client.objects import completed, issue_comments, made
from worker.github_app.command_grammar import SLASH_COMMANDS, usage
from worker.github_app.context import PULL_PERMISSIONS, PublishContext, bot_login
from worker.github_app.publishing.check_runs import cut, finding_section, location_code
from worker.github_app.publishing.comment_marks import SUMMARY, has_mark, marked, same_text
from worker.report import markdown_escape, report_messages
from worker.report.markdown_report import COMMENT_LIMIT, ReportLinks, size, summary
from worker.report.stored_report import StoredFinding, StoredReport
from worker.store.records import IgnoreRecord

MAX_REST_BYTES = 40_000
MAX_LISTED = 20


def is_worth_a_comment(report: StoredReport) -> bool:
    """Return whether there is something that a reader of the pull request should be told."""
    return any(f.status is Status.NEW and f.level is not Level.NOTICE for f in report.findings)


def sticky(
    report: StoredReport,
    addresses: ReportLinks,
    sections: Sequence[str],
    rest: Sequence[StoredFinding] = (),
) -> str:
    """Return the summary comment; ``rest`` are told in full, since they stand nowhere else.

    How it was tested is left to the check run and the page.
    """
    nothing = [] if is_worth_a_comment(report) else [messages.NOTHING_TO_DO]
    told = [*nothing, *sections, help_section()]
    if rest:
        told.append(rest_section(report, rest, addresses))
    room = COMMENT_LIMIT - size(marked("", SUMMARY)) - 1
    how = replace(report, environment=())
    return marked(summary(how, addresses.page, told, room), SUMMARY)


def sections_of(fixed: Sequence[StoredFinding], unneeded: Sequence[IgnoreRecord]) -> list[str]:
    """Return what a summary says beside findings: what is gone, and what is silenced in vain."""
    gone = [
        f"- {markdown_escape.prose(report_messages.clipped(f.title, 200))}"
        f" ({location_code(f, 200)})"
        for f in fixed
    ]
    needless = [
        f"- {markdown_escape.code(ignore.fingerprint)}"
        f" ({markdown_escape.plain(report_messages.clipped(ignore.reason, 200))}):"
        f" {markdown_escape.code(f'/assayer unignore {ignore.fingerprint}')}"
        for ignore in unneeded
    ]
    listed = ((messages.FIXED, gone), (messages.UNNEEDED, needless))
    return [_listed(title, lines) for title, lines in listed if lines]


def help_section() -> str:
    """Return the slash-commands, folded away."""
    lines = [
        f"- {markdown_escape.code(usage(verb))}: {each.purpose}"
        for verb, each in SLASH_COMMANDS.items()
    ]
    return _folded("Commands", "\n".join(lines))


def rest_section(
    report: StoredReport, rest: Sequence[StoredFinding], addresses: ReportLinks
) -> str:
    """Return findings in full, folded away, as many as fit."""
    limit = MAX_REST_BYTES // 3
    parts = [finding_section(finding, report, addresses, limit) for finding in rest]
    title = report_messages.counted(len(rest), "finding") + " in full"
    return _folded(title, cut(parts, MAX_REST_BYTES, addresses.page))


def _folded(title: str, text: str) -> str:
    return f"<details><summary>{title}</summary>\n\n{text.rstrip()}\n\n</details>"


def _listed(title: str, lines: Sequence[str]) -> str:
    more = [f"- and {len(lines) - MAX_LISTED} more"] if len(lines) > MAX_LISTED else []
    return "\n".join([title, "", *lines[:MAX_LISTED], *more])


def standing_summary(publish_context: PublishContext) -> IssueComment | None:
    """Return the summary comment as it is; one that somebody deleted is forgotten."""
    return publish_context.existing(
        _key(publish_context),
        lambda comment: completed(_issue(publish_context).get_comment(comment), "id", "body"),
        lambda: _found(publish_context),
    )


def update_summary(
    publish_context: PublishContext,
    body: str,
    there: IssueComment | None,
    check: Callable[[], None],
) -> None:
    """Let the comment say ``body``, unless it does; ``check`` is called right before a write."""
    issue, writer = _issue(publish_context), publish_context.writer

    def look() -> str | None:
        found = _found(publish_context)
        return None if found is None else str(found.id)

    if there is None:
        check()
        key = _key(publish_context)
        writer.create(key, lambda: str(made(issue.create_comment(body)).id), look)
    elif not same_text(there.body, body):
        check()
        comment = issue.get_comment(there.id)
        writer.edit(lambda: comment.edit(body))


def _key(publish_context: PublishContext) -> str:
    return f"summary:{publish_context.repository}:{publish_context.run.job.pull}"


def _issue(publish_context: PublishContext) -> Issue:
    """Return the pull request as the issue that its conversation belongs to."""
    assert publish_context.run.job.pull is not None
    repository = publish_context.api(PULL_PERMISSIONS).repository(publish_context.name)
    return repository.get_issue(publish_context.run.job.pull)


def _found(publish_context: PublishContext) -> IssueComment | None:
    ours = bot_login(publish_context.context)
    there = issue_comments(_issue(publish_context))
    mine = (c for c in there if c.user and c.user.login == ours and has_mark(c.body, SUMMARY))
    return next(mine, None)
