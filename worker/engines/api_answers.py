"""Validation of engines' answers against the APIs' schemas, before anybody sees them."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping, Sequence
from functools import cache
from typing import Any, cast

from analyzers import catalogue
from analyzers.catalogue.api_descriptions import data_files, register_cache
from analyzers.vocabulary import Json, JsonObject
from worker.engines.engine import Outage

Fields = Mapping[str, Mapping[str, Any]]


@cache
def schemas() -> tuple[Mapping[str, Fields], frozenset[str]]:
    """Return the fields by message, and the names of the enums."""
    messages: dict[str, Any] = {}
    enums: set[str] = set()
    for entry in data_files("schemas", ".json"):
        document = json.loads(entry.read_text("utf-8"))
        messages.update(document.get("messages", {}))
        enums.update(document.get("enums", {}))
    return messages, frozenset(enums)


register_cache(schemas.cache_clear)


def shape(api: str) -> tuple[str, bool]:
    """Return the message that an API's answer is (empty: unknown), and whether it is a list."""
    described = catalogue.load_catalogue().apis.get(api)
    message = (described.schema if described else None) or ""
    if described is None or described.input is None or not described.input.each:
        return message, bool(described and described.result.startswith("[]"))
    for step in filter(None, described.result.partition("[]")[0].split(".")):
        message = str(schemas()[0].get(message, {}).get(step, {}).get("type", ""))
    return message, False


_STEP = re.compile(r"_([a-z0-9])")
_HUMP = re.compile(r"(?<=[a-z0-9])([A-Z])")
_FREE_KEYS = frozenset({"metadata"})
_RENAMED = {"type": "type_"}


def canonical(answer: JsonObject) -> JsonObject:
    """Return Google's ``answer`` in snake case, ``type`` as ``type_``, ``metadata`` as it is."""
    return {(_RENAMED.get(key) or _snake(key)): _value(key, value) for key, value in answer.items()}


def by_schema(message: str, answer: JsonObject) -> JsonObject:
    """Return ``answer`` with the field names of the schema's ``message``, others in snake case."""
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


def _snake(key: str) -> str:
    return _HUMP.sub(lambda hump: "_" + hump[1].lower(), key)


def _camel(key: str) -> str:
    return _STEP.sub(lambda step: step[1].upper(), key)


MOST_BYTES = 8 * 1024 * 1024
DEEPEST = 64
# https://protobuf.dev/programming-guides/json/
_AS_STRINGS = frozenset(
    {"google.protobuf.Duration", "google.protobuf.Timestamp", "google.protobuf.FieldMask"}
)
_NOT_FINITE = frozenset({"NaN", "Infinity", "-Infinity"})


def validated_answer(api: str, answer: JsonObject) -> JsonObject:
    """Return the answer; raise ``Outage`` if it is not by the schema, or too large."""
    try:
        text = json.dumps(answer, allow_nan=False)
        if len(text) > MOST_BYTES:
            raise Outage(f"{api} was answered with more than {MOST_BYTES} bytes")
        problem = _depth(answer, DEEPEST) or _schema_problem(api, answer)
    except (TypeError, ValueError, RecursionError) as error:
        raise Outage(f"{api} was answered with something that is not JSON") from error
    if problem:
        raise Outage(f"{api} was answered against its schema: {problem}")
    return answer


def _schema_problem(api: str, answer: JsonObject) -> str:
    message, listed = shape(api)
    if not listed:
        return _problem(message, answer, "")
    elements = answer.get("elements", [])
    if not isinstance(elements, list | tuple):
        return "elements is no list"
    return next((p for item in elements if (p := _problem(message, item, "elements"))), "")


def _depth(value: Json, left: int) -> str:
    if isinstance(value, dict | list) and not left:
        return f"it is nested deeper than {DEEPEST}"
    inner = value.values() if isinstance(value, Mapping) else value
    if not isinstance(value, dict | list):
        return ""
    return next((p for item in cast("Any", inner) if (p := _depth(item, left - 1))), "")


def _problem(message: str, value: Json, place: str) -> str:
    if not isinstance(value, Mapping):
        return f"{place or 'it'} is no object"
    fields: Mapping[str, Any] = schemas()[0].get(message, {})
    for key, item in value.items():
        spec = fields.get(key) or fields.get(f"{key}_")
        problem = _field(spec, item, f"{place}.{key}".lstrip(".")) if spec else ""
        if problem:
            return problem
    return ""


def _field(spec: Mapping[str, Any], value: Json, place: str) -> str:
    if "map" in spec:
        return "" if isinstance(value, Mapping) else f"{place} is no object"
    if not spec.get("repeated"):
        return _single(str(spec["type"]), value, place)
    if not isinstance(value, list | tuple):
        return f"{place} is no list"
    return next((p for item in value if (p := _single(str(spec["type"]), item, place))), "")


def _single(kind: str, value: Json, place: str) -> str:
    messages, enums = schemas()
    if value is None:
        return ""
    if kind in enums:
        return "" if isinstance(value, str) or _is_integer(value) else f"{place} is no enum's value"
    if kind in _AS_STRINGS and isinstance(value, str):
        return ""
    if kind in messages:
        return _problem(kind, value, place)
    fits = _SCALARS.get(kind, _is_integer if "int" in kind else _anything)
    return "" if fits(value) else f"{place} is no {kind}"


def _is_integer(value: Json) -> bool:
    """Return whether it is an integer, which REST writes as a string where it has 64 bits."""
    if isinstance(value, str):
        return value.lstrip("-").isdecimal()
    return isinstance(value, int | float) and not isinstance(value, bool) and value == int(value)


def _is_number(value: Json) -> bool:
    number = isinstance(value, int | float) and not isinstance(value, bool)
    return number or (isinstance(value, str) and value in _NOT_FINITE)


def _anything(value: Json) -> bool:
    del value
    return True


def _is_string(value: Json) -> bool:
    return isinstance(value, str)


def _is_bool(value: Json) -> bool:
    return isinstance(value, bool)


_SCALARS: dict[str, Callable[[Json], bool]] = {
    "string": _is_string,
    "bytes": _is_string,
    "bool": _is_bool,
    "float": _is_number,
    "double": _is_number,
}
