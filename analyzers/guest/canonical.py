"""Requests in canonical form: equal whatever client wrote them."""

from __future__ import annotations

import struct
from collections.abc import Mapping
from typing import Any, Dict, Optional

from .messages import Schema
from .spelling import read

_SINGLE = struct.Struct("f")
_DEEPEST = 8
_EMPTY: Any = (None, "", b"", 0, False)


def canonical(schema: Schema, name: str, value: Any, depth: int = 0) -> Dict[str, Any]:
    """The fields of a message that differ from their defaults, by the schema's names.

    ``value`` is a mapping in any spelling, or a message of any SDK.  Enums
    are given by name and floats as the wire rounds them.
    """
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
    """Whether a value is a protobuf message without any field set."""
    size = getattr(type(value), "ByteSize", None)
    return size is not None and size(value) == 0
