"""The first page: repositories, queue, runs and trends that a visitor may see; and badges."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from datetime import UTC, datetime
from http import HTTPStatus
from urllib.parse import urlencode

from flask import Blueprint, Response, abort, render_template, request
from markupsafe import Markup

from app.error_pages import login_address
from app.services import Services
from worker.store.records import RunState
from worker.store.run_listing import RepositoryStanding, RunFilter, TrendPoint

PER_PAGE = 20
MOST_PAGES = 1000
OUTCOMES = (
    "success",
    "failure",
    "neutral",
    "skipped",
    "error",
    RunState.RUNNING.value,
    RunState.FAILED.value,
    RunState.CANCELLED.value,
)
_NAME = re.compile(r"[A-Za-z0-9_./:-]{1,201}")
_PAGE = re.compile(r"[1-9]\d{0,3}")
_BADGES = {
    "success": ("no new findings", "#2c7350"),
    "neutral": ("nothing blocks", "#7a6a2f"),
    "skipped": ("no ML call that Assayer knows", "#4f5b6b"),
    "error": ("not decided", "#7a6a2f"),
}
_FOUND = "#b3372f"


def routes(services: Services) -> Blueprint:
    """Return ``/`` and ``/badge/<owner>/<name>.svg``."""
    blueprint = Blueprint("dashboard", __name__)
    blueprint.add_url_rule("/", "index", view_func=_index(services))
    blueprint.add_url_rule("/favicon.ico", "icon", view_func=_icon)
    blueprint.add_url_rule("/badge/<owner>/<name>.svg", "badge", view_func=_badge(services))
    return blueprint


def _icon() -> Response:
    return Response(render_template("favicon.svg"), content_type="image/svg+xml")


def _index(services: Services) -> Callable[[], str]:
    def index() -> str:
        everything = services.access.is_operator(request)
        wanted, page = _wanted(), _page()
        with services.store.read() as unit:
            runs, more = unit.listing.page(
                wanted, everything=everything, count=PER_PAGE, offset=(page - 1) * PER_PAGE
            )
            repositories = unit.listing.repositories(everything=everything)
            queue = unit.listing.queue(everything=everything)
            workers = unit.workers_present.present() if everything else ()
            chosen = wanted.repository
            points = unit.listing.trend(chosen, everything=everything) if chosen else ()
        github = services.access.github
        return render_template(
            "index.html.j2",
            runs=runs,
            repositories=repositories,
            queue=queue,
            workers=workers,
            everything=everything,
            wanted=wanted,
            outcomes=OUTCOMES,
            trend=_trend(points),
            earlier=_address(wanted, page + 1) if more else None,
            later=_address(wanted, page - 1) if page > 1 else None,
            page=page,
            age=_age,
            login=None if everything else login_address(services.access),
            name=github.name if github else None,
        )

    return index


def _wanted() -> RunFilter:
    """Return what is asked for; what makes no sense is left out."""
    repository, outcome = (request.args.get(key, "") for key in ("repository", "outcome"))
    return RunFilter(
        repository if _NAME.fullmatch(repository) else None,
        outcome if outcome in OUTCOMES else None,
    )


def _page() -> int:
    asked = request.args.get("page", "1")
    return min(int(asked), MOST_PAGES) if _PAGE.fullmatch(asked) else 1


def _address(wanted: RunFilter, page: int) -> str:
    query = {"repository": wanted.repository, "outcome": wanted.outcome, "page": page}
    return f"/?{urlencode({key: value for key, value in query.items() if value})}#runs"


def _trend(points: Sequence[TrendPoint]) -> Markup | None:
    if len(points) < 2:
        return None
    from worker.report import charts  # noqa: PLC0415 - only a page with charts needs matplotlib

    figures: dict[str, list[float | None]] = {
        "new findings": [float(point.new_findings) for point in points],
        "lowest recall, %": [_percent(point.recall) for point in points],
        "cost, $": [point.dollars for point in points],
        "minutes": [_minutes(point.seconds) for point in points],
    }
    told = [charts.TrendLine(name, values) for name, values in figures.items() if any(values)]
    return charts.trend_chart(told) if told else None


def _percent(share: float | None) -> float | None:
    return None if share is None else 100 * share


def _minutes(seconds: float | None) -> float | None:
    return None if seconds is None else seconds / 60


def _age(since: datetime) -> str:
    """Return how long ago a moment was, in its largest unit."""
    seconds = max(0, int((datetime.now(UTC) - since).total_seconds()))
    for unit, size in (("d", 86_400), ("h", 3600), ("min", 60)):
        if seconds >= size:
            return f"{seconds // size} {unit}"
    return f"{seconds} s"


def _badge(services: Services) -> Callable[[str, str], Response]:
    def badge(owner: str, name: str) -> Response:
        with services.store.read() as unit:
            standing = unit.listing.standing(f"{owner}/{name}", everything=False)
        if standing is None:
            abort(HTTPStatus.NOT_FOUND)
        words, colour = _badge_words(standing)
        drawn = render_template("badge.svg.j2", words=words, colour=colour)
        response = Response(drawn, content_type="image/svg+xml; charset=utf-8")
        response.headers["Cross-Origin-Resource-Policy"] = "cross-origin"
        return response

    return badge


def _badge_words(standing: RepositoryStanding) -> tuple[str, str]:
    verdict = standing.last.verdict or ""
    if verdict in _BADGES:
        return _BADGES[verdict]
    count = standing.new_findings
    said = "new findings" if count is None else f"{count} new finding{'s' if count != 1 else ''}"
    return said, _FOUND
