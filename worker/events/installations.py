"""Where the App is installed, and what repositories are called."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime

from worker.events.payloads import (
    InstallationEvent,
    InstallationPart,
    InstallationRepositoriesEvent,
    ListedRepository,
    RepositoryEvent,
    read,
)
from worker.events.places import see_repository
from worker.store.books import Books
from worker.store.records import Delivery, Installation, Repository

_TOLD = frozenset({"created", "suspend", "unsuspend", "new_permissions_accepted"})
_SEEN = frozenset({"renamed", "transferred", "privatized", "publicized", "edited"})


def hear_installation(delivery: Delivery, books: Books) -> None:
    """Keep, suspend or forget an installation."""
    if delivery.action not in {*_TOLD, "deleted"}:
        return
    event = read(InstallationEvent, delivery.body)
    if delivery.action == "deleted":
        books.installations.remove(event.installation.id)
        return
    _see(books, event.installation)
    if delivery.action == "created":
        _add(books, event.installation.id, event.repositories)


def hear_installation_repositories(delivery: Delivery, books: Books) -> None:
    """Keep and forget repositories of an installation."""
    if delivery.action not in {"added", "removed"}:
        return
    event = read(InstallationRepositoriesEvent, delivery.body)
    _see(books, event.installation)
    _add(books, event.installation.id, event.repositories_added)
    for told in event.repositories_removed:
        known = books.installations.repository(told.id)
        if known is not None and known.installation == event.installation.id:
            books.installations.remove_repository(told.id)


def hear_repository(delivery: Delivery, books: Books) -> None:
    """Follow a repository's name, owner and privacy; forget one that is gone."""
    if delivery.action == "deleted":
        books.installations.remove_repository(read(RepositoryEvent, delivery.body).repository.id)
    elif delivery.action in _SEEN:
        event = read(RepositoryEvent, delivery.body)
        see_repository(books, event.repository, event.installation)


def _see(books: Books, told: InstallationPart) -> None:
    """Keep what is told of an installation, unless newer things are known."""
    known = books.installations.get(told.id)
    if known is not None and _is_older(told.updated_at, known.updated_at):
        return
    books.installations.see(
        Installation(
            id=told.id,
            account=told.account.login,
            suspended=told.suspended_at is not None,
            updated_at=told.updated_at,
        )
    )


def _is_older(told: datetime | None, known: datetime | None) -> bool:
    return known is not None and (told is None or told < known)


def _add(books: Books, installation: int, listed: Iterable[ListedRepository]) -> None:
    """Keep repositories; of one that is known, its own events tell more."""
    for told in listed:
        known = books.installations.repository(told.id)
        if known is None or known.installation < installation:
            books.installations.see_repository(
                Repository(told.id, told.full_name, told.private, installation)
            )
