"""What pydantic found wrong, as one sentence that names file, line and key."""

from __future__ import annotations

from collections.abc import Sequence
from difflib import get_close_matches
from typing import Any

from pydantic import BaseModel, ValidationError

from worker.errors import UsageError
from worker.settings.toml import dotted, line_of


def complaint(
    error: ValidationError, model: type[BaseModel], text: str, file: str, root: Sequence[str] = ()
) -> UsageError:
    """The first thing wrong in the table at ``root`` of a TOML text."""
    first = error.errors(include_url=False, include_input=False)[0]
    path = [*root, *first["loc"]]
    shown = path
    while path and line_of(text, path) is None:
        path = path[:-1]
    if first["type"] != "missing":
        shown = path
    return UsageError(
        sentence(error, model), file=file, line=line_of(text, path), key=dotted(shown)
    )


def sentence(error: ValidationError, model: type[BaseModel]) -> str:
    """What is wrong first, without the value, which may be a secret."""
    first = error.errors(include_url=False, include_input=False)[0]
    if first["type"] == "extra_forbidden":
        return _unknown(first["loc"], model)
    if first["type"] == "missing":
        return "this key is required"
    message = first["msg"].removeprefix("Value error, ").replace("valid tuple", "list")
    return message[:1].lower() + message[1:]


def _unknown(location: Sequence[Any], model: type[BaseModel]) -> str:
    known = _keys(model, location[:-1])
    close = get_close_matches(str(location[-1]), known, n=1)
    if close:
        return f"unknown key; did you mean `{close[0]}`?"
    return f"unknown key; known are: {', '.join(known)}" if known else "unknown key"


def _keys(model: type[BaseModel], location: Sequence[Any]) -> list[str]:
    table: Any = model.model_json_schema(by_alias=True)
    definitions = table.get("$defs", {})
    for key in location:
        table = _below(_resolved(table, definitions), key)
    return sorted(_resolved(table, definitions).get("properties", {}))


def _resolved(table: dict[str, Any], definitions: dict[str, Any]) -> dict[str, Any]:
    for choice in (table, *table.get("anyOf", ())):
        if "$ref" in choice:
            found: dict[str, Any] = definitions[choice["$ref"].rsplit("/", 1)[1]]
            return found
    return table


def _below(table: dict[str, Any], key: str | int) -> dict[str, Any]:
    if isinstance(key, int):
        return dict(table.get("items", {}))
    properties = table.get("properties", {})
    return dict(properties.get(key, table.get("additionalProperties", {}) or {}))
