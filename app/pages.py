"""What people read: the last runs, a run's report, and its inputs."""

from __future__ import annotations

import time
from collections.abc import Iterator, Mapping
from http import HTTPStatus
from pathlib import PurePosixPath
from typing import Any

from flask import (
    Blueprint,
    Response,
    abort,
    render_template,
    request,
    send_from_directory,
)

from app.services import Services
from worker.store import RunRecord

_SHOWN = {
    ".bmp": "image/bmp",
    ".flac": "audio/flac",
    ".gif": "image/gif",
    ".jpeg": "image/jpeg",
    ".jpg": "image/jpeg",
    ".mp3": "audio/mpeg",
    ".ogg": "audio/ogg",
    ".png": "image/png",
    ".txt": "text/plain; charset=utf-8",
    ".wav": "audio/wav",
    ".webp": "image/webp",
}
"""The files that a browser may show; any other it may only save."""


def routes(services: Services) -> Blueprint:
    """Return ``/``, ``/runs/<id>`` and ``/runs/<id>/files/<name>``."""
    blueprint = Blueprint("pages", __name__)

    def index() -> str:
        runs = services.store.latest_runs(private=False)
        workers = services.store.roster.present()
        return render_template("index.html.j2", runs=runs, workers=workers)

    def run(run_id: str) -> str:
        record = _open(services, run_id)
        return render_template(
            "run.html.j2",
            run=record,
            report=services.store.report(run_id),
            query=request.query_string.decode("ascii", "ignore"),
            media=_media,
        )

    def file(run_id: str, name: str) -> Response:
        record = _open(services, run_id)
        if name not in _files(services.store.report(record.id)):
            abort(HTTPStatus.NOT_FOUND)
        media = _media(name)
        return send_from_directory(
            services.artifacts / record.id,
            name,
            mimetype=media or "application/octet-stream",
            as_attachment=media is None,
        )

    blueprint.add_url_rule("/", view_func=index)
    blueprint.add_url_rule("/runs/<run_id>", view_func=run)
    blueprint.add_url_rule("/runs/<run_id>/files/<path:name>", view_func=file)
    return blueprint


def _open(services: Services, run_id: str) -> RunRecord:
    """Return a run that this request may see, or end it with 403 or 404."""
    record = services.store.run(run_id)
    if record is None:
        abort(HTTPStatus.NOT_FOUND)
    if not record.job.private:
        return record
    expires = request.args.get("expires", "")
    sig = request.args.get("sig", "")
    links = services.links
    if links is None or not links.open(run_id, expires, sig, time.time()):
        abort(HTTPStatus.FORBIDDEN)
    return record


def _media(name: str) -> str | None:
    return _SHOWN.get(PurePosixPath(name).suffix.lower())


def _files(report: Mapping[str, Any] | None) -> Iterator[str]:
    for finding in (report or {}).get("findings", ()):
        for item in finding.get("inputs", ()):
            if item.get("file"):
                yield item["file"]
        if finding.get("reproducer"):
            yield finding["reproducer"]
