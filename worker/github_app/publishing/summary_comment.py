"""The one summary comment of a pull request: edited in place, and none where all is well."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from analyzers.vocabulary import Level, Status
from worker.github_app.client import comments
from worker.github_app.client.api import Api
from worker.github_app.client.errors import GoneError, NotFoundError
from worker.github_app.command_grammar import SLASH_COMMANDS, usage
from worker.github_app.context import PULL_PERMISSIONS, PublishDestination, TaskContext, bot_login
from worker.github_app.publishing.check_runs import cut
from worker.github_app.publishing.comment_marks import SUMMARY, has_mark, marked
from worker.github_app.publishing.inline_comments import offer_to_read, suggestion_to_read
from worker.report import markdown_escape, report_messages
from worker.report.markdown_report import COMMENT_LIMIT, ReportLinks, finding_text, size, summary
from worker.report.stored_report import StoredFinding, StoredReport
from worker.store.records import IdempotencyState, IgnoreRecord

MAX_REST_BYTES = 40_000
MAX_LISTED = 20
NOTHING_TO_DO = "Nothing is left to do here."


def is_worth_a_comment(report: StoredReport) -> bool:
    """Whether there is something that a reader of the pull request should be told."""
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
    nothing = [] if is_worth_a_comment(report) else [NOTHING_TO_DO]
    told = [*nothing, *sections, help_section()]
    if rest:
        told.append(rest_section(report, rest, addresses))
    room = COMMENT_LIMIT - size(marked("", SUMMARY)) - 1
    how = replace(report, environment=())
    return marked(summary(how, addresses.page, told, room), SUMMARY)


def sections_of(fixed: Sequence[StoredFinding], unneeded: Sequence[IgnoreRecord]) -> list[str]:
    """Return what a summary says beside findings: what is gone, and what is silenced in vain."""
    return [*([_fixed(fixed)] if fixed else []), *([_unneeded(unneeded)] if unneeded else [])]


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
    parts = [_part(finding, report, addresses) for finding in rest]
    title = report_messages.counted(len(rest), "finding") + " in full"
    return _folded(title, cut(parts, MAX_REST_BYTES, addresses.page))


def _part(finding: StoredFinding, report: StoredReport, addresses: ReportLinks) -> str:
    place = markdown_escape.code(
        report_messages.clipped(report_messages.location_text(finding), 300)
    )
    change = suggestion_to_read(finding) or offer_to_read(finding)
    told = finding_text(finding, report, addresses, change, MAX_REST_BYTES // 3)
    return f"{place}\n\n{told}"


def _folded(title: str, text: str) -> str:
    return f"<details><summary>{title}</summary>\n\n{text.rstrip()}\n\n</details>"


def _fixed(findings: Sequence[StoredFinding]) -> str:
    lines = [
        f"- {markdown_escape.prose(report_messages.clipped(f.title, 200))}"
        f" ({markdown_escape.code(report_messages.clipped(report_messages.location_text(f), 200))})"
        for f in findings
    ]
    return _listed("Fixed since the last push:", lines)


def _unneeded(ignores: Sequence[IgnoreRecord]) -> str:
    lines = [
        f"- {markdown_escape.code(ignore.fingerprint)}"
        f" ({markdown_escape.plain(report_messages.clipped(ignore.reason, 200))}):"
        f" {markdown_escape.code(f'/assayer unignore {ignore.fingerprint}')}"
        for ignore in ignores
    ]
    return _listed("No longer needed, since these findings did not come again:", lines)


def _listed(title: str, lines: Sequence[str]) -> str:
    more = [f"- and {len(lines) - MAX_LISTED} more"] if len(lines) > MAX_LISTED else []
    return "\n".join([title, "", *lines[:MAX_LISTED], *more])


@dataclass(frozen=True, slots=True)
class SummaryComment:
    """The summary comment of one pull request; ``check`` is called right before a write."""

    destination: PublishDestination
    pull: int
    context: TaskContext
    check: Callable[[], None]

    def standing(self) -> comments.Comment | None:
        """Return the comment as it is; one that somebody deleted is forgotten."""
        with self.context.store.read() as unit:
            idempotency_record = unit.idempotency.get(self._key)
        if (
            idempotency_record is None
            or idempotency_record.state is not IdempotencyState.DONE
            or idempotency_record.made is None
        ):
            return self._found()
        try:
            return comments.get(self._api, self.destination.name, int(idempotency_record.made))
        except (NotFoundError, GoneError):
            with self.context.store.write() as unit:
                unit.idempotency.forget(self._key)
            return None

    def say(self, body: str, there: comments.Comment | None) -> None:
        """Let the comment say ``body``, unless it does."""
        writer = self.context.writer(self.destination.installation)
        if there is None:
            self.check()
            writer.create(self._key, lambda: self._made(body), self._look)
        elif there.body.replace("\r\n", "\n").strip() != body.replace("\r\n", "\n").strip():
            self.check()
            writer.edit(lambda: comments.edit(self._api, self.destination.name, there.id, body))

    @property
    def _key(self) -> str:
        return f"summary:{self.destination.repository}:{self.pull}"

    @property
    def _api(self) -> Api:
        destination = self.destination
        return self.context.api(
            destination.installation, destination.repository, **PULL_PERMISSIONS
        )

    def _made(self, body: str) -> str:
        return str(comments.create(self._api, self.destination.name, self.pull, body).id)

    def _look(self) -> str | None:
        found = self._found()
        return None if found is None else str(found.id)

    def _found(self) -> comments.Comment | None:
        ours = bot_login(self.context)
        there = comments.of_issue(self._api, self.destination.name, self.pull)
        return next(
            (c for c in there if c.user and c.user.login == ours and has_mark(c.body, SUMMARY)),
            None,
        )
