"""Response objects without an SDK, whose missing fields are ``None``, or absent if optional."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any, Dict, Iterator

from .schema_messages import Schema

UNKNOWN = ""


class Record:
    """A response or a part of it, leaves as they are; an ``UNKNOWN`` message has any fields."""

    def __init__(self, schema: Schema, name: str, values: Mapping[str, Any]) -> None:
        fields = schema.messages.get(name, {})
        made: Dict[str, Any] = {key: None for key in fields if not fields[key].get("optional")}
        for key, value in values.items():
            kind = fields.get(key, {}).get("type", "")
            if fields.get(key, {}).get("map") and isinstance(value, Mapping):
                made[key] = {k: self._made(schema, kind, item) for k, item in value.items()}
            else:
                made[key] = self._made(schema, kind if fields else name, value)
        self.__dict__.update(made)

    @classmethod
    def _made(cls, schema: Schema, kind: str, value: Any) -> Any:
        if isinstance(value, (list, tuple)):
            return [cls._made(schema, kind, item) for item in value]
        if (kind in schema.messages or kind == UNKNOWN) and isinstance(value, Mapping):
            return cls(schema, kind, value)
        return value

    def __repr__(self) -> str:
        shown = ", ".join(f"{key}={value!r}" for key, value in vars(self).items())
        return f"{type(self).__name__}({shown})"

    def __eq__(self, other: Any) -> bool:
        return type(self) is type(other) and vars(self) == vars(other)

    __hash__ = None  # type: ignore[assignment]

    def to_dict(self, **_: Any) -> Dict[str, Any]:
        """The fields as plain values."""
        return {key: _plain(value) for key, value in vars(self).items()}

    model_dump = dict = as_dict = to_dict

    def to_json(self, **_: Any) -> str:
        """The fields as JSON."""
        return json.dumps(self.to_dict(), default=str)

    model_dump_json = json = to_json


class Subscriptable(Record):
    """A record that is a mapping, too."""

    def __getitem__(self, name: str) -> Any:
        return vars(self)[name]

    def __iter__(self) -> Iterator[str]:
        return iter(vars(self))

    def __len__(self) -> int:
        return len(vars(self))

    def __contains__(self, name: Any) -> bool:
        return name in vars(self)

    def get(self, name: str, default: Any = None) -> Any:
        """The value of a field, as of a dictionary."""
        return vars(self).get(name, default)

    def keys(self) -> Any:
        """The names of the fields."""
        return vars(self).keys()

    def values(self) -> Any:
        """The values of the fields."""
        return vars(self).values()

    def items(self) -> Any:
        """The fields with their values."""
        return vars(self).items()


def _plain(value: Any) -> Any:
    if isinstance(value, Record):
        return value.to_dict()
    return [_plain(item) for item in value] if isinstance(value, list) else value
