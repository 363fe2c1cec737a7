"""Check runs."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from datetime import datetime
from typing import Any, Literal

from github.CheckRun import CheckRun
from github.PaginatedList import PaginatedList

from worker.github_app.client.api import Api
from worker.github_app.client.models import completed, listed, made, quoted

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

__all__ = ["Action", "Annotation", "Check", "CheckRun", "Output", "create", "get", "of_ref"]


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


@dataclass(frozen=True, slots=True)
class Output:
    """The content of a check run; at most 50 annotations a call, which GitHub adds up."""

    title: str
    summary: str
    text: str | None = None
    annotations: tuple[Annotation, ...] = ()


@dataclass(frozen=True, slots=True)
class Action:
    """A button: label of 20, description of 40, identifier of 20 characters at most."""

    label: str
    description: str
    identifier: str


@dataclass(frozen=True, slots=True)
class Check:
    """The fields of a check run; ``None`` leaves a field as it is.

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


def create(api: Api, repository: str, head: str, check: Check) -> CheckRun:
    """Create a check run on a commit; ``check.name`` must be given."""
    run = api.repository(repository).create_check_run(head_sha=head, **_fields(check))
    return made(run, "id")


def update(api: Api, repository: str, check_run: int, check: Check) -> CheckRun:
    """Change a check run; annotations are added to those it has."""
    run = api.repository(repository).get_check_run(check_run)
    run.edit(**_fields(check))
    return made(run, "id")


def get(api: Api, repository: str, check_run: int) -> CheckRun:
    """Return one check run."""
    return completed(api.repository(repository).get_check_run(check_run), "id", "status", "output")


def of_ref(api: Api, repository: str, ref: str, *, name: str, app: int | None) -> list[CheckRun]:
    """Return a commit's check runs of a name, the newest first, also those since replaced.

    ``app`` (its id) keeps only those of an App: PyGithub cannot ask for it.
    """
    path = f"{api.repository(repository).url}/commits/{quoted(ref)}/check-runs"
    params = {"filter": "all", "check_name": name} | ({} if app is None else {"app_id": app})
    return list(listed(PaginatedList(CheckRun, api, path, params, list_item="check_runs"), "id"))


def _fields(check: Check) -> dict[str, Any]:
    return asdict(check, dict_factory=_given)


def _given(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """Return the fields that are given, as GitHub calls them."""
    return {
        "annotation_level" if name == "level" else name: list(value)
        if isinstance(value, tuple)
        else value
        for name, value in pairs
        if value is not None and (name, value) != ("annotations", ())
    }
