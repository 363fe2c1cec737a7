"""REST JSON as the schema's own field names."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

from analyzers.vocabulary import Json, JsonObject
from worker.engines.schemas import schemas

_STEP = re.compile(r"_([a-z0-9])")
_HUMP = re.compile(r"(?<=[a-z0-9])([A-Z])")
_FREE_KEYS = frozenset({"metadata"})
_RENAMED = {"type": "type_"}


def canonical(answer: JsonObject) -> JsonObject:
    """Google's ``answer`` with ``lowerCamelCase`` keys in snake case, ``type`` as ``type_``.

    The keys inside ``metadata`` are data and stay.
    """
    return {_field(key): _value(key, value) for key, value in answer.items()}


def by_schema(message: str, answer: JsonObject) -> JsonObject:
    """``answer`` with the field names of the schema's ``message``.

    A field is found by its name on the wire, else by its own in camel case or
    as it is; what the schema lacks is written in snake case.
    """
    fields = schemas()[0].get(message, {})
    known = {spec.get("wire") or _camel(key): key for key, spec in fields.items()}
    named: dict[str, Json] = {}
    for key, value in answer.items():
        name = known.get(key) or (key if key in fields else _snake(key))
        spec = fields.get(name, {})
        kind = "" if "map" in spec else str(spec.get("type", ""))
        named[name] = value if "map" in spec else _inner(kind, value)
    return named


def _inner(message: str, value: Json) -> Json:
    if isinstance(value, Mapping):
        return by_schema(message, value)
    if isinstance(value, Sequence) and not isinstance(value, str):
        return [_inner(message, item) for item in value]
    return value


def rest(value: Json) -> Json:
    """A request's part as REST writes it: snake case keys in ``lowerCamelCase``."""
    if isinstance(value, Mapping):
        return {_camel(key): rest(item) for key, item in value.items()}
    if isinstance(value, Sequence) and not isinstance(value, str):
        return [rest(item) for item in value]
    return value


def _value(key: str, value: Json) -> Json:
    if isinstance(value, Mapping):
        return value if key in _FREE_KEYS else canonical(value)
    if isinstance(value, Sequence) and not isinstance(value, str):
        return [_value(key, item) for item in value]
    return value


def _field(key: str) -> str:
    return _RENAMED.get(key) or _snake(key)


def _snake(key: str) -> str:
    return _HUMP.sub(lambda hump: "_" + hump[1].lower(), key)


def _camel(key: str) -> str:
    return _STEP.sub(lambda step: step[1].upper(), key)
