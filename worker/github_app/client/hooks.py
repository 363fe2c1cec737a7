"""Deliveries to the App's webhook, and those that failed."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime

from github.HookDelivery import HookDeliverySummary as HookDelivery
from github.PaginatedList import PaginatedList

from worker.github_app.client.api import Api
from worker.github_app.client.models import listed

MOST_DELIVERIES = 50_000
_NEEDED = ("id", "guid", "delivered_at", "status_code")

__all__ = ["HookDelivery", "deliveries", "redeliver", "undelivered"]


def deliveries(api: Api, since: datetime) -> Iterator[HookDelivery]:
    """Yield the tries since a moment, the newest first; ``api`` is ``App.api``.

    ``guid`` is an event's ``X-GitHub-Delivery``, the same for every try;
    ``id`` is the try's own.  PyGithub lists a repository's alone.
    """
    pages = PaginatedList(HookDelivery, api, "/app/hook/deliveries")
    for delivery in listed(pages, *_NEEDED, most=MOST_DELIVERIES):
        if delivery.delivered_at is None or delivery.delivered_at < since:
            return
        yield delivery


def undelivered(api: Api, since: datetime) -> list[HookDelivery]:
    """Return the newest try of each event since a moment that never reached us.

    The oldest is the first.
    """
    newest: dict[str | None, HookDelivery] = {}
    reached: set[str | None] = set()
    for delivery in deliveries(api, since):
        newest.setdefault(delivery.guid, delivery)
        if delivery.status_code is not None and 200 <= delivery.status_code < 300:
            reached.add(delivery.guid)
    missing = [delivery for guid, delivery in newest.items() if guid not in reached]
    return missing[::-1]


def redeliver(api: Api, delivery: HookDelivery) -> None:
    """Ask for another try; GitHub keeps events for three days."""
    api.send("POST", f"/app/hook/deliveries/{delivery.id}/attempts")
