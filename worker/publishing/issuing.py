"""The one issue in which a repository's audits are told."""

from __future__ import annotations

from collections.abc import Generator
from contextlib import contextmanager
from datetime import timedelta

from worker.composition.auditing import AuditIssue
from worker.composition.marks import AUDIT, has_mark
from worker.github import issues
from worker.github.api import Api
from worker.github.errors import GoneError, NotFoundError, UncertainError
from worker.publishing.desk import Desk, NotNowError, Patience
from worker.publishing.place import ISSUE_PERMISSIONS, Place, bot_login
from worker.store import WritingState


def report_audit(wanted: AuditIssue, place: Place, desk: Desk) -> None:
    """Let the issue say what the last audit found; it is opened only for a finding.

    Does nothing where issues are switched off.  Raises ``NotNowError`` while
    another audit of the repository is being told.
    """
    with _alone(place, desk):
        try:
            there = _standing(place, desk)
            if there is not None:
                _edit(wanted, there, place, desk)
            elif wanted.open:
                _create(wanted, place, desk)
        except GoneError:
            return


@contextmanager
def _alone(place: Place, desk: Desk) -> Generator[None]:
    """Keep audits of other commits away; after an uncertain write, for as long as it takes."""
    with desk.store.begin() as books:
        lease = books.leases.take(f"issue:{place.repository}", Patience.of(desk.settings).lease)
    if lease is None:
        raise NotNowError(desk.now() + timedelta(seconds=30), "another audit is being told")
    settled = True
    try:
        yield
    except UncertainError:
        settled = False
        raise
    finally:
        if settled:
            with desk.store.begin() as books:
                books.leases.free(lease)


def _standing(place: Place, desk: Desk) -> issues.Issue | None:
    with desk.store.look() as books:
        writing = books.writings.get(_key(place))
    if writing is None or writing.state is not WritingState.DONE or writing.made is None:
        return _found(place, desk)
    try:
        return issues.get(_api(place, desk), place.name, int(writing.made))
    except (NotFoundError, GoneError):
        with desk.store.begin() as books:
            books.writings.forget(_key(place))
        return None


def _found(place: Place, desk: Desk) -> issues.Issue | None:
    there = issues.of_author(_api(place, desk), place.name, bot_login(desk))
    return next((issue for issue in there if has_mark(issue.body, AUDIT)), None)


def _edit(wanted: AuditIssue, there: issues.Issue, place: Place, desk: Desk) -> None:
    state = "open" if wanted.open else "closed"
    if (there.title, there.body, there.state) != (wanted.title, wanted.body, state):
        change = {"title": wanted.title, "body": wanted.body, "state": state}
        api = _api(place, desk)
        pen = desk.pen(place.installation)
        pen.edit(lambda: issues.edit(api, place.name, there.number, change))


def _create(wanted: AuditIssue, place: Place, desk: Desk) -> None:
    api = _api(place, desk)

    def send() -> str:
        return str(issues.create(api, place.name, wanted.title, wanted.body).number)

    def look() -> str | None:
        found = _found(place, desk)
        return None if found is None else str(found.number)

    desk.pen(place.installation).create(_key(place), send, look)


def _key(place: Place) -> str:
    return f"audit:{place.repository}"


def _api(place: Place, desk: Desk) -> Api:
    return desk.api(place.installation, place.repository, **ISSUE_PERMISSIONS)
