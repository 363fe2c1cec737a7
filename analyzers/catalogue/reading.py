"""Reads the descriptions from the TOML files beside it."""

from __future__ import annotations

import json
import tomllib
from typing import Any

from analyzers.catalogue.model import Api, Descriptions, Factory, InputField, Meaning, Transport
from analyzers.catalogue.places import data
from analyzers.vocabulary import JsonObject

TRANSPORT = "transport.toml"
_LISTS = ("methods", "requests", "rest", "hosts")


def read() -> Descriptions:
    """All descriptions.

    Raises ``tomllib.TOMLDecodeError``, ``KeyError`` or ``TypeError`` where a
    file is malformed.
    """
    tables = {
        entry.name: tomllib.loads(entry.read_text("utf-8")) for entry in data("apis", ".toml")
    }
    transport = tables.pop(TRANSPORT)
    aliases: dict[str, str] = dict(transport["aliases"])
    apis: dict[str, Api] = {}
    factories: dict[str, Factory] = {}
    hints: set[tuple[str, ...]] = set()
    for _, table in sorted(tables.items()):
        aliases.update(table.get("aliases", {}))
        hints.update(tuple(words) for words in table["hints"])
        for call, argument in table.get("factories", ()):
            factories[call] = Factory(call, argument)
        apis.update((api.name, api) for api in _apis(table))
    return Descriptions(
        apis,
        aliases,
        factories,
        tuple(sorted(hints)),
        Transport(
            frozenset(transport["calls"]),
            frozenset(transport["attributes"]),
            frozenset(transport["faults"]),
            frozenset(transport["transparent"]),
            tuple(transport["regions"]),
        ),
    )


def _apis(table: dict[str, Any]) -> list[Api]:
    shared = {"hosts": table.get("hosts", ())} | table.get("shared", {})
    if "target" in table:
        shared["target"] = table["target"]
    return [_api(table["provider"], shared | entry) for entry in table["api"]]


def _api(provider: str, entry: dict[str, Any]) -> Api:
    fields = dict(entry)
    for key in _LISTS:
        fields[key] = tuple(fields.get(key, ()))
    if "target" in fields:
        operation = fields["schema"].rpartition(".")[2].removesuffix("Response")
        fields["target"] = f"{fields['target']}.{operation}"
    if "input" in fields:
        fields["input"] = InputField(**fields["input"])
    says = fields.pop("says", ())
    fields["says"] = tuple(_meaning(meaning, fields["task"]) for meaning in says)
    fields["name"] = f"{provider}.{fields['name']}"
    return Api(provider=provider, **fields)


def _meaning(entry: dict[str, Any], task: str) -> Meaning:
    fields: dict[str, Any] = {"task": task, "readings": {}, **entry}
    at = fields["at"]
    fields["at"] = (at,) if isinstance(at, str) else tuple(at)
    return Meaning(**fields)


def read_ordinary() -> dict[str, JsonObject]:
    """An everyday answer of each API that has one, by name."""
    answers: dict[str, JsonObject] = {}
    for entry in data("ordinary", ".json"):
        answers.update(json.loads(entry.read_text("utf-8")))
    return answers
