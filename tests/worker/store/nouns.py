"""Nouns that tests of the store keep."""

from datetime import UTC, datetime

from worker.store.records import (
    Attempt,
    Delivery,
    InstallationRecord,
    Job,
    OutboxTask,
    OutboxTaskKind,
    PullRecord,
    RepositoryRecord,
)

HEAD, NEXT = "a" * 40, "b" * 40

JOB = Job("octo/app", "0" * 40, HEAD, "asked", private=False)
"""A job that nobody at GitHub waits for."""

PULL_JOB = Job(
    "octo/app",
    "0" * 40,
    HEAD,
    "pull_request opened",
    repository_id=7,
    installation=3,
    pull=12,
    key="7:12:a",
)


def delivery(name="d-1", body=b'{"a": 1}', installation=3):
    return Delivery(name, "pull_request", "opened", "0" * 64, installation, body)


def task(key="e-1", kind=OutboxTaskKind.COMMAND, ordering_key="pull:7:12", installation=3, **more):
    return OutboxTask(kind, installation, ordering_key, key, **more)


def pull(number=12, head=HEAD, minute=0, repository=7, **changes):
    fields = {
        "base_ref": "main",
        "base": "0" * 40,
        "head_ref": "topic",
        "head_repository": 8,
        "head_name": "fork/app",
        "author": "octocat",
        "draft": False,
        "open": True,
        "maintainers_edit": True,
        "updated_at": datetime(2026, 11, 22, 10, minute, tzinfo=UTC),
        **changes,
    }
    return PullRecord(repository=repository, number=number, head=head, **fields)


def installation(number=3, **changes):
    return InstallationRecord(number, "octo", **changes)


def repository(number=7, name="octo/app", owner=3, **changes):
    return RepositoryRecord(number, name, private=False, installation=owner, **changes)


def started(unit, run_id, lease=60, limit=3):
    attempt = unit.runs.start(run_id, lease=lease, limit=limit)
    assert isinstance(attempt, Attempt), attempt
    return attempt


def errands_of(unit, *kinds):
    """The errands that wait, by lane and kind; all lanes are walked."""
    found = []
    for ordering_key in unit.outbox_tasks.ordering_keys(1000):
        lease = unit.leases.take(ordering_key, 60)
        while record := unit.outbox_tasks.next(ordering_key):
            unit.outbox_tasks.done(record.id)
            found.append(record)
        unit.leases.free(lease)
    return [record for record in found if not kinds or record.task.kind in kinds]
