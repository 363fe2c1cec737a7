"""What machines ask: alive, ready, how much."""

from __future__ import annotations

from http import HTTPStatus

from flask import Blueprint, Response, jsonify
from prometheus_client import CONTENT_TYPE_LATEST
from sqlalchemy.exc import SQLAlchemyError

from app.services import Services
from worker.queue import QueueDownError


def routes(services: Services) -> Blueprint:
    """Return ``/healthz``, ``/readyz`` and ``/metrics``."""
    blueprint = Blueprint("status", __name__)

    def healthz() -> Response:
        return jsonify(status="ok")

    def readyz() -> tuple[Response, HTTPStatus]:
        reasons = _obstacles(services)
        if reasons:
            answer = jsonify(status="not ready", reasons=reasons)
            return answer, HTTPStatus.SERVICE_UNAVAILABLE
        return jsonify(status="ready"), HTTPStatus.OK

    def metrics() -> Response:
        return Response(services.metrics.text(), content_type=CONTENT_TYPE_LATEST)

    blueprint.add_url_rule("/healthz", view_func=healthz)
    blueprint.add_url_rule("/readyz", view_func=readyz)
    blueprint.add_url_rule("/metrics", view_func=metrics)
    return blueprint


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
