"""``POST /webhooks/github``: verify, record once, enqueue, answer 202."""

from __future__ import annotations

import hashlib
import json
import logging
import re
from dataclasses import dataclass
from http import HTTPStatus
from typing import cast

from flask import Blueprint, Request, Response, jsonify, request
from sqlalchemy.exc import SQLAlchemyError

from app.events import MalformedError, job_of
from app.services import Services
from app.signature import is_signed
from worker.queue import QueueDownError
from worker.store import Delivery, Job, Recorded

_log = logging.getLogger(__name__)
_EVENT = re.compile(r"[a-z_]{1,64}")
_DELIVERY = re.compile(r"[0-9A-Za-z-]{1,64}")


@dataclass(frozen=True, slots=True)
class _Heard:
    delivery: Delivery
    job: Job | None


class _RefusedError(Exception):
    def __init__(self, status: HTTPStatus, outcome: str, reason: str) -> None:
        super().__init__(reason)
        self.status = status
        self.outcome = outcome


def routes(services: Services) -> Blueprint:
    """Return the webhook's route."""
    blueprint = Blueprint("webhook", __name__)

    def hear() -> tuple[Response, HTTPStatus]:
        with services.metrics.webhook_seconds.time():
            try:
                heard = _read(request, services.secret)
                recorded = _keep(heard, services)
            except _RefusedError as refusal:
                services.metrics.webhooks.labels("-", refusal.outcome).inc()
                return jsonify(error=str(refusal)), refusal.status
            answer = jsonify(run=recorded.run, duplicate=not recorded.fresh)
            return answer, HTTPStatus.ACCEPTED

    blueprint.add_url_rule("/webhooks/github", view_func=hear, methods=["POST"])
    return blueprint


def _read(incoming: Request, secret: bytes | None) -> _Heard:
    """Check the signature of the raw bytes, and only then look inside."""
    if secret is None:
        raise _RefusedError(
            HTTPStatus.SERVICE_UNAVAILABLE, "unconfigured", "no webhook secret is set"
        )
    body = incoming.get_data(cache=False)
    if not is_signed(secret, body, incoming.headers.get("X-Hub-Signature-256")):
        raise _RefusedError(HTTPStatus.UNAUTHORIZED, "unsigned", "the signature does not match")
    try:
        return _parse(incoming, body)
    except MalformedError as error:
        raise _RefusedError(HTTPStatus.BAD_REQUEST, "malformed", str(error)) from error


def _parse(incoming: Request, body: bytes) -> _Heard:
    event = incoming.headers.get("X-GitHub-Event", "")
    delivery = incoming.headers.get("X-GitHub-Delivery", "")
    if not (_EVENT.fullmatch(event) and _DELIVERY.fullmatch(delivery)):
        raise MalformedError("X-GitHub-Event and X-GitHub-Delivery must name the event")
    try:
        payload = json.loads(body)
    except (ValueError, RecursionError) as error:
        raise MalformedError("the body is not JSON") from error
    if not isinstance(payload, dict):
        raise MalformedError("the body is not a JSON object")
    action = cast("dict[str, object]", payload).get("action")
    return _Heard(
        Delivery(
            id=delivery,
            event=event,
            action=action[:64] if isinstance(action, str) else None,
            digest=hashlib.sha256(body).hexdigest(),
        ),
        job_of(event, payload),
    )


def _keep(heard: _Heard, services: Services) -> Recorded:
    try:
        recorded = services.store.record_delivery(heard.delivery, heard.job)
    except SQLAlchemyError as error:
        _log.exception("delivery %s was not recorded", heard.delivery.id)
        raise _RefusedError(
            HTTPStatus.SERVICE_UNAVAILABLE, "unrecorded", "the store does not answer"
        ) from error
    outcome = _enqueue(recorded, services)
    services.metrics.webhooks.labels(heard.delivery.event, outcome).inc()
    return recorded


def _enqueue(recorded: Recorded, services: Services) -> str:
    """Hand a new run to the queue; one that it cannot take waits in the store."""
    if not recorded.fresh:
        return "duplicate"
    if recorded.run is None:
        return "noted"
    try:
        services.queue.enqueue(recorded.run)
        services.store.mark_enqueued(recorded.run)
    except (QueueDownError, SQLAlchemyError):
        _log.exception("run %s waits in the store", recorded.run)
        return "unqueued"
    return "enqueued"
