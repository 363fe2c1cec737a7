"""Errors of pydantic, as one sentence that names file, line and key."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Sequence
from difflib import get_close_matches
from typing import Any

from pydantic import BaseModel, ValidationError

from worker.errors import UsageError

_AT_LINE = re.compile(r"\(at line (\d+), column \d+\)|\(at end of document\)")


def parse(text: str, file: str) -> dict[str, Any]:
    """Return the document of a TOML text; ``UsageError`` with file and line."""
    try:
        return tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        place = _AT_LINE.search(str(error))
        last = text.count("\n") + 1
        line = int(place[1]) if place and place[1] else last
        said = _AT_LINE.sub("", str(error)).strip()
        raise UsageError(f"this is not TOML: {said}", file=file, line=line) from error


def line_of(text: str, path: Sequence[str | int]) -> int | None:
    """Return the 1-based line of the statement that sets ``path``, ``None`` if none does."""
    lines = text.splitlines(keepends=True)
    if not _has(_prefix(lines, len(lines)), path):
        return None
    low, high = 1, len(lines)
    while low < high:
        middle = (low + high) // 2
        if _has(_prefix(lines, middle), path):
            high = middle
        else:
            low = middle + 1
    return low


def dotted(path: Sequence[str | int]) -> str:
    """A path as TOML writes it: ``engines."google.vision".endpoint``."""
    return ".".join(key if re.fullmatch(r"[\w-]+", key) else f'"{key}"' for key in map(str, path))


def _prefix(lines: Sequence[str], count: int) -> Any:
    """Return the document of the first ``count`` lines, or of the fewest more that parse."""
    for end in range(count, len(lines) + 1):
        try:
            return tomllib.loads("".join(lines[:end]))
        except tomllib.TOMLDecodeError:
            continue
    return {}


def _has(document: Any, path: Sequence[str | int]) -> bool:
    for key in path:
        try:
            document = document[key]
        except (KeyError, IndexError, TypeError):
            return False
    return True


def configuration_problem(
    error: ValidationError, model: type[BaseModel], text: str, file: str, root: Sequence[str] = ()
) -> UsageError:
    """Return the first thing wrong in the table at ``root`` of a TOML text."""
    first = error.errors(include_url=False, include_input=False)[0]
    path = [*root, *first["loc"]]
    shown = path
    while path and line_of(text, path) is None:
        path = path[:-1]
    if first["type"] != "missing":
        shown = path
    return UsageError(
        problem_sentence(error, model), file=file, line=line_of(text, path), key=dotted(shown)
    )


def problem_sentence(error: ValidationError, model: type[BaseModel]) -> str:
    """Return what is wrong first, without the value, which may be a secret."""
    first = error.errors(include_url=False, include_input=False)[0]
    if first["type"] == "extra_forbidden":
        location = first["loc"]
        known = _keys(model, location[:-1])
        close = get_close_matches(str(location[-1]), known, n=1)
        if close:
            return f"unknown key; did you mean `{close[0]}`?"
        return f"unknown key; known are: {', '.join(known)}" if known else "unknown key"
    if first["type"] == "missing":
        return "this key is required"
    message = first["msg"].removeprefix("Value error, ").replace("valid tuple", "list")
    return message[:1].lower() + message[1:]


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
