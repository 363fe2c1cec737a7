"""``POST /webhooks/github``: verify, keep once, answer 202; others interpret it."""

from __future__ import annotations

import hashlib
import hmac
import logging
import re
from collections.abc import Mapping
from dataclasses import dataclass
from http import HTTPStatus

from flask import Blueprint, Request, Response, jsonify, request
from pydantic import BaseModel, ConfigDict, Field, ValidationError
from werkzeug.exceptions import ClientDisconnected, RequestEntityTooLarge

from app.delivery_writer import DeliveryWriter, StoreDownError
from app.services import Services
from worker.store.records import Delivery

_PREFIX = "sha256="


def sign_body(secret: bytes, body: bytes) -> str:
    """Return the ``X-Hub-Signature-256`` of a body."""
    return _PREFIX + hmac.new(secret, body, hashlib.sha256).hexdigest()


def has_valid_signature(secret: bytes, body: bytes, header: str | None) -> bool:
    """Compare the header with the raw body's signature, in constant time."""
    expected = sign_body(secret, body).encode()
    return hmac.compare_digest(expected, (header or "").encode())


HANDLED: Mapping[str, frozenset[str]] = {
    "pull_request": frozenset(
        {"opened", "synchronize", "reopened", "ready_for_review", "edited", "closed"}
    ),
    "check_run": frozenset({"rerequested", "requested_action"}),
    "check_suite": frozenset({"requested", "rerequested"}),
    "issue_comment": frozenset({"created"}),
    "pull_request_review_comment": frozenset({"created"}),
    "merge_group": frozenset({"checks_requested", "destroyed"}),
    "installation": frozenset(
        {"created", "deleted", "suspend", "unsuspend", "new_permissions_accepted"}
    ),
    "installation_repositories": frozenset({"added", "removed"}),
    "repository": frozenset(
        {"renamed", "transferred", "deleted", "privatized", "publicized", "edited"}
    ),
}
"""The actions of each event that ``worker.github_app.events`` interprets; others are dropped."""

PING = "ping"


class MalformedError(Exception):
    """A body that is not what GitHub documents for any event."""


class _Part(BaseModel):
    model_config = ConfigDict(strict=True, extra="ignore", frozen=True)


class _Installation(_Part):
    id: int


class Envelope(_Part):
    """The fields of a delivery that are read before it is kept; handlers read the rest."""

    action: str | None = Field(default=None, max_length=64)
    installation: _Installation | None = None

    @property
    def installation_id(self) -> int | None:
        """Whose App the event is told to, where the event names one."""
        return None if self.installation is None else self.installation.id


def read_envelope(body: bytes) -> Envelope:
    """Read a payload in one scan; raises ``MalformedError``."""
    try:
        return Envelope.model_validate_json(body)
    except ValidationError as error:
        first = error.errors(include_url=False, include_input=False, include_context=False)[0]
        place = ".".join(str(part) for part in first["loc"])
        reason = "the body is not JSON" if first["type"] == "json_invalid" else first["msg"]
        raise MalformedError(f"{place}: {reason}" if place else reason) from None


def is_handled(event: str, action: str | None) -> bool:
    """Tell whether anybody interprets such a delivery."""
    return action in HANDLED.get(event, frozenset())


_log = logging.getLogger(__name__)
_EVENT = re.compile(r"[a-z_]{1,64}")
_KIND = "application/json"
_OTHER_KIND = f"the content type is not {_KIND}: choose it for the App's webhook at GitHub"
_DELIVERY = re.compile(r"[0-9A-Za-z-]{1,64}")


@dataclass(frozen=True, slots=True)
class _Answer:
    """The answer to GitHub, and the labels under which it is counted."""

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
    if not has_valid_signature(secret, body, incoming.headers.get("X-Hub-Signature-256")):
        return _refusal(HTTPStatus.UNAUTHORIZED, "unsigned", "the signature does not match")
    try:
        return _received(_delivery(incoming, body), services.delivery_writer)
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


def _received(delivery: Delivery, delivery_writer: DeliveryWriter) -> _Answer:
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
        fresh = delivery_writer.keep(delivery)
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
