"""Answers when nothing else can be answered: a page for people, JSON for machines."""

from __future__ import annotations

import logging
import uuid
from http import HTTPStatus
from typing import Any
from urllib.parse import urlencode

from flask import Flask, Response, jsonify, make_response, render_template, request
from sqlalchemy.exc import SQLAlchemyError
from werkzeug.exceptions import HTTPException, InternalServerError, ServiceUnavailable

from app.access import LOGIN, Access
from app.github_login import NotAnOperatorError

_log = logging.getLogger(__name__)

_FOR_MACHINES = ("/webhooks/", "/healthz", "/readyz", "/metrics")
_TITLES = {403: "This run is private", 404: "Nothing is here", 500: "We are sorry"}
_SENTENCES = {
    400: "This request cannot be understood. If you were logging in, begin again.",
    401: "This page needs an operator's login.",
    403: "This run belongs to a private repository. Its page opens only through the link"
    " in the check or the comment on GitHub, and that link expires: open it from there again.",
    404: "There is no such page. A run may have been removed, or its address cut short.",
    405: "This address does not take such requests.",
    413: "What was sent is larger than this server takes.",
    416: "There is no such part of the file.",
    502: "GitHub did not say who you are. Try to log in again in a minute.",
    429: "There were too many failed logins. Try again in a minute.",
    500: "Something of ours broke. It was noted, and it is no fault of yours.",
    503: "The database does not answer. Try again in a minute; what GitHub told us is not lost.",
}


def add_errors(app: Flask, access: Access) -> None:
    """Answer every error of the application in its own way; a refused page offers to log in."""

    def refused(error: HTTPException) -> Response:
        return _answer(error, access)

    def down(error: SQLAlchemyError) -> Response:
        _log.error("the store does not answer", exc_info=error)
        return _answer(ServiceUnavailable(), access)

    def broken(error: Exception) -> Response:
        incident = uuid.uuid4().hex[:12]
        _log.error("a request failed", exc_info=error, extra={"incident": incident})
        return _answer(InternalServerError(), access, incident=incident)

    app.register_error_handler(HTTPException, refused)
    app.register_error_handler(SQLAlchemyError, down)
    app.register_error_handler(Exception, broken)


def _answer(error: HTTPException, access: Access, incident: str | None = None) -> Response:
    status = HTTPStatus(error.code or HTTPStatus.INTERNAL_SERVER_ERROR)
    refused = isinstance(error, NotAnOperatorError)
    known = _SENTENCES.get(status, status.description or status.phrase)
    sentence = str(error.description) if refused else known
    headers = [
        header
        for header in error.get_headers(request.environ)
        if header[0].lower() not in {"content-type", "content-length"}
    ]
    if request.path.startswith(_FOR_MACHINES):
        said = {"error": sentence} | ({"incident": incident} if incident else {})
        return _respond(jsonify(said), status, headers)
    page = render_template(
        "error.html.j2",
        code=int(status),
        title="Not an operator" if refused else _TITLES.get(status, status.phrase),
        sentence=sentence,
        incident=incident,
        login=login_address(access) if status in _REFUSALS else None,
    )
    return _respond(page, status, headers)


def login_address(access: Access) -> str | None:
    """Return where an operator logs in and comes back from; ``None`` where nobody can."""
    if access.github is not None:
        return f"/login?{urlencode({'next': request.full_path.rstrip('?')})}"
    return f"?{LOGIN}=1" if access.operators is not None else None


_REFUSALS = frozenset({HTTPStatus.FORBIDDEN, HTTPStatus.UNAUTHORIZED})


def _respond(body: Any, status: HTTPStatus, headers: list[tuple[str, str]]) -> Response:
    return make_response(body, status, headers)
