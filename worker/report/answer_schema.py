"""The part of the providers' schemas that recorded answers need.

A stand-in for an SDK that is not installed must know what a field is that an
answer leaves out, which fields are enums, and which are rounded.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from typing import Any

from analyzers.catalogue import load
from analyzers.catalogue.places import data, forgotten_by
from analyzers.vocabulary import Exchange, Json

_SCALARS = {
    "string": "str",
    "bytes": "bytes",
    "bool": "bool",
    "float": "float",
    "double": "double",
}
_BATCH = {"BatchAnnotateImagesResponse": {"responses": "[AnnotateImageResponse]"}}


@dataclass(slots=True)
class AnswerSchema:
    """Fields by message and members by enum, under short names.

    A field's type is ``str``, ``int``, ``float`` (rounded to single
    precision), ``double``, ``bool``, ``bytes``, an enum or a message; in
    brackets when it is repeated.
    """

    messages: dict[str, dict[str, str]] = field(default_factory=dict[str, dict[str, str]])
    enums: dict[str, dict[str, int]] = field(default_factory=dict[str, dict[str, int]])


def answer_schema(exchanges: Iterable[Exchange]) -> AnswerSchema:
    """The schema of the messages in the answers, and of those that stand in them once."""
    found = AnswerSchema()
    apis = load().apis
    for exchange in exchanges:
        api = apis.get(exchange.api)
        if api is not None and api.schema:
            _collect(_message_name(api.schema), exchange.answer, found)
    if "AnnotateImageResponse" in found.messages:
        found.messages.update(_BATCH)
    return found


def _message_name(path: str) -> str:
    """``google.cloud.vision_v1.types.X`` as ``google.cloud.vision.v1.X``."""
    return path.replace(".types.", ".").replace("_v", ".v")


@cache
def _schemas() -> tuple[Mapping[str, Any], Mapping[str, Any]]:
    messages: dict[str, Any] = {}
    enums: dict[str, Any] = {}
    for entry in data("schemas", ".json"):
        document = json.loads(entry.read_text("utf-8"))
        messages.update(document["messages"])
        enums.update(document.get("enums", {}))
    return messages, enums


forgotten_by(_schemas.cache_clear)


def _collect(name: str, value: Json, found: AnswerSchema) -> None:
    messages, _ = _schemas()
    fields: Mapping[str, Any] = messages.get(name, {})
    if fields and _short(name) not in found.messages:
        found.messages[_short(name)] = {key: _kind(spec, found) for key, spec in fields.items()}
        for spec in fields.values():
            if not spec.get("repeated"):
                _collect(spec["type"], None, found)
    for key, item in value.items() if isinstance(value, Mapping) else ():
        spec = fields.get(key) or fields.get(f"{key}_")
        inner = item if isinstance(item, Sequence) and not isinstance(item, str) else [item]
        for each in inner:
            if spec and isinstance(each, Mapping):
                _collect(spec["type"], each, found)


def _kind(spec: Mapping[str, Any], found: AnswerSchema) -> str:
    name = str(spec.get("type", ""))
    messages, enums = _schemas()
    if name in enums:
        kind = _short(name)
        found.enums[kind] = dict(enums[name])
    elif name in messages or "." in name:
        kind = _short(name)
    else:
        kind = _SCALARS.get(name, "int" if "int" in name else "")
    return f"[{kind}]" if spec.get("repeated") else kind


def _short(name: str) -> str:
    """The name from its first capital on: ``Entity.Type``."""
    return ".".join(part for part in name.split(".") if part[:1].isupper())
