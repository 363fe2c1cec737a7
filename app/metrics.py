"""Metrics for the operator's Prometheus (docs/operating/metrics.md)."""

from __future__ import annotations

import logging
from collections import Counter as Tallied
from collections.abc import Callable, Iterable, Iterator, Mapping
from datetime import UTC, datetime

from prometheus_client import CollectorRegistry, Histogram, generate_latest
from prometheus_client.core import (
    CounterMetricFamily,
    GaugeMetricFamily,
    Metric,
    SummaryMetricFamily,
)
from sqlalchemy.exc import SQLAlchemyError

from worker.store.counters import GITHUB_CALLS, WEBHOOKS, BufferedCounters
from worker.store.operator_metrics import CALLS, OUTCOMES, PHASES
from worker.store.queue_names import PUBLISH, QUEUES, SCHEDULER
from worker.store.records import WorkerState
from worker.store.run_queue import Queue, QueueDownError
from worker.store.store import Store, UnitOfWork

_log = logging.getLogger(__name__)

_BUCKETS = (0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10)

_Values = Mapping[str, float] | Mapping[tuple[str, ...], float]
"""A metric's values by its label, or by its labels."""

UNANNOUNCED_SECONDS = 25
"""After so long a run that GitHub shows nothing of is counted."""


class Metrics:
    """The state of the store and the queue, and how fast this process answers."""

    def __init__(self, store: Store, queue: Queue) -> None:
        self._registry = CollectorRegistry()
        self._counters = BufferedCounters(store)
        self.webhook_seconds = Histogram(
            "assayer_webhook_seconds",
            "Time until a delivery was answered, by this process.",
            buckets=_BUCKETS,
            registry=self._registry,
        )
        self._registry.register(_State(store, queue, self._counters))

    def heard(self, event: str, outcome: str) -> None:
        """Count a delivery."""
        self._counters.add(WEBHOOKS, event, outcome)

    def text(self) -> bytes:
        """Return everything in Prometheus' text format."""
        return generate_latest(self._registry)


class _State:
    """Read when scraped, so that all web processes agree; what does not answer is left out."""

    def __init__(self, store: Store, queue: Queue, tally: BufferedCounters) -> None:
        self._store = store
        self._queue = queue
        self._counters = tally

    def collect(self) -> Iterator[Metric]:
        """Yield everything that the store and the queue know."""
        self._counters.flush()
        try:
            with self._store.read() as unit:
                yield from [family for part in _PARTS for family in part(unit)]
            waiting = self._queue.depth()
        except SQLAlchemyError:
            _log.warning("the store does not answer; its metrics are left out")
        except QueueDownError:
            _log.warning("the queue does not answer; its metric is left out")
        else:
            yield GaugeMetricFamily("assayer_queue_depth", "Jobs that wait.", value=waiting)


def _delivery_metrics(unit: UnitOfWork) -> Iterable[Metric]:
    tallied = _split(unit.counters.of(WEBHOOKS), 2)
    yield _counter(
        "assayer_webhooks", "Deliveries by event and outcome.", ("event", "outcome"), tallied
    )
    yield _gauge(
        "assayer_deliveries", "Deliveries kept, by state.", ("state",), unit.deliveries.count()
    )
    yield GaugeMetricFamily(
        "assayer_delivery_oldest_seconds",
        "Age of the oldest delivery that waits to be heard.",
        value=_age(unit.deliveries.oldest()),
    )


def _outbox_metrics(unit: UnitOfWork) -> Iterable[Metric]:
    yield _gauge("assayer_errands", "Errands by state.", ("state",), unit.outbox_tasks.count())
    yield GaugeMetricFamily(
        "assayer_errand_oldest_seconds",
        "How long the oldest errand that is due has waited.",
        value=_age(unit.outbox_tasks.oldest()),
    )
    calls = _split(unit.counters.of(GITHUB_CALLS), 2)
    yield _counter(
        "assayer_github_calls",
        "Requests to GitHub by method and outcome.",
        ("method", "outcome"),
        calls,
    )


def _run_metrics(unit: UnitOfWork) -> Iterable[Metric]:
    counts = {state.value: count for state, count in unit.runs.count().items()}
    yield _gauge("assayer_runs", "Runs kept, by state.", ("state",), counts)
    since = unit.run_metrics.waiting_since()
    oldest = {queue: _age(since.get(queue)) for queue in QUEUES}
    yield _gauge(
        "assayer_queue_oldest_seconds",
        "How long the oldest run that waits for a worker has waited.",
        ("queue",),
        oldest,
    )
    yield GaugeMetricFamily(
        "assayer_runs_unannounced",
        f"Runs without a status at GitHub after {UNANNOUNCED_SECONDS} s.",
        value=unit.runs.unannounced(UNANNOUNCED_SECONDS),
    )


def _ended_run_metrics(unit: UnitOfWork) -> Iterable[Metric]:
    totals = unit.run_metrics.totals()
    outcomes = {name: totals.outcomes.get(name, 0) for name in OUTCOMES}
    yield _counter("assayer_verdicts", "Runs that ended, by verdict.", ("verdict",), outcomes)
    seconds = SummaryMetricFamily(
        "assayer_run_seconds", "Time that runs spent in each phase.", labels=("phase",)
    )
    for phase in PHASES:
        count, total = totals.phases.get(phase, (0, 0.0))
        seconds.add_metric((phase,), count_value=count, sum_value=total)
    yield seconds
    yield CounterMetricFamily(
        "assayer_broken", "Failures of our own that reports tell of.", value=totals.broken
    )
    calls = {name: totals.calls.get(name, 0) for name in CALLS}
    yield _counter("assayer_api_calls", "Questions to ML APIs.", ("outcome",), calls)
    yield CounterMetricFamily(
        "assayer_api_dollars", "What ML APIs cost, in dollars.", value=totals.dollars
    )


def _worker_metrics(unit: UnitOfWork) -> Iterable[Metric]:
    standing = Tallied(
        (str(worker.state), queue)
        for worker in unit.workers_present.present()
        for queue in worker.queues
    )
    counts: dict[tuple[str, ...], float] = {
        (state.value, queue): standing[state, queue]
        for state in WorkerState
        for queue in (*QUEUES, PUBLISH, SCHEDULER)
    }
    yield _gauge(
        "assayer_workers",
        "Workers by state and queue; one of two queues counts in both.",
        ("state", "queue"),
        counts,
    )


_PARTS: tuple[Callable[[UnitOfWork], Iterable[Metric]], ...] = (
    _delivery_metrics,
    _outbox_metrics,
    _run_metrics,
    _ended_run_metrics,
    _worker_metrics,
)


def _gauge(name: str, words: str, labels: tuple[str, ...], values: _Values) -> Metric:
    return _filled(GaugeMetricFamily(name, words, labels=labels), values)


def _counter(name: str, words: str, labels: tuple[str, ...], values: _Values) -> Metric:
    return _filled(CounterMetricFamily(name, words, labels=labels), values)


def _filled(family: GaugeMetricFamily | CounterMetricFamily, values: _Values) -> Metric:
    for label, value in values.items():
        family.add_metric([label] if isinstance(label, str) else list(label), value)
    return family


def _split(counts: Mapping[str, int], parts: int) -> dict[tuple[str, ...], float]:
    """Take labels apart again that were joined by blanks."""
    return {tuple(label.split(" ", parts - 1)): count for label, count in counts.items()}


def _age(since: datetime | None) -> float:
    return 0.0 if since is None else max(0.0, (datetime.now(UTC) - since).total_seconds())
