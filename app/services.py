"""What the routes share."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from app.links import Links
from app.metrics import Metrics
from worker.queue import Queue
from worker.store import Store


@dataclass(frozen=True, slots=True)
class Services:
    """The parts that the routes work with.

    ``secret`` is the webhook's, ``None`` where none is configured;
    ``artifacts`` holds a folder of input files for each run.
    """

    store: Store
    queue: Queue
    metrics: Metrics
    secret: bytes | None
    links: Links | None
    artifacts: Path
    max_body: int
