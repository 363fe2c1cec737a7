"""Where at GitHub a run is answered, and as whom."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

from worker.github import repositories
from worker.github.app import App
from worker.publishing.desk import Desk
from worker.store import RunRecord

CHECK_PERMISSIONS = {"checks": "write", "pull_requests": "read"}
CONTENT_PERMISSIONS = {"contents": "read"}
PULL_PERMISSIONS = {"checks": "write", "pull_requests": "write"}
THREAD_PERMISSIONS = {"pull_requests": "write", "contents": "write"}
"""GitHub lets an App resolve threads only where it may also write contents."""
ISSUE_PERMISSIONS = {"issues": "write"}


@dataclass(frozen=True, slots=True)
class Place:
    """A commit of a repository, and the pull request it is the head of, if any.

    ``repository`` and ``installation`` are GitHub's ids, ``name`` is
    ``owner/name`` as it is called today.
    """

    repository: int
    name: str
    private: bool
    installation: int
    head: str
    pull: int | None


def place_of(run: RunRecord, desk: Desk) -> Place | None:
    """Return where a run is answered; ``None`` for one that nobody at GitHub asked for."""
    job = run.job
    if job.installation is None or job.repository_id is None or job.head is None:
        return None
    with desk.store.look() as books:
        known = books.installations.repository(job.repository_id)
    return Place(
        repository=job.repository_id,
        name=job.repository if known is None else known.full_name,
        private=job.private if known is None else known.private,
        installation=job.installation if known is None else known.installation,
        head=job.head,
        pull=job.pull,
    )


def bot_login(desk: Desk) -> str:
    """Return the name that the App's comments bear; GitHub is asked once, if at all."""
    slug = desk.settings.github.slug
    return _registered(desk.app) if slug is None else f"{slug}[bot]"


def app_number(desk: Desk) -> int | None:
    """Return the App's id, where it was not set up with a client id instead."""
    number = str(desk.settings.github.app_id)
    return int(number) if number.isascii() and number.isdecimal() else None


@lru_cache(maxsize=4)
def _registered(app: App) -> str:
    return repositories.registration(app.api).login
