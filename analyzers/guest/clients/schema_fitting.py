"""Answers fitted to a response schema, and written as the service sends them."""

from __future__ import annotations

import datetime
import struct
from collections.abc import Mapping
from typing import Any, Callable, Dict, Optional, Tuple, Type

from .schema_messages import Schema, camel, read

_SINGLE = struct.Struct("f")
_DEEPEST = 8
_EMPTY: Any = (None, "", b"", 0, False)


def canonical(schema: Schema, name: str, value: Any, depth: int = 0) -> Dict[str, Any]:
    """Return a message's fields that differ from defaults: enums by name, floats as on the wire."""
    found: Dict[str, Any] = {}
    if value is None or depth > _DEEPEST or _is_blank(value):
        return found
    for key, field in schema.messages.get(name, {}).items():
        plain = _field(schema, field, read(value, key), depth)
        if plain is not None:
            found[key] = plain
    return found


def _field(schema: Schema, field: Mapping[str, Any], value: Any, depth: int) -> Any:
    if value is None:
        return None
    if "map" in field:
        return {str(key): _one(schema, field["type"], value[key], depth) for key in value} or None
    if field.get("repeated"):
        items = [value] if isinstance(value, (str, bytes)) else value
        return [_one(schema, field["type"], item, depth) for item in items] or None
    plain = _one(schema, field["type"], value, depth)
    return None if plain in _EMPTY or plain == {} else plain


def _one(schema: Schema, kind: str, value: Any, depth: int) -> Any:
    if kind in schema.messages:
        return canonical(schema, kind, value, depth + 1)
    if kind in schema.enums:
        return member_name(schema, kind, value)
    if kind in ("float", "double") and isinstance(value, (int, float)):
        single = kind == "float" and abs(value) < 3e38
        return _SINGLE.unpack(_SINGLE.pack(value))[0] if single else float(value)
    return value


def member_name(schema: Schema, kind: str, value: Any) -> Optional[str]:
    """The name of an enum's member, however it was written; ``None`` for the default."""
    if isinstance(value, str):
        members = schema.enums.get(kind, {})
        return None if members.get(value, 1) == 0 else value
    if not value:
        return None
    for name, number in schema.enums.get(kind, {}).items():
        if number == value:
            return name
    return str(value)


def _is_blank(value: Any) -> bool:
    size = getattr(type(value), "ByteSize", None)
    return size is not None and size(value) == 0


_KINDS: Mapping[str, Tuple[Type[Any], ...]] = {
    "string": (str,),
    "bytes": (bytes, bytearray),
    "bool": (bool,),
    "float": (int, float),
    "double": (int, float),
    "int32": (int,),
    "int64": (int,),
    "timestamp": (str, int, float, datetime.datetime),
}


class SchemaMismatch(ValueError):  # noqa: N818 - a fact about the answer, not an error of ours
    """An answer that the schema does not allow; names the place."""


def fitted(schema: Schema, name: str, answer: Any, place: str = "") -> Dict[str, Any]:
    """Return what the message ``name`` has of an answer; ``SchemaMismatch`` for another type."""
    if not isinstance(answer, Mapping):
        raise SchemaMismatch(f"{place or 'the answer'} is no {name.rpartition('.')[2]}")
    fields = schema.messages.get(name)
    if fields is None:
        return dict(answer)
    return {
        key: _value(schema, fields[key], value, f"{place}.{key}".lstrip("."))
        for key, value in answer.items()
        if key in fields
    }


def _value(schema: Schema, field: Mapping[str, Any], value: Any, place: str) -> Any:
    if value is None:
        return None
    if "map" in field:
        if not isinstance(value, Mapping):
            raise SchemaMismatch(f"{place} is no mapping")
        return {key: _single(schema, field, item, place) for key, item in value.items()}
    if field.get("repeated"):
        if not isinstance(value, (list, tuple)):
            raise SchemaMismatch(f"{place} is no list")
        return [_single(schema, field, item, f"{place}[{n}]") for n, item in enumerate(value)]
    return _single(schema, field, value, place)


def _single(schema: Schema, field: Mapping[str, Any], value: Any, place: str) -> Any:
    kind = field["type"]
    if kind in schema.messages:
        return fitted(schema, kind, value, place)
    allowed = _KINDS.get(kind)
    if allowed is None or value is None:
        return value
    if not isinstance(value, allowed) or (isinstance(value, bool) and bool not in allowed):
        raise SchemaMismatch(f"{place} is no {kind}")
    return float(value) if kind in ("float", "double") else value


def with_lists(schema: Schema, name: str, answer: Mapping[str, Any]) -> Dict[str, Any]:
    """An answer in which the lists that it leaves out are there, and empty."""
    fields = schema.messages.get(name, {})
    made = {key: _listed(schema, fields.get(key), value) for key, value in answer.items()}
    for key, field in fields.items():
        if field.get("repeated"):
            made.setdefault(key, [])
    return made


def _listed(schema: Schema, field: Optional[Mapping[str, Any]], value: Any) -> Any:
    if field is None or "map" in field:
        return value
    if isinstance(value, (list, tuple)):
        return [_listed(schema, field, item) for item in value]
    if field["type"] in schema.messages and isinstance(value, Mapping):
        return with_lists(schema, field["type"], value)
    return value


def on_the_wire(
    schema: Schema, name: str, answer: Any, spelled: Callable[[str], str] = camel
) -> Any:
    """Return an answer with each field's ``wire`` name, else its name as it is ``spelled``."""
    if not isinstance(answer, Mapping):
        return answer
    fields = schema.messages.get(name, {})
    made: Dict[str, Any] = {}
    for key, value in answer.items():
        field = fields.get(key, {"type": "any"})
        made[field.get("wire") or spelled(key)] = _sent(schema, field, value, spelled)
    return made


def _sent(
    schema: Schema, field: Mapping[str, Any], value: Any, spelled: Callable[[str], str]
) -> Any:
    if isinstance(value, (list, tuple)):
        return [_sent(schema, field, item, spelled) for item in value]
    if "map" in field or field["type"] not in schema.messages:
        return value
    return on_the_wire(schema, field["type"], value, spelled)


_NOTHING: Mapping[str, Any] = {
    "string": "", "bytes": b"", "bool": False, "float": 0.0, "double": 0.0, "int32": 0, "int64": 0,
}  # fmt: skip


def complete(schema: Schema, name: str, answer: Mapping[str, Any], depth: int = 4) -> Any:
    """An answer in which every field that it leaves out is there, and empty."""
    made = dict(answer)
    for key, field in schema.messages.get(name, {}).items():
        kind, value = field["type"], made.get(key)
        if field.get("repeated"):
            items = [] if value is None else value
            made[key] = [_completed(schema, kind, item, depth) for item in items]
        elif "map" in field:
            made[key] = {} if value is None else value
        else:
            made[key] = _completed(schema, kind, value, depth)
    return made


def _completed(schema: Schema, kind: str, value: Any, depth: int) -> Any:
    if kind in schema.messages and depth and (value is None or isinstance(value, Mapping)):
        return complete(schema, kind, value or {}, depth - 1)
    return _NOTHING.get(kind) if value is None else value
