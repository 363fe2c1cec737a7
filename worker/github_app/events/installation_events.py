"""Events about installations of the App and names of repositories."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime

from worker.github_app.events.event_payloads import (
    InstallationEvent,
    InstallationId,
    InstallationPart,
    InstallationRepositoriesEvent,
    ListedRepository,
    RepositoryEvent,
    RepositoryPart,
    read,
)
from worker.store.records import Delivery, InstallationRecord, RepositoryRecord
from worker.store.store import UnitOfWork


def record_repository(
    unit: UnitOfWork, told: RepositoryPart, installation: InstallationId | None
) -> RepositoryRecord:
    """Keep what an event says of its repository, unless newer things are known.

    Returns what is known then.  A repository that no installation sees is
    not kept; its ``installation`` is 0.
    """
    known = unit.installations.repository(told.id)
    if known is not None and (installation is None or _is_older(told, known)):
        return known
    seen = RepositoryRecord(
        id=told.id,
        full_name=told.full_name,
        private=told.private,
        installation=0 if installation is None else installation.id,
        default_branch=told.default_branch,
        updated_at=told.updated_at,
    )
    if installation is not None:
        unit.installations.see_repository(seen)
    return seen


def _is_older(told: RepositoryPart, known: RepositoryRecord) -> bool:
    if told.updated_at is None:
        return True
    return known.updated_at is not None and told.updated_at < known.updated_at


_INSTALLATION_ACTIONS = frozenset({"created", "suspend", "unsuspend", "new_permissions_accepted"})
_REPOSITORY_ACTIONS = frozenset({"renamed", "transferred", "privatized", "publicized", "edited"})


def handle_installation(delivery: Delivery, unit: UnitOfWork) -> None:
    """Keep, suspend or forget an installation."""
    if delivery.action not in {*_INSTALLATION_ACTIONS, "deleted"}:
        return
    event = read(InstallationEvent, delivery.body)
    if delivery.action == "deleted":
        unit.installations.remove(event.installation.id)
        return
    _see(unit, event.installation)
    if delivery.action == "created":
        _add(unit, event.installation.id, event.repositories)


def handle_installation_repositories(delivery: Delivery, unit: UnitOfWork) -> None:
    """Keep and forget repositories of an installation."""
    if delivery.action not in {"added", "removed"}:
        return
    event = read(InstallationRepositoriesEvent, delivery.body)
    _see(unit, event.installation)
    _add(unit, event.installation.id, event.repositories_added)
    for told in event.repositories_removed:
        known = unit.installations.repository(told.id)
        if known is not None and known.installation == event.installation.id:
            unit.installations.remove_repository(told.id)


def handle_repository(delivery: Delivery, unit: UnitOfWork) -> None:
    """Follow a repository's name, owner and privacy; forget one that is gone."""
    if delivery.action == "deleted":
        unit.installations.remove_repository(read(RepositoryEvent, delivery.body).repository.id)
    elif delivery.action in _REPOSITORY_ACTIONS:
        event = read(RepositoryEvent, delivery.body)
        record_repository(unit, event.repository, event.installation)


def _see(unit: UnitOfWork, told: InstallationPart) -> None:
    """Keep what is told of an installation, unless newer things are known."""
    known = unit.installations.get(told.id)
    if known is not None and _is_older_installation(told.updated_at, known.updated_at):
        return
    unit.installations.see(
        InstallationRecord(
            id=told.id,
            account=told.account.login,
            suspended=told.suspended_at is not None,
            updated_at=told.updated_at,
        )
    )


def _is_older_installation(told: datetime | None, known: datetime | None) -> bool:
    return known is not None and (told is None or told < known)


def _add(unit: UnitOfWork, installation: int, listed: Iterable[ListedRepository]) -> None:
    """Keep repositories; of one that is known, its own events tell more."""
    for told in listed:
        known = unit.installations.repository(told.id)
        if known is None or known.installation < installation:
            unit.installations.see_repository(
                RepositoryRecord(told.id, told.full_name, told.private, installation)
            )
