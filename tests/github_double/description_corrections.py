"""Where GitHub's own description is known to be wrong, and how the double reads it instead."""

from __future__ import annotations

from typing import Any

UNDESCRIBED = {
    ("checks/create", 422): "the description lists no refusal; seen in observed-errors.json",
    ("checks/update", 422): "the description lists no refusal; seen in observed-errors.json",
    ("checks/create", 403): "the description lists no lack of permission",
    ("checks/update", 403): "the description lists no lack of permission",
    ("repos/create-commit-status", 422): "unknown commits are refused, see observed-errors.json",
    ("pulls/create-reply-for-review-comment", 422): "a reply without a body is refused",
    ("pulls/update-review-comment", 422): "a comment without a body is refused",
    ("repos/list-pull-requests-associated-with-commit", 422): "an unknown commit is refused",
    ("issues/create-comment", 403): "described, kept here because locked issues answer so too",
}
"""Refusals that GitHub gives and its description does not list: any JSON with a message."""

ALWAYS = frozenset({301, 307, 401, 403, 404, 410, 429, 500, 501, 502, 503})
"""Statuses that every operation may answer whether listed or not (authentication, limits)."""


def mend(document: dict[str, Any]) -> None:
    """Correct the OpenAPI document in place."""
    schemas = document["components"]["schemas"]
    _gone_forks(schemas)
    _outdated_lines(schemas)
    _installations(document)
    _workings(document)


def _installations(document: dict[str, Any]) -> None:
    """The list has its own copy, whose account is a user and an enterprise at once."""
    answers = document["paths"]["/app/installations"]["get"]["responses"]
    schema = answers["200"]["content"]["application/json"]["schema"]
    schema["items"] = {"$ref": "#/components/schemas/installation"}


def _gone_forks(schemas: dict[str, Any]) -> None:
    """``head.repo`` is null once the fork is deleted (desktop/desktop#3022)."""
    for name in ("pull-request", "pull-request-simple"):
        head = schemas[name]["properties"]["head"]["properties"]
        head["repo"] = {"nullable": True, "allOf": [head["repo"]]}
        head["user"] = {"nullable": True, "allOf": [head["user"]]}


def _outdated_lines(schemas: dict[str, Any]) -> None:
    """A comment's lines are null once it is outdated, and always on a whole file."""
    for name in ("pull-request-review-comment", "review-comment"):
        properties = schemas[name]["properties"]
        for line in ("line", "original_line", "position", "original_position"):
            if line in properties:
                properties[line] = {"nullable": True, "allOf": [properties[line]]}


def _workings(document: dict[str, Any]) -> None:
    """What a body may be where the description says nothing of it."""
    for path, method in (
        ("/app/hook/deliveries/{delivery_id}/attempts", "post"),
        ("/repos/{owner}/{repo}/check-runs/{check_run_id}/rerequest", "post"),
        ("/repos/{owner}/{repo}/check-suites/{check_suite_id}/rerequest", "post"),
    ):
        document["paths"][path][method].pop("requestBody", None)


def mend_events(schemas: dict[str, Any]) -> None:
    """Correct the webhooks' schemas in place."""
    for schema in schemas.values():
        _gone_fork_in(schema)
        _bots_addresses_in(schema)


def _bots_addresses_in(schema: Any) -> None:
    """The address of a bot, ``assayer[bot]@…``, is none by the standard."""
    if isinstance(schema, list):
        for item in schema:
            _bots_addresses_in(item)
    if isinstance(schema, dict):
        if schema.get("format") == "email":
            del schema["format"]
        for value in schema.values():
            _bots_addresses_in(value)


def _gone_fork_in(schema: Any) -> None:
    """The same hole as in REST: a deleted fork's ``head.repo`` is null in payloads too."""
    if isinstance(schema, list):
        for item in schema:
            _gone_fork_in(item)
    if not isinstance(schema, dict):
        return
    properties = schema.get("properties")
    if isinstance(properties, dict) and {"label", "ref", "repo", "sha"} <= set(properties):
        repo = properties["repo"]
        if "anyOf" not in repo:
            properties["repo"] = {"anyOf": [repo, {"type": "null"}]}
    for value in list(schema.values()):
        _gone_fork_in(value)
