"""What a kept delivery asks of us, written down in one transaction."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from worker.events.checks import hear_check_run, hear_check_suite, hear_merge_group
from worker.events.comments import hear_issue_comment, hear_review_comment
from worker.events.installations import (
    hear_installation,
    hear_installation_repositories,
    hear_repository,
)
from worker.events.pulls import hear_pull_request
from worker.store.books import Books
from worker.store.records import Delivery

_EARS: Mapping[str, Callable[[Delivery, Books], None]] = {
    "check_run": hear_check_run,
    "check_suite": hear_check_suite,
    "installation": hear_installation,
    "installation_repositories": hear_installation_repositories,
    "issue_comment": hear_issue_comment,
    "merge_group": hear_merge_group,
    "pull_request": hear_pull_request,
    "pull_request_review_comment": hear_review_comment,
    "repository": hear_repository,
}


def hear(delivery: Delivery, books: Books) -> None:
    """Write down what a delivery changes: pulls, runs, errands, installations.

    Deliveries may come in any order and more than once: older news than
    what is known changes nothing, and everything that is asked for has a
    key.  Events and actions that ask nothing of us change nothing.  Raises
    ``MalformedError`` for a payload that will never be understood, and
    ``sqlalchemy.exc.SQLAlchemyError``.
    """
    ear = _EARS.get(delivery.event)
    if ear is not None:
        ear(delivery, books)
