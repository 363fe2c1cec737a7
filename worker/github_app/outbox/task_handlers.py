"""Registry of the handlers of outbox tasks."""

from __future__ import annotations

import logging
from collections.abc import Callable, Mapping
from datetime import timedelta
from itertools import islice

from worker.github_app.client import hooks, repositories
from worker.github_app.client.errors import NotFoundError, RefusedError
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
    found = repositories.get(api, known.full_name)
    if found.archived or not found.default_branch:
        return
    head = repositories.branch_head(api, found.full_name, found.default_branch)
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
PAUSE_SECONDS = 1.0

_log = logging.getLogger(__name__)


def redeliver(task: OutboxTaskRecord, context: TaskContext) -> None:
    """Ask GitHub for the deliveries that never reached us: of hours, or ``deep`` of three days.

    At most ``MOST`` an errand, the oldest first; the rest is the next
    errand's.  Raises ``GithubError``.
    """
    since = KEPT if task.task.order.get("deep") else RECENT
    failed = hooks.undelivered(context.app.api, context.now() - since)
    with context.store.read() as unit:
        known = unit.deliveries.known([str(delivery.guid) for delivery in failed])
    missing = (delivery for delivery in failed if delivery.guid not in known)
    for delivery in islice(missing, MOST):
        _ask(context, delivery)


def _ask(context: TaskContext, delivery: hooks.HookDelivery) -> None:
    try:
        hooks.redeliver(context.app.api, delivery)
    except (NotFoundError, RefusedError) as error:
        _log.warning("delivery %s cannot be had again: %s", delivery.guid, error.message)
    else:
        _log.info("delivery %s is asked for again", delivery.guid)
    context.sleep(PAUSE_SECONDS)


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
