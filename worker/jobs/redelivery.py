"""REDELIVER: what GitHub could not deliver is asked for again."""

from __future__ import annotations

import logging
from datetime import timedelta
from itertools import islice

from worker.github import hooks
from worker.github.errors import NotFoundError, RefusedError
from worker.publishing.desk import Desk
from worker.store.records import ErrandRecord

KEPT = timedelta(days=3)
RECENT = timedelta(hours=2)
MOST = 200
PAUSE_SECONDS = 1.0

_log = logging.getLogger(__name__)


def redeliver(errand: ErrandRecord, desk: Desk) -> None:
    """Ask GitHub for the deliveries that never reached us: of hours, or ``deep`` of three days.

    At most ``MOST`` an errand, the oldest first; the rest is the next
    errand's.  Raises ``GithubError``.
    """
    since = KEPT if errand.errand.order.get("deep") else RECENT
    failed = hooks.undelivered(desk.app.api, desk.now() - since)
    with desk.store.look() as books:
        known = books.deliveries.known([delivery.guid for delivery in failed])
    missing = (delivery for delivery in failed if delivery.guid not in known)
    for delivery in islice(missing, MOST):
        _ask(desk, delivery)


def _ask(desk: Desk, delivery: hooks.HookDelivery) -> None:
    try:
        hooks.redeliver(desk.app.api, delivery.id)
    except (NotFoundError, RefusedError) as error:
        _log.warning("delivery %s cannot be had again: %s", delivery.guid, error.message)
    else:
        _log.info("delivery %s is asked for again", delivery.guid)
    desk.sleep(PAUSE_SECONDS)
