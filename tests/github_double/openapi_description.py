"""GitHub's description of itself: which operation a request is, and what it may say."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache, cached_property
from pathlib import Path
from typing import Any
from urllib.parse import unquote

import jsonschema_rs

from tests.github_double.description_corrections import ALWAYS, UNDESCRIBED, mend, mend_events

FOLDER = Path(__file__).parent / "description"
_ERROR = {
    "type": "object",
    "properties": {"message": {"type": "string"}},
    "required": ["message"],
}


@dataclass(frozen=True)
class Operation:
    """One thing that a client may ask."""

    id: str
    method: str
    template: str
    pattern: re.Pattern[str]
    body: dict[str, Any] | None
    body_required: bool
    query: dict[str, dict[str, Any]]
    required_query: frozenset[str]
    statuses: dict[int, dict[str, Any] | None]


class Description:
    """The operations, and checks of requests and answers against them."""

    def __init__(self, document: dict[str, Any]) -> None:
        mend(document)
        self._document = _plain(document)
        self._registry = jsonschema_rs.Registry(
            [("urn:github", {"components": self._document["components"]})]
        )
        self._operations = list(self._read())
        self._operations.sort(key=lambda o: (-_literal(o.template), o.template))
        self._validators: dict[str, Any] = {}

    @cached_property
    def operations(self) -> dict[str, Operation]:
        return {operation.id: operation for operation in self._operations}

    def find(self, method: str, path: str) -> tuple[Operation, dict[str, str]] | None:
        """The operation that a raw path means, and its parameters."""
        for operation in self._operations:
            if operation.method == method and (found := operation.pattern.fullmatch(path)):
                return operation, {k: unquote(v) for k, v in found.groupdict().items()}
        return None

    def wrong_with_body(self, operation: Operation, body: Any) -> list[str]:
        """What the description has against a request's body (``None``: there is none)."""
        if operation.body is None:
            return [] if body in (None, {}) else ["this operation takes no body"]
        if body is None:
            return ["the body is missing"] if operation.body_required else []
        wrong = self._errors(f"{operation.id} body", operation.body, body)
        return wrong + list(self._unknown(operation.body, body, ""))

    def wrong_with_query(self, operation: Operation, query: list[tuple[str, str]]) -> list[str]:
        """What it has against the query."""
        wrong = [
            f"query {name} is missing" for name in operation.required_query - {n for n, _ in query}
        ]
        for name, value in query:
            schema = operation.query.get(name)
            if schema is None:
                wrong.append(f"query {name} is unknown")
            elif not any(self._fits(operation, name, schema, v) for v in _readings(value)):
                wrong.append(f"query {name}={value!r} is not allowed")
        return wrong

    def wrong_with_answer(self, operation: Operation, status: int, body: Any) -> list[str]:
        """What it has against an answer of the double."""
        if status in operation.statuses:
            schema = operation.statuses[status]
            if schema is None:
                return [] if body is None else [f"{status} has no body"]
            return self._errors(f"{operation.id} {status}", schema, body)
        if status in ALWAYS or (operation.id, status) in UNDESCRIBED:
            return self._errors("error", _ERROR, body)
        return [f"status {status} is not described"]

    def _fits(self, operation: Operation, name: str, schema: dict[str, Any], value: Any) -> bool:
        return not self._errors(f"{operation.id} ?{name}", schema, value)

    def _errors(self, key: str, schema: dict[str, Any], value: Any) -> list[str]:
        validator = self._validators.get(key)
        if validator is None:
            validator = jsonschema_rs.Draft202012Validator(
                schema, registry=self._registry, validate_formats=True
            )
            self._validators[key] = validator
        return problems(validator, value)

    def _unknown(self, schema: dict[str, Any], value: Any, at: str) -> Iterator[str]:
        """Names that the description does not know: GitHub would pass over them in silence."""
        schema = self._followed(schema)
        if isinstance(value, list) and "items" in schema:
            for item in value:
                yield from self._unknown(schema["items"], item, f"{at}[]")
        if not isinstance(value, dict):
            return
        allowed = dict(self._properties(schema))
        if not allowed or schema.get("additionalProperties"):
            return
        for name, inner in value.items():
            if name not in allowed:
                yield f"{at}.{name} is unknown"
            else:
                yield from self._unknown(allowed[name], inner, f"{at}.{name}")

    def _properties(self, schema: dict[str, Any]) -> Iterator[tuple[str, dict[str, Any]]]:
        schema = self._followed(schema)
        for key in ("oneOf", "anyOf", "allOf"):
            for inner in schema.get(key, []):
                yield from self._properties(inner)
        yield from schema.get("properties", {}).items()

    def _followed(self, schema: dict[str, Any]) -> dict[str, Any]:
        while "$ref" in schema:
            _, kind, name = schema["$ref"].rsplit("/", 2)
            schema = self._document["components"][kind][name]
        return schema

    def _read(self) -> Iterator[Operation]:
        for template, item in self._document["paths"].items():
            for method, operation in item.items():
                parameters = [self._followed(p) for p in operation.get("parameters", [])]
                query = {p["name"]: p["schema"] for p in parameters if p["in"] == "query"}
                body = operation.get("requestBody", {})
                yield Operation(
                    operation["operationId"],
                    method.upper(),
                    template,
                    _pattern(template),
                    _json(body),
                    bool(body.get("required")),
                    query,
                    frozenset(
                        p["name"] for p in parameters if p["in"] == "query" and p.get("required")
                    ),
                    {
                        int(status): _json(self._followed(answer))
                        for status, answer in operation["responses"].items()
                    },
                )


class EventSchemas:
    """The schemas of what GitHub sends."""

    def __init__(self, document: dict[str, Any]) -> None:
        mend_events(document["components"]["schemas"])
        self._events = _renamed(document["events"])
        components = {"components": _renamed(document["components"])}
        self._registry = jsonschema_rs.Registry([("urn:github", components)])
        self._validators: dict[str, Any] = {}

    def wrong_with(self, event: str, payload: dict[str, Any]) -> list[str]:
        """What the description has against a payload."""
        name = f"{event}.{payload['action']}" if "action" in payload else event
        if name not in self._events:
            return [f"event {name} is unknown"]
        if name not in self._validators:
            self._validators[name] = jsonschema_rs.Draft202012Validator(
                self._events[name], registry=self._registry, validate_formats=True
            )
        return problems(self._validators[name], payload)


@cache
def operations() -> Description:
    return Description(json.loads((FOLDER / "openapi.json").read_text()))


@cache
def events() -> EventSchemas:
    return EventSchemas(json.loads((FOLDER / "webhooks.json").read_text()))


def problems(validator: Any, value: Any) -> list[str]:
    """The first few complaints, each with its place."""
    if validator.is_valid(value):
        return []
    found = []
    for error in validator.iter_errors(value):
        place = "/".join(str(part) for part in error.instance_path)
        found.append(f"{place or '.'}: {error.message[:300]}")
        if len(found) == 5:
            break
    return found


def _json(part: dict[str, Any]) -> dict[str, Any] | None:
    content = part.get("content", {})
    for kind in ("application/json", "application/scim+json"):
        if kind in content:
            schema: dict[str, Any] = content[kind]["schema"]
            return schema
    return None


def _literal(template: str) -> int:
    return len(re.sub(r"\{\w+\}", "", template))


def _pattern(template: str) -> re.Pattern[str]:
    deep = {"path", "ref", "basehead"}
    escaped = re.sub(
        r"\\\{(\w+)\\\}",
        lambda m: f"(?P<{m[1]}>{'.+' if m[1] in deep else '[^/]+'})",
        re.escape(template),
    )
    return re.compile(escaped)


def _readings(value: str) -> Iterator[Any]:
    yield value
    if re.fullmatch(r"-?\d{1,15}", value):
        yield int(value)
    if value in {"true", "false"}:
        yield value == "true"


def _plain(schema: Any) -> Any:
    """OpenAPI 3.0 as JSON Schema 2020-12: ``nullable`` becomes a type."""
    if isinstance(schema, list):
        return [_plain(item) for item in schema]
    if not isinstance(schema, dict):
        return schema
    out = {key: _plain(value) for key, value in schema.items() if key != "nullable"}
    if isinstance(out.get("$ref"), str):
        out["$ref"] = out["$ref"].replace("#/", "urn:github#/")
    return _nullable(out) if schema.get("nullable") is True else out


def _nullable(schema: dict[str, Any]) -> dict[str, Any]:
    return {"anyOf": [schema, {"type": "null"}]}


def _renamed(schema: Any) -> Any:
    if isinstance(schema, list):
        return [_renamed(item) for item in schema]
    if isinstance(schema, dict):
        return {
            key: value.replace("#/", "urn:github#/")
            if key == "$ref" and isinstance(value, str)
            else _renamed(value)
            for key, value in schema.items()
        }
    return schema
