"""Check runs."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Literal

from pydantic import AwareDatetime, StrictInt, StrictStr

from worker.github_app.client.api import Api
from worker.github_app.client.calls import Json
from worker.github_app.client.models import Noun, made, quoted, read, read_all, repository_path

Status = Literal["queued", "in_progress", "completed"]
Conclusion = Literal[
    "action_required",
    "cancelled",
    "failure",
    "neutral",
    "success",
    "skipped",
    "timed_out",
]
AnnotationLevel = Literal["notice", "warning", "failure"]

ANNOTATIONS_A_CALL = 50


@dataclass(frozen=True, slots=True)
class Annotation:
    """A note at lines of a file (1-based, both ends); columns only on a single line."""

    path: str
    start_line: int
    end_line: int
    level: AnnotationLevel
    message: str
    title: str | None = None
    start_column: int | None = None
    end_column: int | None = None
    raw_details: str | None = None

    def sent(self) -> dict[str, Json]:
        """As GitHub wants it."""
        entry: dict[str, Json] = {
            "path": self.path,
            "start_line": self.start_line,
            "end_line": self.end_line,
            "annotation_level": self.level,
            "message": self.message,
        }
        more: dict[str, Json] = {
            "title": self.title,
            "start_column": self.start_column,
            "end_column": self.end_column,
            "raw_details": self.raw_details,
        }
        return entry | _given(more)


@dataclass(frozen=True, slots=True)
class Output:
    """What a check run shows; at most 50 annotations a call, which GitHub adds up."""

    title: str
    summary: str
    text: str | None = None
    annotations: tuple[Annotation, ...] = ()

    def sent(self) -> dict[str, Json]:
        """As GitHub wants it."""
        entry: dict[str, Json] = {"title": self.title, "summary": self.summary}
        if self.text is not None:
            entry["text"] = self.text
        if self.annotations:
            entry["annotations"] = [annotation.sent() for annotation in self.annotations]
        return entry


@dataclass(frozen=True, slots=True)
class Action:
    """A button: label of 20, description of 40, identifier of 20 characters at most."""

    label: str
    description: str
    identifier: str

    def sent(self) -> dict[str, Json]:
        """As GitHub wants it."""
        return {
            "label": self.label,
            "description": self.description,
            "identifier": self.identifier,
        }


@dataclass(frozen=True, slots=True)
class Check:
    """What a check run is to be; ``None`` leaves a field as it is.

    ``completed`` needs a ``conclusion``.  ``actions`` replaces the buttons.
    """

    status: Status | None = None
    conclusion: Conclusion | None = None
    name: str | None = None
    external_id: str | None = None
    details_url: str | None = None
    started_at: datetime | None = None
    completed_at: datetime | None = None
    output: Output | None = None
    actions: tuple[Action, ...] | None = None

    def sent(self) -> dict[str, Json]:
        """As GitHub wants it."""
        entry: dict[str, Json] = {
            "name": self.name,
            "status": self.status,
            "conclusion": self.conclusion,
            "external_id": self.external_id,
            "details_url": self.details_url,
            "started_at": _time(self.started_at),
            "completed_at": _time(self.completed_at),
            "output": None if self.output is None else self.output.sent(),
        }
        if self.actions is not None:
            entry["actions"] = [action.sent() for action in self.actions]
        return _given(entry)


class CheckApp(Noun):
    """The App that made a check run."""

    id: StrictInt


class CheckOutput(Noun):
    """What a check run shows now."""

    title: StrictStr | None = None
    summary: StrictStr | None = None
    text: StrictStr | None = None
    annotations_count: StrictInt = 0


class CheckRun(Noun):
    """A check run as GitHub has it."""

    id: StrictInt
    name: StrictStr
    head_sha: StrictStr
    status: StrictStr
    conclusion: StrictStr | None = None
    external_id: StrictStr | None = None
    details_url: StrictStr | None = None
    html_url: StrictStr | None = None
    started_at: AwareDatetime | None = None
    completed_at: AwareDatetime | None = None
    app: CheckApp | None = None
    output: CheckOutput = CheckOutput()


class StandingAnnotation(Noun):
    """An annotation as GitHub has it."""

    path: StrictStr
    start_line: StrictInt
    end_line: StrictInt
    annotation_level: StrictStr | None = None
    message: StrictStr | None = None
    title: StrictStr | None = None


def create(api: Api, repository: str, head: str, check: Check) -> CheckRun:
    """A new check run on a commit; ``check.name`` must be given."""
    body = check.sent() | {"head_sha": head}
    return made(CheckRun, api.post(f"{repository_path(repository)}/check-runs", body))


def update(api: Api, repository: str, check_run: int, check: Check) -> CheckRun:
    """The check run, changed; annotations are added to those it has."""
    path = f"{repository_path(repository)}/check-runs/{check_run}"
    return made(CheckRun, api.patch(path, check.sent()))


def get(api: Api, repository: str, check_run: int) -> CheckRun:
    """One check run."""
    return read(CheckRun, api.get(f"{repository_path(repository)}/check-runs/{check_run}"))


def of_ref(
    api: Api, repository: str, ref: str, *, name: str | None = None, app: int | None = None
) -> tuple[CheckRun, ...]:
    """All check runs of a commit, the newest first, also those that newer ones replaced.

    ``name`` and ``app`` (its id) keep only those of that name and App.
    """
    path = f"{repository_path(repository)}/commits/{quoted(ref)}/check-runs"
    params: Mapping[str, Any] = {"filter": "all", "check_name": name, "app_id": app}
    return read_all(CheckRun, api.pages(path, params, key="check_runs"))


def annotations_of(api: Api, repository: str, check_run: int) -> tuple[StandingAnnotation, ...]:
    """The annotations that a check run has."""
    path = f"{repository_path(repository)}/check-runs/{check_run}/annotations"
    return read_all(StandingAnnotation, api.pages(path))


def _given(entry: dict[str, Json]) -> dict[str, Json]:
    return {name: value for name, value in entry.items() if value is not None}


def _time(at: datetime | None) -> str | None:
    return None if at is None else at.isoformat(timespec="seconds").replace("+00:00", "Z")
