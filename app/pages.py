"""Pages for people: the last runs, a run and its report, and its inputs."""

from __future__ import annotations

import ast
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from http import HTTPStatus
from pathlib import PurePosixPath
from typing import Any, BinaryIO, cast

from flask import Blueprint, Response, abort, render_template, request
from werkzeug.wsgi import wrap_file

from analyzers.vocabulary import Status, Suggestion
from app.services import Services
from worker.report import appendix, report_messages
from worker.report.answered_inputs import with_origin
from worker.report.evidence_bars import Document, EvidenceBar, bars_of
from worker.report.report_templates import prose
from worker.report.stored_report import StoredFinding, StoredReport, stored
from worker.store.conclusions import with_current_ignores
from worker.store.records import RunRecord
from worker.store.store import UnitOfWork

MAX_INPUTS = 24
MAX_TEXT_LENGTH = 1200

MEDIA_TYPES = {
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


@dataclass(frozen=True, slots=True)
class InputCard:
    """One input; ``media`` is what a browser may show its ``file`` as."""

    description: str
    file: str | None
    media: str | None
    text: str | None
    answer: str
    credit: str


@dataclass(frozen=True, slots=True)
class InputGroup:
    """Inputs that belong together; ``mark`` is ``missed``, ``reached`` or empty.

    ``credit`` is that of all of them; cards have their own where they differ.
    """

    title: str
    mark: str
    cards: Sequence[InputCard]
    more: int
    credit: str


@dataclass(frozen=True, slots=True)
class FindingView:
    """A finding with all that its part of the page shows."""

    finding: Document
    standing: str
    settled: bool
    bars: Sequence[EvidenceBar]
    changes: Sequence[Document]
    groups: Sequence[InputGroup]
    suggestion: Suggestion | None
    evidence: Sequence[tuple[str, str]]


def media_type_of(name: str) -> str | None:
    """Return what a browser may show a file as, by its name; ``None``: only save."""
    return MEDIA_TYPES.get(PurePosixPath(name).suffix.lower())


def files_of(report: Document | None) -> Iterator[str]:
    """Yield the names of the files that a report's page links to."""
    for finding in (report or {}).get("findings", ()):
        for item in finding.get("inputs", ()):
            if item.get("file"):
                yield str(item["file"])
        for name in ("reproducer", "replay"):
            if finding.get(name):
                yield str(finding[name])


def finding_views(report: Document, told: StoredReport) -> list[FindingView]:
    """The findings as they should be read: new and grave ones first, ignored last."""
    pairs = zip(told.findings, report["findings"], strict=True)
    ordered = sorted(pairs, key=lambda pair: report_messages.rank(pair[0], told))
    return [_view(document, finding, told) for finding, document in ordered]


def _view(document: Document, finding: StoredFinding, told: StoredReport) -> FindingView:
    return FindingView(
        finding=document,
        standing=report_messages.status_sentence(finding, told),
        settled=bool(document.get("ignored")) or finding.status in (Status.EXISTING, Status.FIXED),
        bars=bars_of(finding.evidence),
        changes=report_messages.changes_of(finding),
        groups=_groups(document, finding.evidence),
        suggestion=report_messages.suggested(finding) or report_messages.unverified(finding),
        evidence=report_messages.evidence_lines(finding),
    )


def _groups(finding: Document, evidence: Document) -> list[InputGroup]:
    inputs: Sequence[Document] = finding.get("inputs", ())
    return [_group(*part) for part in _split(inputs, evidence) if part[2]]


def _split(
    inputs: Sequence[Document], evidence: Document
) -> list[tuple[str, str, Sequence[Document]]]:
    """Part the inputs as the evidence does, where it says which are which."""
    missed = evidence.get("missed")
    if "positive" in evidence and "negative" in evidence:
        return [
            (f"{kind.title()} texts", "", [i for i in inputs if i.get("reading") == kind])
            for kind in ("positive", "negative")
        ]
    if isinstance(missed, Sequence) and evidence.get("inputs") == len(inputs):
        gone = set(cast("Sequence[int]", missed))
        return [
            ("Missed the branch", "missed", [i for n, i in enumerate(inputs) if n in gone]),
            ("Reached it", "reached", [i for n, i in enumerate(inputs) if n not in gone]),
        ]
    return [("Inputs", "", inputs)]


def _group(title: str, mark: str, inputs: Sequence[Document]) -> InputGroup:
    cards = [_card(item) for item in inputs[:MAX_INPUTS]]
    more = max(0, len(inputs) - MAX_INPUTS)
    if len({card.credit for card in cards}) > 1:
        return InputGroup(title, mark, cards, more, "")
    bare = [replace(card, credit="") for card in cards]
    return InputGroup(title, mark, bare, more, cards[0].credit)


def _card(item: Document) -> InputCard:
    origin: Document = item.get("origin") or {}
    file = item.get("file")
    return InputCard(
        description=str(item.get("description", "")),
        file=file,
        media=None if file is None else media_type_of(file),
        text=None if item.get("value") is None else _text(str(item["value"])),
        answer=with_origin(str(item.get("answer") or ""), str(item.get("answered_by") or "")),
        credit=", ".join(str(origin[k]) for k in ("author", "licence", "url") if origin.get(k)),
    )


def _text(value: str) -> str:
    """The text that a Python literal stands for; of anything else, itself."""
    text: str = value
    if value[:1] in {"'", '"'}:
        with suppress(ValueError, SyntaxError, MemoryError, RecursionError):
            text = str(ast.literal_eval(value))
    return text if len(text) <= MAX_TEXT_LENGTH else f"{text[:MAX_TEXT_LENGTH]}…"


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
        with services.store.read() as unit:
            runs = unit.runs.recent(_LAST, private=everything)
            if not everything:
                runs = tuple(run for run in runs if not _is_private(run, unit))
            workers = unit.workers_present.present()
        return render_template("index.html.j2", runs=runs, workers=workers)

    return index


def _run(services: Services) -> Callable[[str], str]:
    def run(run_id: str) -> str:
        with services.store.read() as unit:
            record = _opened(run_id, unit, services)
            report = _amended_report(record, unit)
            newer = _newer(record, unit)
        told = stored(report) if report else None
        return render_template(
            "run.html.j2",
            run=record,
            report=report,
            told=told,
            findings=finding_views(report, told) if report and told else (),
            words=report_messages,
            appendix=appendix,
            prose=prose,
            newer=newer,
            pull_url=_pull_url(record, services.web_url),
            query=request.query_string.decode("ascii", "ignore"),
        )

    return run


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
    job = run.job
    if job.pull is None or not _REPOSITORY.fullmatch(job.repository):
        return None
    return f"{web_url}/{job.repository}/pull/{job.pull}"
