"""The schemas of answers, and which part of them one answer of an API is."""

from __future__ import annotations

import json
from collections.abc import Mapping
from functools import cache
from typing import Any

from analyzers import catalogue
from analyzers.catalogue.places import data, forgotten_by

Fields = Mapping[str, Mapping[str, Any]]


@cache
def schemas() -> tuple[Mapping[str, Fields], frozenset[str]]:
    """The fields by message, and the names of the enums."""
    messages: dict[str, Any] = {}
    enums: set[str] = set()
    for entry in data("schemas", ".json"):
        document = json.loads(entry.read_text("utf-8"))
        messages.update(document.get("messages", {}))
        enums.update(document.get("enums", {}))
    return messages, frozenset(enums)


forgotten_by(schemas.cache_clear)


def shape(api: str) -> tuple[str, bool]:
    """The message that an answer of an API is, and whether it is a list of them.

    A list stands in the answer as ``elements``.  The name is empty where the
    catalogue says nothing.
    """
    described = catalogue.load().apis.get(api)
    message = (described.schema if described else None) or ""
    if described is None or described.input is None or not described.input.each:
        return message, bool(described and described.result.startswith("[]"))
    for step in filter(None, described.result.partition("[]")[0].split(".")):
        message = str(schemas()[0].get(message, {}).get(step, {}).get("type", ""))
    return message, False
