"""What people read: the last runs, a run and its report, and its inputs."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from datetime import UTC, datetime
from http import HTTPStatus
from pathlib import PurePosixPath
from typing import Any, BinaryIO

from flask import Blueprint, Response, abort, render_template, request
from werkzeug.wsgi import wrap_file

from app import presenting
from app.services import Services
from worker.composition.amending import amended
from worker.report import appendix, wording
from worker.report.stored import stored
from worker.report.templating import prose
from worker.store import RunRecord
from worker.store.books import Books

_RUN = re.compile(r"[0-9a-f]{32}")
_REPOSITORY = re.compile(r"[A-Za-z0-9_.-]{1,100}/[A-Za-z0-9_.-]{1,100}")
_LAST = 20


def routes(services: Services) -> Blueprint:
    """Return ``/``, ``/runs/<id>`` and ``/runs/<id>/files/<name>``."""
    blueprint = Blueprint("pages", __name__)
    add = blueprint.add_url_rule
    add("/", "index", view_func=_index(services))
    add("/runs/<run_id>", "run", view_func=_run(services))
    add("/runs/<run_id>/files/<path:name>", "file", view_func=_file(services))
    return blueprint


def _index(services: Services) -> Callable[[], str]:
    def index() -> str:
        everything = services.access.is_operator(request)
        with services.store.look() as books:
            runs = books.runs.recent(_LAST, private=everything)
            if not everything:
                runs = tuple(run for run in runs if not _is_private(run, books))
            workers = books.roster.present()
        return render_template("index.html.j2", runs=runs, workers=workers)

    return index


def _run(services: Services) -> Callable[[str], str]:
    def run(run_id: str) -> str:
        with services.store.look() as books:
            record = _opened(run_id, books, services)
            report = _amended_report(record, books)
            newer = _newer(record, books)
        told = stored(report) if report else None
        return render_template(
            "run.html.j2",
            run=record,
            report=report,
            told=told,
            findings=presenting.views(report, told) if report and told else (),
            words=wording,
            appendix=appendix,
            prose=prose,
            newer=newer,
            pull_url=_pull_url(record, services.web_url),
            query=request.query_string.decode("ascii", "ignore"),
        )

    return run


def _file(services: Services) -> Callable[[str, str], Response]:
    def file(run_id: str, name: str) -> Response:
        with services.store.look() as books:
            record = _opened(run_id, books, services)
            listed = name in presenting.files_of(books.runs.report(record.id))
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
    media = presenting.media_of(name)
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


def _opened(run_id: str, books: Books, services: Services) -> RunRecord:
    """Return a run that this request may see, or end it with 401, 403, 404 or 429."""
    record = books.runs.get(run_id) if _RUN.fullmatch(run_id) else None
    if record is None:
        abort(HTTPStatus.NOT_FOUND)
    if _is_private(record, books):
        services.access.require(record.id, request)
    return record


def _is_private(run: RunRecord, books: Books) -> bool:
    """Tell whether a run is not for everybody.

    A repository may have become private since; of one that the App no longer
    sees nobody knows.
    """
    job = run.job
    repository = job.repository_id and books.installations.repository(job.repository_id)
    if not repository:
        return job.private or job.installation is not None
    return job.private or repository.private


def _amended_report(run: RunRecord, books: Books) -> Mapping[str, Any] | None:
    """Return a run's report as it stands with the ignores and the baseline of today."""
    report = books.runs.report(run.id)
    if report is None or run.job.repository_id is None:
        return report
    ignores = books.ignores.of(run.job.repository_id)
    gate = books.runs.policy(run.id).gate
    return amended(report, ignores, datetime.now(UTC).date(), gate)


def _newer(run: RunRecord, books: Books) -> RunRecord | None:
    """Return the run that took the place of a cancelled one, where everybody may see it."""
    repository, pull = run.job.repository_id, run.job.pull
    if not run.state.over or repository is None or pull is None:
        return None
    latest = books.runs.latest(repository, pull)
    if latest is None or latest.id == run.id or latest.created_at < run.created_at:
        return None
    return None if _is_private(latest, books) else latest


def _pull_url(run: RunRecord, web_url: str) -> str | None:
    job = run.job
    if job.pull is None or not _REPOSITORY.fullmatch(job.repository):
        return None
    return f"{web_url}/{job.repository}/pull/{job.pull}"
