"""The enumerations in canonical answers, by the providers' schemas."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache

from analyzers.catalogue.model import Api
from analyzers.catalogue.places import data, forgotten_by
from analyzers.vocabulary import Json, JsonObject


@dataclass(frozen=True, slots=True)
class _Schemas:
    """The type of each field of each message, and the members of each enum in order."""

    fields: Mapping[str, Mapping[str, str]]
    members: Mapping[str, tuple[str, ...]]


def enums_of(api: Api, answer: JsonObject) -> tuple[tuple[str, ...], ...]:
    """The members of each enum that stands in an answer."""
    found: dict[tuple[str, ...], None] = {}

    def note(members: tuple[str, ...], value: str) -> str:
        found[members] = None
        return value

    _each(api, answer, note)
    return tuple(found)


def has_status(api: Api) -> bool:
    """Whether an answer says in its field ``error`` that the API failed."""
    return _schemas().fields.get(_message(api), {}).get("error") == "google.rpc.Status"


def with_member(api: Api, answer: JsonObject, number: int) -> JsonObject:
    """The answer with the member of that number (from 0, in a circle) in every enum field."""
    changed = _each(api, answer, lambda members, _: members[number % len(members)])
    assert isinstance(changed, Mapping)
    return changed


def _each(api: Api, answer: Json, choose: Callable[[tuple[str, ...], str], str]) -> Json:
    """The answer with what ``choose`` says in the place of every enum's value."""
    schemas = _schemas()

    def walk(value: Json, kind: str) -> Json:
        if isinstance(value, Mapping):
            fields = schemas.fields.get(kind, {})
            return {name: walk(inner, fields.get(name, "")) for name, inner in value.items()}
        if isinstance(value, Sequence) and not isinstance(value, str):
            return [walk(inner, kind) for inner in value]
        members = schemas.members.get(kind)
        return choose(members, value) if members and isinstance(value, str) else value

    return walk(answer, _message(api))


def _message(api: Api) -> str:
    """``google.cloud.vision_v1.types.X`` as ``google.cloud.vision.v1.X``."""
    return (api.schema or "").replace(".types.", ".").replace("_v", ".v")


@cache
def _schemas() -> _Schemas:
    fields: dict[str, Mapping[str, str]] = {}
    members: dict[str, tuple[str, ...]] = {}
    for entry in data("schemas", ".json"):
        document = json.loads(entry.read_text("utf-8"))
        for message, described in document["messages"].items():
            fields[message] = {name: each.get("type", "") for name, each in described.items()}
        for enum, numbers in document["enums"].items():
            members[enum] = tuple(sorted(numbers, key=numbers.__getitem__))
    return _Schemas(fields, members)


forgotten_by(_schemas.cache_clear)
