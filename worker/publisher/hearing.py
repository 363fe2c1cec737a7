"""Turning kept deliveries into what there is to do."""

from __future__ import annotations

import logging
import uuid

from worker.events import MalformedError, hear
from worker.logs import bound
from worker.publisher.office import STORE_AWAY, Office

_log = logging.getLogger(__name__)

AT_A_TIME = 50


def hear_waiting(office: Office) -> int:
    """Hear the deliveries that wait and return how many did; each by itself.

    Raises one of ``STORE_AWAY`` where the store is away.
    """
    with office.store.look() as books:
        waiting = books.deliveries.waiting(AT_A_TIME)
    for delivery in waiting:
        if office.stop.is_set():
            break
        with bound(delivery=delivery):
            _hear_one(delivery, office)
    return len(waiting)


def _hear_one(name: str, office: Office) -> None:
    try:
        with office.store.begin() as books:
            delivery = books.deliveries.claim(name)
            if delivery is not None:
                hear(delivery, books)
                books.deliveries.heard(name)
    except STORE_AWAY:
        raise
    except Exception as error:  # noqa: BLE001 - one delivery must not keep others waiting
        incident = uuid.uuid4().hex[:12]
        _log.exception("incident %s: a delivery is not understood", incident)
        limit = 1 if isinstance(error, MalformedError) else office.settings.github.attempts
        with office.store.begin() as books:
            why = (
                f"malformed: {error}" if isinstance(error, MalformedError) else type(error).__name__
            )
            said = f"{why} (incident {incident})"
            books.deliveries.failed(name, said, limit=limit)
