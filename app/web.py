"""The web process."""

from __future__ import annotations

import secrets
from http import HTTPStatus
from pathlib import Path

from flask import Flask, Response, g
from sqlalchemy.exc import SQLAlchemyError

from app import pages, status, webhook
from app.links import Links
from app.metrics import Metrics
from app.services import Services
from worker.queue import open_queue
from worker.settings.server import Settings, read_settings
from worker.store import Store

_TEMPLATES = Path(__file__).parent.parent / "templates"

_POLICY = (
    "default-src 'none'; img-src 'self'; media-src 'self'; style-src 'nonce-{nonce}';"
    " base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
)


def create_app(settings: Settings | None = None) -> Flask:
    """Return the WSGI application, by default with the process's own settings."""
    return assemble(open_services(settings or read_settings()))


def open_services(settings: Settings) -> Services:
    """Open the store and the queue that the settings name."""
    store = Store(settings.store.url)
    queue = open_queue(settings, store)
    reference = settings.github.webhook_secret
    secret = None if reference is None else reference.read().encode()
    return Services(
        store=store,
        queue=queue,
        metrics=Metrics(store, queue),
        secret=secret,
        links=None if secret is None else Links(secret),
        artifacts=Path(settings.store.blobs) / "runs",
        max_body=settings.app.max_body,
    )


def assemble(services: Services) -> Flask:
    """Return the WSGI application of these parts."""
    app = Flask("assayer", template_folder=str(_TEMPLATES), static_folder=None)
    app.config["MAX_CONTENT_LENGTH"] = services.max_body
    app.jinja_env.trim_blocks = True
    app.jinja_env.lstrip_blocks = True
    app.jinja_env.autoescape = True
    for routes in (webhook.routes, status.routes, pages.routes):
        app.register_blueprint(routes(services))
    app.before_request(_make_nonce)
    app.after_request(_secure)
    app.register_error_handler(SQLAlchemyError, _store_is_down)
    return app


def _make_nonce() -> None:
    g.nonce = secrets.token_urlsafe(16)


def _secure(response: Response) -> Response:
    response.headers["Content-Security-Policy"] = _POLICY.format(nonce=g.nonce)
    response.headers["X-Content-Type-Options"] = "nosniff"
    response.headers["X-Frame-Options"] = "DENY"
    response.headers["Referrer-Policy"] = "no-referrer"
    response.headers["Cross-Origin-Resource-Policy"] = "same-origin"
    response.headers["Cache-Control"] = "private, no-store"
    return response


def _store_is_down(_error: Exception) -> tuple[str, HTTPStatus]:
    return "The store does not answer.", HTTPStatus.SERVICE_UNAVAILABLE
