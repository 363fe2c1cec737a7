"""What the routes share."""

from __future__ import annotations

from dataclasses import dataclass

from app.access import Access
from app.keeping import Keeper
from app.metrics import Metrics
from worker.queue import Queue
from worker.store import Store
from worker.store.blobs import Blobs


@dataclass(frozen=True, slots=True)
class Services:
    """The parts that the routes work with.

    ``secret`` is the webhook's, ``None`` where none is configured; ``blobs``
    holds the files of each run under ``runs/<run id>/``; ``max_body`` is in
    bytes; ``web_url`` is the root of GitHub's own pages.
    """

    store: Store
    keeper: Keeper
    queue: Queue
    blobs: Blobs
    metrics: Metrics
    secret: bytes | None
    access: Access
    max_body: int
    web_url: str
