"""Services that the routes share."""

from __future__ import annotations

from dataclasses import dataclass

from app.access import Access
from app.delivery_writer import DeliveryWriter
from app.metrics import Metrics
from worker.store.blobs import Blobs
from worker.store.run_queue import Queue
from worker.store.store import Store


@dataclass(frozen=True, slots=True)
class Services:
    """The parts that the routes work with.

    ``secret`` is the webhook's, ``None`` where none is configured; ``blobs``
    holds the files of each run under ``runs/<run id>/``; ``max_body`` is in
    bytes; ``web_url`` is the root of GitHub's own pages.
    """

    store: Store
    delivery_writer: DeliveryWriter
    queue: Queue
    blobs: Blobs
    metrics: Metrics
    secret: bytes | None
    access: Access
    max_body: int
    web_url: str
