"""REST JSON of Google's APIs as the schema's own field names."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

from analyzers.vocabulary import Json, JsonObject

_STEP = re.compile(r"_([a-z0-9])")
_HUMP = re.compile(r"(?<=[a-z0-9])([A-Z])")
_FREE_KEYS = frozenset({"metadata"})
_RENAMED = {"type": "type_"}


def canonical(answer: JsonObject) -> JsonObject:
    """``answer`` with ``lowerCamelCase`` keys in snake case, ``type`` as ``type_``.

    The keys inside ``metadata`` are data and stay.
    """
    return {_field(key): _value(key, value) for key, value in answer.items()}


def rest(value: Json) -> Json:
    """A request's part as REST writes it: snake case keys in ``lowerCamelCase``."""
    if isinstance(value, Mapping):
        return {
            _STEP.sub(lambda step: step[1].upper(), key): rest(item) for key, item in value.items()
        }
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
    return _RENAMED.get(key) or _HUMP.sub(lambda hump: "_" + hump[1].lower(), key)
