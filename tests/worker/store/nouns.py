"""Nouns that tests of the store keep."""

from datetime import UTC, datetime

from worker.store import (
    Attempt,
    Delivery,
    Errand,
    ErrandKind,
    Installation,
    Job,
    Pull,
    Repository,
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


def errand(key="e-1", kind=ErrandKind.COMMAND, lane="pull:7:12", installation=3, **more):
    return Errand(kind, installation, lane, key, **more)


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
    return Pull(repository=repository, number=number, head=head, **fields)


def installation(number=3, **changes):
    return Installation(number, "octo", **changes)


def repository(number=7, name="octo/app", owner=3, **changes):
    return Repository(number, name, private=False, installation=owner, **changes)


def started(books, run_id, lease=60, limit=3):
    attempt = books.runs.start(run_id, lease=lease, limit=limit)
    assert isinstance(attempt, Attempt), attempt
    return attempt


def errands_of(books, *kinds):
    """The errands that wait, by lane and kind; all lanes are walked."""
    found = []
    for lane in books.errands.lanes(1000):
        lease = books.leases.take(lane, 60)
        while record := books.errands.next(lane):
            books.errands.done(record.id)
            found.append(record)
        books.leases.free(lease)
    return [record for record in found if not kinds or record.errand.kind in kinds]
