"""Schemas of ML APIs, and the classes of messages and enums made from them."""

from __future__ import annotations

import enum
import struct
from collections.abc import Mapping
from typing import Any, Dict, Iterator, Optional, Tuple, Type

from .message import Fields, Message
from .spelling import camel

_SINGLE = struct.Struct("f")


class Schema:
    """Messages and enums by full name, made into classes on demand.

    ``plain`` makes enum values bare integers, as the first SDKs had them.
    """

    def __init__(self, schemas: Mapping[str, Any], *, plain: bool = False) -> None:
        self.messages: Dict[str, Fields] = {}
        self.enums: Dict[str, Mapping[str, int]] = {}
        self.plain = plain
        self._classes: Dict[str, Type[Message]] = {}
        self._members: Dict[str, Type[enum.IntEnum]] = {}
        self._collect(schemas)

    def _collect(self, schemas: Mapping[str, Any]) -> None:
        if isinstance(schemas.get("messages"), Mapping):
            self.messages.update(schemas["messages"])
            self.enums.update(schemas.get("enums", {}))
            return
        for nested in schemas.values():
            if isinstance(nested, Mapping):
                self._collect(nested)

    def message(self, name: str) -> Type[Message]:
        """The class of a message; raises ``KeyError``."""
        if name not in self._classes:
            short = name.rpartition(".")[2]
            body = {"_name": name, "_schema": self, "_fields": self.messages[name]}
            made = type(short, (Message,), {"__module__": name[: -len(short) - 1], **body})
            self._classes[name] = made
            self._nest(name, made)
        return self._classes[name]

    def _nest(self, name: str, made: Type[Message]) -> None:
        for full in [*self.messages, *self.enums]:
            if full.rpartition(".")[0] == name:
                inner = self.kind(full)
                setattr(made, full.rpartition(".")[2], inner)
                for member, value in self.enums.get(full, {}).items():
                    setattr(made, member, value if self.plain else inner[member])

    def kind(self, name: str) -> Any:
        """The class of a message or enum; raises ``KeyError``."""
        return self.enum(name) if name in self.enums else self.message(name)

    def enum(self, name: str) -> Type[enum.IntEnum]:
        """The class of an enum; raises ``KeyError``."""
        if name not in self._members:
            short = name.rpartition(".")[2]
            make: Any = enum.IntEnum
            made = make(short, dict(self.enums[name]))
            self._members[name] = made
        return self._members[name]

    def member(self, name: str, value: Any) -> Any:
        """The member of an enum that a name or number means."""
        if value is None:
            value = 0
        try:
            member: Any = (
                self.enum(name)[value] if isinstance(value, str) else self.enum(name)(value)
            )
        except (KeyError, ValueError, TypeError):
            return value
        return int(member) if self.plain else member

    def rounded(self, name: str, answer: Any) -> Any:
        """An answer whose ``float`` fields have the precision of the wire."""
        if not isinstance(answer, Mapping):
            return answer
        fields = self.messages.get(name, {})
        return {key: self._round(fields.get(key), item) for key, item in answer.items()}

    def _round(self, field: Optional[Mapping[str, Any]], value: Any) -> Any:
        if field is None:
            return value
        if isinstance(value, (list, tuple)):
            return [self._round(field, item) for item in value]
        if field["type"] == "float" and isinstance(value, (int, float)):
            return _SINGLE.unpack(_SINGLE.pack(value))[0] if abs(value) < 3e38 else value
        return self.rounded(field["type"], value)

    def rest(self, name: str, answer: Any) -> Any:
        """An answer as REST writes it: camel case, empty lists left out."""
        if not isinstance(answer, Mapping):
            return answer
        fields = self.messages.get(name, {})
        return {
            camel(key): self._rest(fields.get(key), item)
            for key, item in answer.items()
            if not (isinstance(item, (list, tuple)) and not item)
        }

    def _rest(self, field: Optional[Mapping[str, Any]], value: Any) -> Any:
        if isinstance(value, (list, tuple)):
            return [self._rest(field, item) for item in value]
        if field is None or "map" in field:
            return value
        return self.rest(field["type"], value)


def nested(schema: Schema, prefix: str) -> Iterator[Tuple[str, str]]:
    """The simple and full names of what stands directly under a package."""
    for full in [*schema.messages, *schema.enums]:
        if full.rpartition(".")[0] == prefix:
            yield full.rpartition(".")[2], full
