"""Pages of a run: its progress, its report, and its inputs."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from datetime import UTC, datetime
from http import HTTPStatus
from pathlib import PurePosixPath
from typing import Any, BinaryIO
from urllib.parse import quote

from flask import Blueprint, Response, abort, render_template, request
from werkzeug.wsgi import wrap_file

from app.services import Services
from worker.report.evidence_bars import Document
from worker.report.report_page import PageView, files_of, media_type_of, page_values, page_view
from worker.store.conclusions import with_current_ignores
from worker.store.records import RunRecord
from worker.store.store import UnitOfWork

_RUN = re.compile(r"[0-9a-f]{32}")
_REPOSITORY = re.compile(r"[A-Za-z0-9_.-]{1,100}/[A-Za-z0-9_.-]{1,100}")


def routes(services: Services) -> Blueprint:
    """Return ``/runs/<id>`` and ``/runs/<id>/files/<name>``."""
    blueprint = Blueprint("pages", __name__)
    add = blueprint.add_url_rule
    add("/runs/<run_id>", "run", view_func=_run(services))
    add("/runs/<run_id>/files/<path:name>", "file", view_func=_file(services))
    return blueprint


def _run(services: Services) -> Callable[[str], str]:
    def run(run_id: str) -> str:
        with services.store.read() as unit:
            record = _opened(run_id, unit, services)
            report = _amended_report(record, unit)
            newer = _newer(record, unit)
            position = unit.listing.position(record.id)
        view = _page(record, report, services.web_url) if report else None
        return render_template(
            "run.html.j2",
            **page_values(view),
            run=record,
            newer=newer,
            position=position,
            pull_url=_pull_url(record, services.web_url),
        )

    return run


def _page(run: RunRecord, report: Document, web_url: str) -> PageView:
    """Return what a run's page shows of its report, with the run's files and the head's lines."""
    query = request.query_string.decode("ascii", "ignore")
    end = f"?{query}" if query else ""
    repository = _repository_url(run, web_url)
    source = f"{repository}/blob/{run.job.head}" if repository and run.job.head else None
    return page_view(report, lambda name: f"/runs/{run.id}/files/{quote(name)}{end}", source)


def _file(services: Services) -> Callable[[str, str], Response]:
    def file(run_id: str, name: str) -> Response:
        with services.store.read() as unit:
            record = _opened(run_id, unit, services)
            listed = name in files_of(unit.runs.report(record.id))
        if not listed:
            abort(HTTPStatus.NOT_FOUND)
        key = f"runs/{record.id}/{name}"
        try:
            return _streamed(services.blobs.open(key), services.blobs.size(key), name)
        except (FileNotFoundError, ValueError):
            abort(HTTPStatus.NOT_FOUND)

    return file


def _streamed(content: BinaryIO, size: int, name: str) -> Response:
    """Return a file, or the part of it that was asked for, without reading it at once."""
    media = media_type_of(name)
    response = Response(
        wrap_file(request.environ, content),  # closes it
        mimetype=None,
        content_type=media or "application/octet-stream",
        direct_passthrough=True,
    )
    if media is None:
        response.headers.set("Content-Disposition", "attachment", filename=PurePosixPath(name).name)
    response.content_length = size
    response.make_conditional(request, accept_ranges=True, complete_length=size)
    return response


def _opened(run_id: str, unit: UnitOfWork, services: Services) -> RunRecord:
    """Return a run that this request may see, or end it with 401, 403, 404 or 429."""
    record = unit.runs.get(run_id) if _RUN.fullmatch(run_id) else None
    if record is None:
        abort(HTTPStatus.NOT_FOUND)
    if _is_private(record, unit):
        services.access.require(record.id, request)
    return record


def _is_private(run: RunRecord, unit: UnitOfWork) -> bool:
    """Tell whether a run is not for everybody.

    A repository may have become private since; of one that the App no longer
    sees nobody knows.
    """
    job = run.job
    repository = job.repository_id and unit.installations.repository(job.repository_id)
    if not repository:
        return job.private or job.installation is not None
    return job.private or repository.private


def _amended_report(run: RunRecord, unit: UnitOfWork) -> Mapping[str, Any] | None:
    """Return a run's report as it stands with the ignores and the baseline of today."""
    report = unit.runs.report(run.id)
    if report is None or run.job.repository_id is None:
        return report
    ignores = unit.ignores.of(run.job.repository_id)
    gate = unit.runs.policy(run.id).gate
    return with_current_ignores(report, ignores, datetime.now(UTC).date(), gate)


def _newer(run: RunRecord, unit: UnitOfWork) -> RunRecord | None:
    """Return the run that took the place of a cancelled one, where everybody may see it."""
    repository, pull = run.job.repository_id, run.job.pull
    if not run.state.over or repository is None or pull is None:
        return None
    latest = unit.runs.latest(repository, pull)
    if latest is None or latest.id == run.id or latest.created_at < run.created_at:
        return None
    return None if _is_private(latest, unit) else latest


def _pull_url(run: RunRecord, web_url: str) -> str | None:
    repository = _repository_url(run, web_url)
    return f"{repository}/pull/{run.job.pull}" if repository and run.job.pull else None


def _repository_url(run: RunRecord, web_url: str) -> str | None:
    name = run.job.repository
    return f"{web_url}/{name}" if _REPOSITORY.fullmatch(name) else None
