"""What the operator's Prometheus reads."""

from __future__ import annotations

from collections import Counter as Tally
from collections.abc import Iterator

from prometheus_client import CollectorRegistry, Counter, Histogram, generate_latest
from prometheus_client.core import GaugeMetricFamily
from sqlalchemy.exc import SQLAlchemyError

from worker.queue import Queue, QueueDownError
from worker.store import Store, WorkerState

_BUCKETS = (0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10)


class Metrics:
    """Counters of the web process, and the state of the store and the queue."""

    def __init__(self, store: Store, queue: Queue) -> None:
        self._registry = CollectorRegistry()
        self.webhooks = Counter(
            "assayer_webhooks",
            "Deliveries by event and outcome.",
            ("event", "outcome"),
            registry=self._registry,
        )
        self.webhook_seconds = Histogram(
            "assayer_webhook_seconds",
            "Time until a delivery was answered.",
            buckets=_BUCKETS,
            registry=self._registry,
        )
        self._registry.register(_State(store, queue))

    def text(self) -> bytes:
        """Return everything in Prometheus' text format."""
        return generate_latest(self._registry)


class _State:
    """Read when scraped; a part that does not answer is left out."""

    def __init__(self, store: Store, queue: Queue) -> None:
        self._store = store
        self._queue = queue

    def collect(self) -> Iterator[GaugeMetricFamily]:
        """Yield the runs by state, the jobs that wait and the workers by state."""
        runs = GaugeMetricFamily("assayer_runs", "Runs by state.", labels=["state"])
        waiting = GaugeMetricFamily("assayer_queue_depth", "Jobs that wait.")
        workers = GaugeMetricFamily("assayer_workers", "Workers by state.", labels=["state"])
        try:
            present = Tally(worker.state for worker in self._store.roster.present())
            for standing in WorkerState:
                workers.add_metric([standing], present[standing])
            for state, count in self._store.count_runs().items():
                runs.add_metric([state], count)
            waiting.add_metric([], self._queue.depth())
        except (SQLAlchemyError, QueueDownError):
            pass
        yield runs
        yield waiting
        yield workers
