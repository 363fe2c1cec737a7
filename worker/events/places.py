"""The repository that an event happened in."""

from __future__ import annotations

from worker.events.payloads import InstallationId, RepositoryPart
from worker.store.books import Books
from worker.store.records import Repository


def see_repository(
    books: Books, told: RepositoryPart, installation: InstallationId | None
) -> Repository:
    """Keep what an event says of its repository, unless newer things are known.

    Returns what is known then.  A repository that no installation sees is
    not kept; its ``installation`` is 0.
    """
    known = books.installations.repository(told.id)
    if known is not None and (installation is None or _is_older(told, known)):
        return known
    seen = Repository(
        id=told.id,
        full_name=told.full_name,
        private=told.private,
        installation=0 if installation is None else installation.id,
        default_branch=told.default_branch,
        updated_at=told.updated_at,
    )
    if installation is not None:
        _keep(books, seen, known)
    return seen


def _keep(books: Books, seen: Repository, known: Repository | None) -> None:
    if known is not None and known.full_name != seen.full_name:
        books.installations.rename(seen.id, seen.full_name)
    if known is not None and known.installation != seen.installation:
        books.installations.move(seen.id, seen.installation)
    books.installations.see_repository(seen)


def _is_older(told: RepositoryPart, known: Repository) -> bool:
    """Whether an event tells of a time before what is known."""
    if told.updated_at is None:
        return True
    return known.updated_at is not None and told.updated_at < known.updated_at
