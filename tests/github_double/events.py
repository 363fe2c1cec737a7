"""What GitHub tells by webhook: recorded payloads with our state's values in them."""

from __future__ import annotations

import json
from functools import cache
from typing import Any

from tests.github_double import openapi_description
from tests.github_double.rest_objects import MANIFEST, node
from tests.github_double.shared_services import Hub
from tests.github_double.state import (
    Account,
    CheckRun,
    CheckSuite,
    Installation,
    IssueComment,
    Pull,
    Repository,
    ReviewComment,
)

UNASKED = frozenset({"installation", "installation_repositories", "ping"})
"""Sent to every App."""

HEARD = UNASKED | frozenset(MANIFEST["default_events"])
"""The events that the App asked for, and those."""


@cache
def _templates() -> dict[str, str]:
    recorded = json.loads((openapi_description.FOLDER / "templates.json").read_text())
    return {name: json.dumps(payload) for name, payload in recorded.items()}


def _template(hub: Hub, name: str, repository: Repository | None) -> dict[str, Any]:
    text = _templates()[name].replace("https://api.github.com", hub.shapes.api)
    if repository:
        text = text.replace("Codertocat/Hello-World", repository.full_name)
    whole: dict[str, Any] = json.loads(text)
    return whole


def overlay(template: Any, ours: Any) -> Any:
    """``ours`` where it says something, the recorded payload for the rest."""
    if isinstance(template, dict) and isinstance(ours, dict):
        return {**template, **{k: overlay(template.get(k), v) for k, v in ours.items()}}
    return ours


class EventSender:
    """Builds payloads and hands them to the sender; ``send(event, payload, ids)``."""

    def __init__(self, hub: Hub) -> None:
        self._hub = hub
        self.heard = HEARD

    def pull(self, action: str, pull: Pull, sender: Account, **more: Any) -> None:
        payload = {
            "action": action,
            "number": pull.number,
            "pull_request": self._hub.shapes.pull(pull),
            **more,
        }
        self._send("pull_request", "pull_request.opened", payload, pull.repository, sender)

    def issue_comment(
        self, action: str, comment: IssueComment, sender: Account, **more: Any
    ) -> None:
        payload = {
            "action": action,
            "issue": self._hub.shapes.issue(comment.issue),
            "comment": self._hub.shapes.issue_comment(comment),
            **more,
        }
        self._send(
            "issue_comment", "issue_comment.created", payload, comment.issue.repository, sender
        )

    def review_comment(
        self, action: str, comment: ReviewComment, sender: Account, **more: Any
    ) -> None:
        payload = {
            "action": action,
            "comment": self._hub.shapes.review_comment(comment),
            "pull_request": self._hub.shapes.pull_simple(comment.pull),
            **more,
        }
        self._send(
            "pull_request_review_comment",
            "pull_request_review_comment.created",
            payload,
            comment.pull.repository,
            sender,
        )

    def check_run(self, action: str, run: CheckRun, sender: Account, **more: Any) -> None:
        shape = self._hub.shapes.check_run(run)
        suite = self._hub.shapes.suite(run.suite)
        for name in ("repository", "latest_check_runs_count", "check_runs_url", "head_commit"):
            suite.pop(name)
        payload = {"action": action, "check_run": shape | {"check_suite": suite}, **more}
        self._send("check_run", "check_run.created", payload, run.repository, sender)

    def check_suite(self, action: str, suite: CheckSuite, sender: Account) -> None:
        shape = self._hub.shapes.suite(suite)
        shape.pop("repository")
        payload = {"action": action, "check_suite": shape}
        if action == "requested":
            shape["status"], shape["conclusion"] = "queued", None
        self._send("check_suite", "check_suite.requested", payload, suite.repository, sender)

    def merge_group(
        self, action: str, repository: Repository, group: dict[str, Any], sender: Account
    ) -> None:
        payload = {"action": action, "merge_group": group}
        if action == "destroyed":
            payload["reason"] = "merged"
        self._send("merge_group", "merge_group.checks_requested", payload, repository, sender)

    def installation(self, action: str, installation: Installation, sender: Account) -> None:
        payload: dict[str, Any] = {
            "action": action,
            "installation": self._installation(installation),
        }
        if action in {"created", "deleted"}:
            payload["repositories"] = self._short(sorted(installation.repositories))
        self._out("installation", "installation.suspend", payload, installation, None, sender)

    def installation_repositories(
        self, installation: Installation, added: list[int], removed: list[int], sender: Account
    ) -> None:
        payload = {
            "action": "added" if added else "removed",
            "installation": self._installation(installation),
            "repository_selection": installation.selection,
            "repositories_added": self._short(added),
            "repositories_removed": self._short(removed),
            "requester": None,
        }
        name = "installation_repositories"
        self._out(name, f"{name}.added", payload, installation, None, sender)

    def repository(self, action: str, repository: Repository, sender: Account, **more: Any) -> None:
        payload = {"action": action, **more}
        self._send("repository", "repository.renamed", payload, repository, sender)

    def ping(self, sender: Account) -> None:
        hook = {
            "type": "App",
            "id": 1,
            "name": "web",
            "active": True,
            "events": sorted(self.heard),
            "config": {"content_type": "json", "insecure_ssl": "0", "url": "https://hook.example"},
            "created_at": "2026-01-01T00:00:00Z",
            "updated_at": "2026-01-01T00:00:00Z",
            "app_id": self._hub.app.id,
            "deliveries_url": f"{self._hub.shapes.api}/app/hook/deliveries",
        }
        payload = {"zen": "Design for failure.", "hook_id": 1, "hook": hook}
        self._out("ping", "ping", payload, None, None, sender)

    def _installation(self, installation: Installation) -> dict[str, Any]:
        return self._hub.shapes.installation(installation)

    def _short(self, ids: list[int]) -> list[dict[str, Any]]:
        found = [self._hub.state.repositories[number] for number in ids]
        return [
            {
                "id": repository.id,
                "node_id": node("R", repository.id),
                "name": repository.name,
                "full_name": repository.full_name,
                "private": repository.private,
            }
            for repository in found
        ]

    def _send(
        self,
        event: str,
        template: str,
        payload: dict[str, Any],
        repository: Repository,
        sender: Account,
    ) -> None:
        installation = self._hub.installation_of(repository)
        if installation is None or installation.suspended_at:
            return
        payload["repository"] = self._hub.shapes.repository(repository)
        payload["installation"] = {
            "id": installation.id,
            "node_id": node("I", installation.id),
        }
        self._out(event, template, payload, installation, repository, sender)

    def _out(
        self,
        event: str,
        template: str,
        payload: dict[str, Any],
        installation: Installation | None,
        repository: Repository | None,
        sender: Account,
    ) -> None:
        if event not in self.heard:
            return
        if event != "ping":
            payload["sender"] = self._hub.shapes.user(sender)
        recorded = _template(self._hub, template, repository)
        whole = {key: overlay(recorded.get(key), value) for key, value in payload.items()}
        self._hub.violated(f"event {event}", *openapi_description.events().wrong_with(event, whole))
        self._hub.deliveries.keep(
            event,
            whole,
            installation.id if installation else None,
            repository.id if repository else None,
        )
