"""``POST /webhooks/github``: verify, keep once, answer 202; others interpret it."""

from __future__ import annotations

import hashlib
import logging
import re
from collections.abc import Mapping
from dataclasses import dataclass
from http import HTTPStatus

from flask import Blueprint, Request, Response, jsonify, request
from werkzeug.exceptions import ClientDisconnected, RequestEntityTooLarge

from app.events import HANDLED, PING, MalformedError, is_handled, read_envelope
from app.keeping import Keeper, StoreDownError
from app.services import Services
from app.signature import is_signed
from worker.store import Delivery

_log = logging.getLogger(__name__)
_EVENT = re.compile(r"[a-z_]{1,64}")
_KIND = "application/json"
_OTHER_KIND = f"the content type is not {_KIND}: choose it for the App's webhook at GitHub"
_DELIVERY = re.compile(r"[0-9A-Za-z-]{1,64}")


@dataclass(frozen=True, slots=True)
class _Answer:
    """What GitHub is told, and under which words it is counted."""

    status: HTTPStatus
    said: Mapping[str, object]
    outcome: str
    event: str = "-"


def routes(services: Services) -> Blueprint:
    """Return the webhook's route."""
    blueprint = Blueprint("webhook", __name__)

    def hear() -> tuple[Response, HTTPStatus]:
        with services.metrics.webhook_seconds.time():
            answer = _heard(request, services)
        services.metrics.heard(answer.event, answer.outcome)
        return jsonify(answer.said), answer.status

    blueprint.add_url_rule("/webhooks/github", view_func=hear, methods=["POST"])
    return blueprint


def _heard(incoming: Request, services: Services) -> _Answer:
    """Check the signature of the raw bytes, and only then look inside."""
    secret = services.secret
    if secret is None:
        return _refusal(HTTPStatus.SERVICE_UNAVAILABLE, "unconfigured", "no webhook secret is set")
    if incoming.mimetype != _KIND:
        return _refusal(HTTPStatus.UNSUPPORTED_MEDIA_TYPE, "not_json", _OTHER_KIND)
    return _signed(incoming, secret, services)


def _signed(incoming: Request, secret: bytes, services: Services) -> _Answer:
    try:
        body = _raw_body(incoming, services.max_body)
    except RequestEntityTooLarge:
        return _refusal(
            HTTPStatus.REQUEST_ENTITY_TOO_LARGE, "too_large", "the delivery is too large"
        )
    except ClientDisconnected:
        return _refusal(HTTPStatus.BAD_REQUEST, "cut_short", "the delivery was cut short")
    if not is_signed(secret, body, incoming.headers.get("X-Hub-Signature-256")):
        return _refusal(HTTPStatus.UNAUTHORIZED, "unsigned", "the signature does not match")
    try:
        return _received(_delivery(incoming, body), services.keeper)
    except MalformedError as error:
        return _refusal(HTTPStatus.BAD_REQUEST, "malformed", str(error))


def _raw_body(incoming: Request, limit: int) -> bytes:
    """Return the bytes as they were signed, having read hardly more than ``limit`` of them.

    A body without a length ends at the limit without an error, so one byte
    more is allowed, and refused here.
    """
    if (incoming.content_length or 0) > limit:
        raise RequestEntityTooLarge
    incoming.max_content_length = limit + 1
    body = incoming.get_data(cache=False)
    if len(body) > limit:
        raise RequestEntityTooLarge
    return body


def _refusal(status: HTTPStatus, outcome: str, reason: str) -> _Answer:
    return _Answer(status, {"error": reason}, outcome)


def _delivery(incoming: Request, body: bytes) -> Delivery:
    event = incoming.headers.get("X-GitHub-Event", "")
    delivery = incoming.headers.get("X-GitHub-Delivery", "")
    if not (_EVENT.fullmatch(event) and _DELIVERY.fullmatch(delivery)):
        raise MalformedError("X-GitHub-Event and X-GitHub-Delivery must name the event")
    envelope = read_envelope(body)
    return Delivery(
        id=delivery,
        event=event,
        action=envelope.action,
        digest=hashlib.sha256(body).hexdigest(),
        installation=envelope.installation_id,
        body=body,
    )


def _received(delivery: Delivery, keeper: Keeper) -> _Answer:
    """Keep a delivery that somebody interprets; acknowledge and drop any other."""
    if delivery.event == PING:
        return _Answer(HTTPStatus.OK, {"pong": True}, "pong", PING)
    if not is_handled(delivery.event, delivery.action):
        said = {"kept": False, "duplicate": False}
        return _Answer(HTTPStatus.ACCEPTED, said, "dropped", _counted_as(delivery.event))
    about = {
        "delivery": delivery.id,
        "github_event": delivery.event,
        "action": delivery.action,
    }
    try:
        fresh = keeper.keep(delivery)
    except StoreDownError:
        _log.exception("a delivery was not kept", extra=about)
        told = {"error": "the store does not answer"}
        return _Answer(HTTPStatus.SERVICE_UNAVAILABLE, told, "not_kept", delivery.event)
    outcome = "kept" if fresh else "duplicate"
    _log.info("a delivery was %s", "kept" if fresh else "seen before", extra=about)
    said = {"kept": True, "duplicate": not fresh}
    return _Answer(HTTPStatus.ACCEPTED, said, outcome, delivery.event)


def _counted_as(event: str) -> str:
    """A label of few values: GitHub's header is not signed."""
    return event if event in HANDLED else "other"
