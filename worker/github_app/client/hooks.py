"""What GitHub sent, or failed to send, to the App's webhook."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime

from pydantic import AwareDatetime, StrictBool, StrictInt, StrictStr

from worker.github_app.client.api import Api
from worker.github_app.client.models import Noun, read

MOST_PAGES = 500


class HookDelivery(Noun):
    """One try to deliver an event.

    ``guid`` is the event's ``X-GitHub-Delivery``, the same for every try;
    ``id`` is the try's own.
    """

    id: StrictInt
    guid: StrictStr
    delivered_at: AwareDatetime
    redelivery: StrictBool
    status: StrictStr
    status_code: StrictInt
    event: StrictStr
    action: StrictStr | None = None
    installation_id: StrictInt | None = None
    repository_id: StrictInt | None = None

    @property
    def delivered(self) -> bool:
        """Whether we answered that we have it."""
        return 200 <= self.status_code < 300


def deliveries(api: Api, since: datetime) -> Iterator[HookDelivery]:
    """The tries since a moment, the newest first; ``api`` is ``App.api``."""
    for entry in api.pages("/app/hook/deliveries", most=MOST_PAGES):
        delivery = read(HookDelivery, entry)
        if delivery.delivered_at < since:
            return
        yield delivery


def undelivered(api: Api, since: datetime) -> tuple[HookDelivery, ...]:
    """The newest try of each event since a moment that never reached us, the oldest first."""
    newest: dict[str, HookDelivery] = {}
    reached: set[str] = set()
    for delivery in deliveries(api, since):
        newest.setdefault(delivery.guid, delivery)
        if delivery.delivered:
            reached.add(delivery.guid)
    missing = (delivery for guid, delivery in newest.items() if guid not in reached)
    return tuple(sorted(missing, key=lambda delivery: delivery.delivered_at))


def redeliver(api: Api, delivery: int) -> None:
    """Ask for another try, by a try's ``id``; GitHub keeps events for three days."""
    api.post(f"/app/hook/deliveries/{delivery}/attempts")
