"""Registry of the handlers of outbox tasks."""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterator, Mapping
from datetime import datetime, timedelta
from itertools import islice

from github.HookDelivery import HookDeliverySummary
from github.PaginatedList import PaginatedList

from worker.github_app.client.api import Api
from worker.github_app.client.errors import NotFoundError, RefusedError
from worker.github_app.client.objects import completed, listed
from worker.github_app.commands import command_handlers
from worker.github_app.context import TaskContext
from worker.github_app.outbox.clone_preparation import prepare
from worker.github_app.publishing.check_runs import announce, progress
from worker.github_app.publishing.publish_run import give_up_publication, publish
from worker.store.records import Job, OutboxTaskKind, OutboxTaskRecord, RunOptions

REASON = "nightly audit"


def audit(task: OutboxTaskRecord, context: TaskContext) -> None:
    """Ask for a run over everything at the head of the default branch.

    The order names ``repository_id`` and ``date``; of one date there is one
    run.  Its answer is an issue.  Raises ``GithubError``.
    """
    number, date = int(task.task.order["repository_id"]), str(task.task.order["date"])
    with context.store.read() as unit:
        known = unit.installations.repository(number)
    if known is None:
        return
    api = context.api(known.installation, known.id, metadata="read", contents="read")
    # asked for by an old name, it answers with its new one
    asked = api.repository(known.full_name)
    found = completed(asked, "id", "full_name", "private", "archived")
    if found.archived or not found.default_branch:
        return
    branch = api.repository(found.full_name).get_git_ref(f"heads/{found.default_branch}")
    head = completed(branch, "object.sha").object.sha
    job = Job(
        repository=found.full_name,
        base=None,
        head=head,
        reason=REASON,
        private=found.private,
        fork=False,
        repository_id=known.id,
        installation=known.installation,
        options=RunOptions(everything=True),
        key=f"audit:{known.id}:{date}",
    )
    with context.store.write() as unit:
        unit.runs.ask(job)


KEPT = timedelta(days=3)
RECENT = timedelta(hours=2)
MOST = 200
MOST_DELIVERIES = 50_000
PAUSE_SECONDS = 1.0

_log = logging.getLogger(__name__)


def redeliver(task: OutboxTaskRecord, context: TaskContext) -> None:
    """Ask GitHub for the deliveries that never reached us: of hours, or ``deep`` of three days.

    At most ``MOST`` an errand, the oldest first; the rest is the next
    errand's.  Raises ``GithubError``.
    """
    since = KEPT if task.task.order.get("deep") else RECENT
    failed = undelivered(context.app.api, context.now() - since)
    with context.store.read() as unit:
        known = unit.deliveries.known([str(delivery.guid) for delivery in failed])
    missing = (delivery for delivery in failed if delivery.guid not in known)
    for delivery in islice(missing, MOST):
        _ask(context, delivery)


def deliveries(api: Api, since: datetime) -> Iterator[HookDeliverySummary]:
    """Yield the tries since a moment, the newest first; ``api`` is ``App.api``.

    ``guid`` is an event's ``X-GitHub-Delivery``, the same for every try;
    ``id`` is the try's own.  PyGithub lists a repository's alone.
    """
    pages = PaginatedList(HookDeliverySummary, api, "/app/hook/deliveries")
    needed = ("id", "guid", "delivered_at", "status_code")
    for delivery in listed(pages, *needed, most=MOST_DELIVERIES):
        if delivery.delivered_at is None or delivery.delivered_at < since:
            return
        yield delivery


def undelivered(api: Api, since: datetime) -> list[HookDeliverySummary]:
    """Return the newest try of each event since a moment that never reached us.

    The oldest is the first.
    """
    newest: dict[str | None, HookDeliverySummary] = {}
    reached: set[str | None] = set()
    for delivery in deliveries(api, since):
        newest.setdefault(delivery.guid, delivery)
        if delivery.status_code is not None and 200 <= delivery.status_code < 300:
            reached.add(delivery.guid)
    missing = [delivery for guid, delivery in newest.items() if guid not in reached]
    return missing[::-1]


def _ask(context: TaskContext, delivery: HookDeliverySummary) -> None:
    try:
        context.app.api.send("POST", f"/app/hook/deliveries/{delivery.id}/attempts")
    except (NotFoundError, RefusedError) as error:
        _log.warning("delivery %s cannot be had again: %s", delivery.guid, error.message)
    else:
        _log.info("delivery %s is asked for again", delivery.guid)
    context.wait(PAUSE_SECONDS)


Handler = Callable[[OutboxTaskRecord, TaskContext], None]
GiveUpHandler = Callable[[OutboxTaskRecord, TaskContext, str], None]


def _never_prepared(task: OutboxTaskRecord, context: TaskContext, incident: str) -> None:
    """Fail a run whose code cannot be had, so that its check run is finished."""
    if task.task.run is not None:
        with context.store.write() as unit:
            said = f"its code could not be fetched (incident {incident})"
            unit.runs.stop(task.task.run, said)


HANDLERS: Mapping[OutboxTaskKind, Handler] = {
    OutboxTaskKind.ANNOUNCE: announce,
    OutboxTaskKind.PREPARE: prepare,
    OutboxTaskKind.COMMAND: command_handlers.run_comment_commands,
    OutboxTaskKind.BUTTON: command_handlers.press_button,
    OutboxTaskKind.RERUN: command_handlers.check_again,
    OutboxTaskKind.PUBLISH: publish,
    OutboxTaskKind.PROGRESS: progress,
    OutboxTaskKind.AUDIT: audit,
    OutboxTaskKind.REDELIVER: redeliver,
}

GIVE_UP_HANDLERS: Mapping[OutboxTaskKind, GiveUpHandler] = {
    OutboxTaskKind.PREPARE: _never_prepared,
    OutboxTaskKind.COMMAND: command_handlers.give_up_command,
    OutboxTaskKind.BUTTON: command_handlers.give_up_button,
    OutboxTaskKind.PUBLISH: give_up_publication,
}
"""What is said, with an incident's id, when an errand of a kind is given up."""
