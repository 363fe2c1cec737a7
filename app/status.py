"""What machines ask: alive, ready, how much."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from http import HTTPStatus

from flask import Blueprint, Response, jsonify
from prometheus_client import CONTENT_TYPE_LATEST
from sqlalchemy.exc import SQLAlchemyError

from app.services import Services
from worker.queue import QueueDownError, TableQueue
from worker.store import WorkerRecord, WorkerState


def routes(services: Services) -> Blueprint:
    """Return ``/healthz``, ``/readyz`` and ``/metrics``."""
    blueprint = Blueprint("status", __name__)

    def healthz() -> Response:
        return jsonify(status="ok")

    def readyz() -> tuple[Response, HTTPStatus]:
        reasons = _obstacles(services)
        try:
            workers = services.store.roster.present()
        except SQLAlchemyError:
            workers = ()
        else:
            reasons += _idle(workers, alone=isinstance(services.queue, TableQueue))
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


def _idle(workers: Sequence[WorkerRecord], *, alone: bool) -> list[str]:
    """Say why nobody takes jobs, if nobody does.

    With a broker, a worker that is absent or starting is no obstacle: jobs
    are heard and wait.  ``alone``: there is none, and the one process itself
    should work.  The worker's host is not told: the answer is public.
    """
    if any(worker.state is WorkerState.READY for worker in workers):
        return []
    refusing = [w for w in workers if w.state is WorkerState.REFUSING]
    if refusing:
        return [f"worker {worker.id[:8]} takes no jobs: {worker.reason}" for worker in refusing]
    return ["no worker is ready yet"] if alone else []


def _obstacles(services: Services) -> list[str]:
    reasons: list[str] = []
    if services.secret is None:
        reasons.append("no webhook secret is set")
    try:
        services.store.ping()
    except SQLAlchemyError as error:
        reasons.append(f"the store does not answer ({type(error).__name__})")
    try:
        services.queue.depth()
    except (QueueDownError, SQLAlchemyError) as error:
        reasons.append(f"the queue does not answer ({type(error).__name__})")
    return reasons
