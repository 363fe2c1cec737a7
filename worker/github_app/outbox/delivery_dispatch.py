"""Turning kept deliveries into what there is to do."""

from __future__ import annotations

import logging
import uuid
from collections.abc import Callable, Mapping

from worker.github_app.context import STORE_UNAVAILABLE, PublisherContext
from worker.github_app.events.check_events import (
    handle_check_run,
    handle_check_suite,
    handle_merge_group,
)
from worker.github_app.events.comment_events import handle_issue_comment, handle_review_comment
from worker.github_app.events.event_payloads import MalformedError
from worker.github_app.events.installation_events import (
    handle_installation,
    handle_installation_repositories,
    handle_repository,
)
from worker.github_app.events.pull_request_events import handle_pull_request
from worker.store.records import Delivery
from worker.store.store import UnitOfWork
from worker.system.logs import bound

_HANDLERS: Mapping[str, Callable[[Delivery, UnitOfWork], None]] = {
    "check_run": handle_check_run,
    "check_suite": handle_check_suite,
    "installation": handle_installation,
    "installation_repositories": handle_installation_repositories,
    "issue_comment": handle_issue_comment,
    "merge_group": handle_merge_group,
    "pull_request": handle_pull_request,
    "pull_request_review_comment": handle_review_comment,
    "repository": handle_repository,
}


def dispatch(delivery: Delivery, unit: UnitOfWork) -> None:
    """Write down what a delivery changes: pulls, runs, errands, installations.

    Deliveries may come in any order and more than once: older news than
    what is known changes nothing, and everything that is asked for has a
    key.  Events and actions that ask nothing of us change nothing.  Raises
    ``MalformedError`` for a payload that will never be understood, and
    ``sqlalchemy.exc.SQLAlchemyError``.
    """
    ear = _HANDLERS.get(delivery.event)
    if ear is not None:
        ear(delivery, unit)


_log = logging.getLogger(__name__)

AT_A_TIME = 50


def dispatch_waiting(publisher_context: PublisherContext) -> int:
    """Hear the deliveries that wait and return how many did; each by itself.

    Raises one of ``STORE_AWAY`` where the store is away.
    """
    with publisher_context.store.read() as unit:
        waiting = unit.deliveries.waiting(AT_A_TIME)
    for delivery in waiting:
        if publisher_context.stop.is_set():
            break
        with bound(delivery=delivery):
            _dispatch_one(delivery, publisher_context)
    return len(waiting)


def _dispatch_one(name: str, publisher_context: PublisherContext) -> None:
    try:
        with publisher_context.store.write() as unit:
            delivery = unit.deliveries.claim(name)
            if delivery is not None:
                dispatch(delivery, unit)
                unit.deliveries.heard(name)
    except STORE_UNAVAILABLE:
        raise
    except Exception as error:  # noqa: BLE001 - one delivery must not keep others waiting
        incident = uuid.uuid4().hex[:12]
        _log.exception("incident %s: a delivery is not understood", incident)
        limit = (
            1 if isinstance(error, MalformedError) else publisher_context.settings.github.attempts
        )
        with publisher_context.store.write() as unit:
            why = (
                f"malformed: {error}" if isinstance(error, MalformedError) else type(error).__name__
            )
            said = f"{why} (incident {incident})"
            unit.deliveries.failed(name, said, limit=limit)
