"""Check runs, suites and merge groups: what asks for a check without a push."""

from __future__ import annotations

from worker.github_app.events.event_payloads import (
    CheckRunEvent,
    CheckSuiteEvent,
    EventAccount,
    MalformedError,
    MergeGroupEvent,
    read,
)
from worker.github_app.events.installation_events import record_repository
from worker.github_app.events.pull_request_events import automatic_key, ensure_checked
from worker.store.outbox_tasks import head_ordering_key, pull_ordering_key
from worker.store.records import (
    Delivery,
    Job,
    OutboxTask,
    OutboxTaskKind,
    RepositoryRecord,
    RunRecord,
)
from worker.store.store import UnitOfWork

_BRANCHES = "refs/heads/"


def handle_check_run(delivery: Delivery, unit: UnitOfWork) -> None:
    """Check a head again, or press a button; a check run that is not ours changes nothing."""
    if delivery.action not in {"rerequested", "requested_action"}:
        return
    event = read(CheckRunEvent, delivery.body)
    run = _shown(unit, event)
    if run is None:
        return
    where = record_repository(unit, event.repository, event.installation)
    if delivery.action == "rerequested":
        _rerun(unit, where, event.check_run.head_sha, event.sender)
    else:
        _press(unit, where, event, run, delivery.id)


def handle_check_suite(delivery: Delivery, unit: UnitOfWork) -> None:
    """Make sure that the head of a suite is checked, or check it again."""
    if delivery.action not in {"requested", "rerequested"}:
        return
    event = read(CheckSuiteEvent, delivery.body)
    where = record_repository(unit, event.repository, event.installation)
    head = event.check_suite.head_sha
    if delivery.action == "rerequested":
        _rerun(unit, where, head, event.sender)
        return
    for pull in unit.pulls.with_head(where.id, head):
        ensure_checked(unit, pull, where, f"checks of pull request {pull.number} requested")


def handle_merge_group(delivery: Delivery, unit: UnitOfWork) -> None:
    """Check what a merge queue is about to merge, on its own commit."""
    if delivery.action not in {"checks_requested", "destroyed"}:
        return
    event = read(MergeGroupEvent, delivery.body)
    where = record_repository(unit, event.repository, event.installation)
    group = event.merge_group
    if delivery.action == "checks_requested":
        base_ref = group.base_ref.removeprefix(_BRANCHES)
        unit.runs.ask(
            Job(
                repository=where.full_name,
                base=group.base_sha,
                head=group.head_sha,
                reason=f"merge queue of {base_ref}",
                private=where.private,
                fork=False,
                repository_id=where.id,
                installation=where.installation or None,
                key=automatic_key(where.id, group.head_sha, base_ref),
            )
        )
        return
    for run in unit.runs.of_head(where.id, group.head_sha):
        if run.job.pull is None and not run.state.over:
            unit.runs.cancel(run.id, "the merge group was taken apart")


def _rerun(unit: UnitOfWork, where: RepositoryRecord, head: str, sender: EventAccount) -> None:
    """Ask for another check of a head.

    The button of a suite sends two events; both find as many checks that
    are over, which makes them one errand.  Another's press is one of its
    own: it may be allowed where the first was not.
    """
    if not where.installation:
        return
    over = sum(run.state.over for run in unit.runs.of_head(where.id, head))
    unit.outbox_tasks.add(
        OutboxTask(
            OutboxTaskKind.RERUN,
            where.installation,
            _ordering_key(unit, where.id, head),
            f"rerun:{where.id}:{head}:{over}:{sender.login}",
            order={
                "repository_id": where.id,
                "head": head,
                "sender": sender.login,
                "sender_id": sender.id,
            },
        )
    )


def _shown(unit: UnitOfWork, event: CheckRunEvent) -> RunRecord | None:
    """Return the run that a check run shows; ``None`` for one that we did not make.

    Everybody can read the ``external_id`` of ours, so that it alone proves nothing.
    """
    run = unit.runs.by_check_run(event.check_run.id)
    if run is None or run.job.repository_id != event.repository.id:
        return None
    return run if run.id == event.check_run.external_id else None


def _press(
    unit: UnitOfWork, where: RepositoryRecord, event: CheckRunEvent, run: RunRecord, delivery: str
) -> None:
    if event.requested_action is None:
        raise MalformedError("requested_action: Field required")
    if not where.installation:
        return
    ordering_key = (
        pull_ordering_key(where.id, run.job.pull)
        if run.job.pull is not None
        else _ordering_key(unit, where.id, event.check_run.head_sha)
    )
    unit.outbox_tasks.add(
        OutboxTask(
            OutboxTaskKind.BUTTON,
            where.installation,
            ordering_key,
            f"button:{delivery}",
            run=run.id,
            order={
                "repository_id": where.id,
                "check_run": event.check_run.id,
                "identifier": event.requested_action.identifier,
                "sender": event.sender.login,
                "sender_id": event.sender.id,
                "delivery": delivery,
            },
        )
    )


def _ordering_key(unit: UnitOfWork, repository: int, head: str) -> str:
    """The lane of a head: its pull request's, where there is just one."""
    pulls = unit.pulls.with_head(repository, head)
    opened = [pull for pull in pulls if pull.open] or list(pulls)
    return (
        pull_ordering_key(repository, opened[0].number)
        if opened
        else head_ordering_key(repository, head)
    )
