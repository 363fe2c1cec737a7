"""Status for machines: alive, ready, how much."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from http import HTTPStatus

from flask import Blueprint, Response, jsonify
from prometheus_client import CONTENT_TYPE_LATEST
from sqlalchemy.exc import SQLAlchemyError

from app.services import Services
from worker.store.queue_names import PUBLISH, QUEUES
from worker.store.records import WorkerRecord, WorkerState
from worker.store.run_queue import QueueDownError, TableQueue


def routes(services: Services) -> Blueprint:
    """Return ``/healthz``, ``/readyz`` and ``/metrics``."""
    blueprint = Blueprint("status", __name__)

    def healthz() -> Response:
        return jsonify(status="ok")

    def readyz() -> tuple[Response, HTTPStatus]:
        workers, reasons = _look(services)
        counts = count_workers(workers)
        if reasons:
            answer = jsonify(status="not ready", reasons=reasons, workers=counts)
            return answer, HTTPStatus.SERVICE_UNAVAILABLE
        return jsonify(status="ready", workers=counts), HTTPStatus.OK

    def metrics() -> Response:
        return Response(services.metrics.text(), content_type=CONTENT_TYPE_LATEST)

    blueprint.add_url_rule("/healthz", view_func=healthz)
    blueprint.add_url_rule("/readyz", view_func=readyz)
    blueprint.add_url_rule("/metrics", view_func=metrics)
    return blueprint


def count_workers(workers: Sequence[WorkerRecord]) -> dict[str, int]:
    """Count the workers in each state."""
    found = Counter(worker.state for worker in workers)
    return {state.value: found[state] for state in WorkerState}


def _look(services: Services) -> tuple[Sequence[WorkerRecord], list[str]]:
    """Return who is there, and why nothing would come of a delivery, if so."""
    reasons = [] if services.secret else ["no webhook secret is set"]
    workers: Sequence[WorkerRecord] = ()
    try:
        with services.store.read() as unit:
            workers = unit.workers_present.present()
    except SQLAlchemyError as error:
        reasons.append(f"the store does not answer ({type(error).__name__})")
    else:
        reasons += _unpublished(workers)
        reasons += _unexamined(workers, alone=isinstance(services.queue, TableQueue))
    try:
        services.queue.depth()
    except (QueueDownError, SQLAlchemyError) as error:
        reasons.append(f"the queue does not answer ({type(error).__name__})")
    return workers, reasons


def _unpublished(workers: Sequence[WorkerRecord]) -> list[str]:
    """Say why nobody speaks to GitHub, if nobody does."""
    publishers = [worker for worker in workers if PUBLISH in worker.queues]
    if any(worker.state is WorkerState.READY for worker in publishers):
        return []
    return _refusing(publishers, "does not publish") or [
        "no publisher is there: deliveries are kept, and heard when one is"
    ]


def _unexamined(workers: Sequence[WorkerRecord], *, alone: bool) -> list[str]:
    """Say why nobody takes jobs, if nobody does.

    With a broker, a worker that is absent or starting is no obstacle: jobs
    are heard and wait.  ``alone``: there is none, and the one process itself
    should work.
    """
    examiners = [worker for worker in workers if set(worker.queues) & {*QUEUES}]
    if any(worker.state is WorkerState.READY for worker in examiners):
        return []
    idle = ["no worker is ready yet"] if alone else []
    return _refusing(examiners, "takes no jobs") or idle


def _refusing(workers: Sequence[WorkerRecord], what: str) -> list[str]:
    """The reasons of those who refuse; not their hosts, since the answer is public."""
    return [
        f"worker {worker.id[:8]} {what}: {worker.reason}"
        for worker in workers
        if worker.state is WorkerState.REFUSING
    ]
