"""Heads that no event told us of, or not in the order they came about."""

from __future__ import annotations

from worker.events.pulls import GHOST, ensure
from worker.github import pulls
from worker.publishing.desk import Desk
from worker.publishing.place import PULL_PERMISSIONS, Place
from worker.store.records import Pull


def notice_head(place: Place, desk: Desk) -> None:
    """Have the head that GitHub has now checked, where we took another one for it.

    Two pushes within one second whose events came in the wrong order cannot
    be told apart by their times.
    """
    if place.pull is None:
        return
    with desk.store.look() as books:
        known = books.pulls.get(place.repository, place.pull)
        where = books.installations.repository(place.repository)
    if known is None or where is None or known.head != place.head:
        return
    api = desk.api(place.installation, place.repository, **PULL_PERMISSIONS)
    pull = told(pulls.get(api, place.name, place.pull), place.repository)
    with desk.store.begin() as books:
        if books.pulls.see(pull):
            ensure(books, pull, where, f"head of pull request {pull.number} found at GitHub")


def told(pull: pulls.Pull, repository: int) -> Pull:
    """A pull request of the API as the store's noun."""
    source = pull.head.repo
    return Pull(
        repository=repository,
        number=pull.number,
        base_ref=pull.base.ref,
        base=pull.base.sha,
        head_ref=pull.head.ref,
        head=pull.head.sha,
        head_repository=None if source is None else source.id,
        head_name=None if source is None else source.full_name,
        author=GHOST if pull.user is None else pull.user.login,
        draft=pull.draft,
        open=pull.open,
        maintainers_edit=pull.maintainer_can_modify,
        updated_at=pull.updated_at,
    )
