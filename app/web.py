"""The web process."""

from __future__ import annotations

import secrets
from datetime import timedelta
from pathlib import Path

from flask import Flask, Response, g

from app import dashboard, github_login, pages, status, webhook
from app.access import Access, Operators
from app.delivery_writer import DeliveryWriter
from app.error_pages import add_errors
from app.github_login import GithubLogin
from app.metrics import Metrics
from app.services import Services
from worker.report.markdown_escape import undirected
from worker.report.page_links import LinkSigner
from worker.settings.operator_settings import Settings, read_settings
from worker.store.blobs import Blobs
from worker.store.run_queue import open_queue
from worker.store.store import Store
from worker.system import logs

_ROOT = Path(__file__).parent.parent

_POLICY = (
    "default-src 'none'; img-src 'self'; media-src 'self'; style-src 'nonce-{nonce}';"
    " script-src 'nonce-{nonce}';"
    " base-uri 'none'; form-action 'self'; frame-ancestors 'none'"
)


def create_app(settings: Settings | None = None) -> Flask:
    """Return the WSGI application, by default with the process's own settings."""
    logs.configure()
    return assemble(open_services(settings or read_settings()))


def open_services(settings: Settings) -> Services:
    """Open the store, the queue and the blobs that the settings name."""
    store = Store(settings.store.url)
    queue = open_queue(settings, store)
    reference, operators = settings.github.webhook_secret, settings.app.operators
    secret = None if reference is None else reference.read().encode()
    if secret is not None:
        logs.redact_value(secret.decode())
    return Services(
        store=store,
        delivery_writer=DeliveryWriter(store),
        queue=queue,
        blobs=Blobs(settings.store.blobs),
        metrics=Metrics(store, queue),
        secret=secret,
        access=Access(
            links=None if secret is None else LinkSigner(secret),
            operators=None if operators is None else Operators(operators.read()),
            github=_github_login(settings),
        ),
        max_body=settings.app.max_body,
        web_url=settings.github.web_url,
    )


def _github_login(settings: Settings) -> GithubLogin | None:
    """Return the login by GitHub, where the settings name all that it needs."""
    ours, github = settings.app, settings.github
    secret, sessions = ours.client_secret, github.webhook_secret
    if ours.client_id is None or secret is None or ours.public_url is None or sessions is None:
        return None
    logs.redact_value(secret.read())
    return GithubLogin(
        client_id=ours.client_id,
        client_secret=secret.read(),
        operators=frozenset(ours.github_operators),
        web_url=github.web_url,
        api_url=github.api_url,
        public_url=ours.public_url,
    )


def assemble(services: Services) -> Flask:
    """Return the WSGI application of these parts."""
    app = Flask("assayer", root_path=str(_ROOT), template_folder="templates", static_folder=None)
    app.config["MAX_CONTENT_LENGTH"] = services.max_body
    app.jinja_env.trim_blocks = True
    app.jinja_env.lstrip_blocks = True
    app.jinja_env.autoescape = True
    app.jinja_env.finalize = undirected
    for routes in (webhook.routes, status.routes, dashboard.routes, pages.routes):
        app.register_blueprint(routes(services))
    if services.access.github is not None and services.secret is not None:
        _keep_sessions(app, services.secret)
        app.register_blueprint(github_login.routes(services.access.github))
    add_errors(app, services.access)
    app.before_request(_make_nonce)
    app.after_request(_secure)
    return app


def _keep_sessions(app: Flask, secret: bytes) -> None:
    """Keep a login in a signed cookie that no script reads and no other site sends along."""
    app.secret_key = github_login.session_key(secret)
    app.permanent_session_lifetime = timedelta(seconds=github_login.SESSION_SECONDS)
    app.config.update(
        SESSION_COOKIE_NAME="__Host-assayer",
        SESSION_COOKIE_SECURE=True,
        SESSION_COOKIE_HTTPONLY=True,
        SESSION_COOKIE_SAMESITE="Lax",
        SESSION_REFRESH_EACH_REQUEST=False,
    )


def _make_nonce() -> None:
    g.nonce = secrets.token_urlsafe(16)


def _secure(response: Response) -> Response:
    response.headers["Content-Security-Policy"] = _POLICY.format(nonce=g.nonce)
    response.headers["X-Content-Type-Options"] = "nosniff"
    response.headers["X-Frame-Options"] = "DENY"
    response.headers["Referrer-Policy"] = "no-referrer"
    response.headers.setdefault("Cross-Origin-Resource-Policy", "same-origin")
    response.headers["Cross-Origin-Opener-Policy"] = "same-origin"
    response.headers["Cache-Control"] = "private, no-store"
    return response
