"""Responses and requests made from a schema, without an SDK; leaves are any objects, as given."""

from __future__ import annotations

import enum
import functools
import re
import struct
from collections.abc import Mapping
from types import MappingProxyType
from typing import Any, Dict, Iterator, List, Optional, Tuple, Type

_HUMP = re.compile(r"(?<=[a-z0-9])([A-Z])")


@functools.cache
def camel(name: str) -> str:
    """``label_annotations`` as REST writes it: ``labelAnnotations``."""
    first, *rest = name.rstrip("_").split("_")
    return first + "".join(part[:1].upper() + part[1:] for part in rest)


def snake(name: str) -> str:
    """``labelAnnotations`` as the schema writes it: ``label_annotations``."""
    return _HUMP.sub(lambda hump: "_" + hump.group(1).lower(), name)


def snaked(value: Any) -> Any:
    """A REST body with every key in snake case."""
    if isinstance(value, Mapping):
        return {snake(str(key)): snaked(item) for key, item in value.items()}
    if isinstance(value, (list, tuple)):
        return [snaked(item) for item in value]
    return value


def read(value: Any, name: str) -> Any:
    """A field of a mapping or object, under any of its spellings, or ``None``."""
    if value is None:
        return None
    kind: Any = type(value)
    if _is_mapping(kind):
        return next((value[spelling] for spelling in _spellings(name) if spelling in value), None)
    for spelling in _spellings(name):
        found = getattr(value, spelling, None)
        if found is not None:
            return found
    return None


@functools.cache
def _spellings(name: str) -> Tuple[str, ...]:
    return tuple(dict.fromkeys((name, name + "_", camel(name))))


@functools.lru_cache(maxsize=1024)
def _is_mapping(kind: type) -> bool:
    return issubclass(kind, Mapping)


Fields = Mapping[str, Mapping[str, Any]]
_DEFAULTS: Mapping[str, Any] = {
    "string": "", "bytes": b"", "bool": False, "float": 0.0, "double": 0.0,
}  # fmt: skip


class Repeated(List[Any]):
    """A repeated field."""

    def __init__(self, values: Any, kind: Optional[Type[Message]] = None) -> None:
        super().__init__(values)
        self._kind = kind

    def add(self, **values: Any) -> Any:
        """Append a new element and return it, as protobuf does."""
        if self._kind is None:
            raise AttributeError("add")
        self.append(self._kind(**values))
        return self[-1]


class Message:
    """One message; see the module's text."""

    _name = ""
    _schema: Schema
    _fields: Fields = MappingProxyType({})

    def __init__(self, mapping: Any = None, **values: Any) -> None:
        given: Dict[str, Any] = {}
        if isinstance(mapping, Message):
            mapping = mapping.given()
        for source in (mapping or {}), values:
            for key, value in source.items():
                given[self._field(key)] = value
        self.__dict__["_given"] = given

    @classmethod
    def of(cls, answer: Mapping[str, Any]) -> Message:
        """A message from an answer; what the schema does not know is left out."""
        made = cls()
        for key, value in answer.items():
            try:
                made.__dict__["_given"][cls._field(key)] = value
            except ValueError:
                continue
        return made

    @classmethod
    def _field(cls, name: str) -> str:
        for spelling in (name, name + "_", name.rstrip("_"), snake(name)):
            if spelling in cls._fields:
                return spelling
        raise ValueError(f"Unknown field for {cls.__name__}: {name}")

    def __getattr__(self, name: str) -> Any:
        fields = type(self)._fields
        key = name if name in fields else name + "_"
        if key not in fields:
            raise AttributeError(f"Unknown field for {type(self).__name__}: {name}")
        value = self._wrapped(fields[key], self.__dict__["_given"].get(key))
        self.__dict__[key] = self.__dict__[name] = value
        return value

    def __setattr__(self, name: str, value: Any) -> None:
        try:
            key = self._field(name)
        except ValueError as error:
            raise AttributeError(str(error)) from None
        self.__dict__.pop(name, None)
        self.__dict__.pop(key, None)
        self.__dict__["_given"][key] = value

    def _wrapped(self, field: Mapping[str, Any], value: Any) -> Any:
        kind = self._schema.messages.get(field["type"])
        made = None if kind is None else self._schema.message(field["type"])
        if "map" in field:
            return {key: self._one(field, made, item) for key, item in (value or {}).items()}
        if field.get("repeated"):
            return Repeated([self._one(field, made, item) for item in value or ()], made)
        return self._one(field, made, value)

    def _one(self, field: Mapping[str, Any], made: Optional[Type[Message]], value: Any) -> Any:
        if made is not None:
            if isinstance(value, Message) or not isinstance(value, (Mapping, type(None))):
                return value
            return made.of(value or {})
        if field["type"] in self._schema.enums:
            return self._schema.member(field["type"], value)
        return _DEFAULTS.get(field["type"], 0) if value is None else value

    # ------------------------------------------------- what protobuf offers

    def given(self) -> Dict[str, Any]:
        """The fields that were set or touched, by the schema's names."""
        touched = {key: self.__dict__[key] for key in self._fields if key in self.__dict__}
        return {**self.__dict__["_given"], **touched}

    def __contains__(self, name: str) -> bool:
        try:
            return _is_set(self.given().get(self._field(name)))
        except ValueError:
            return False

    def __bool__(self) -> bool:
        return self._schema.plain or self.is_set()

    def is_set(self) -> bool:
        """Return whether any field has a value that is not its default."""
        return any(_is_set(value) for value in self.given().values())

    def __eq__(self, other: Any) -> bool:
        if not isinstance(other, Message):
            return NotImplemented
        return self._name == other._name and self.to_dict(self) == self.to_dict(other)

    __hash__ = None  # type: ignore[assignment]

    def __repr__(self) -> str:
        shown = ", ".join(f"{key}={value!r}" for key, value in self.given().items())
        return f"{type(self).__name__}({shown})"

    def HasField(self, name: str) -> bool:  # noqa: N802
        """Return whether a field is set."""
        return name in self

    def ListFields(self) -> List[Tuple[Any, Any]]:  # noqa: N802
        """The fields that are set, with their values."""
        return [(key, getattr(self, key)) for key, value in self.given().items() if _is_set(value)]

    def CopyFrom(self, other: Message) -> None:  # noqa: N802
        """Take over the fields of another message."""
        for key in self._fields:
            self.__dict__.pop(key, None)
        self.__dict__["_given"] = other.given()

    @classmethod
    def field_names(cls) -> List[str]:
        """The names of the fields, as the schema has them."""
        return list(cls._fields)

    def enum_of(self, key: str) -> Optional[Type[enum.IntEnum]]:
        """The enum that a field's values are of, if any."""
        kind = self._fields[key]["type"]
        return self._schema.enum(kind) if kind in self._schema.enums else None

    @classmethod
    def pb(cls, message: Any, **_: Any) -> Any:
        """The message itself."""
        return message

    @property
    def _pb(self) -> Message:
        return self

    @classmethod
    def to_dict(cls, message: Message, **options: Any) -> Dict[str, Any]:
        """Every field as plain values, as proto-plus gives it."""
        names = not options.get("use_integers_for_enums", True)
        plain: Dict[str, Any] = _plain(message, names)
        return plain

    @classmethod
    def to_json(cls, message: Message, **options: Any) -> str:
        """Every field as JSON, as proto-plus gives it."""
        import json

        indent = options.get("indent", 2)
        return json.dumps(as_rest(cls.to_dict(message, **options)), indent=indent)


def _is_set(value: Any) -> bool:
    return value.is_set() if isinstance(value, Message) else bool(value)


def in_json(message: Message, *, preserving: bool = False) -> Dict[str, Any]:
    """The fields that are set, as protobuf's JSON: enums by name, no defaults."""
    found: Dict[str, Any] = {}
    for key, _ in message.ListFields():
        enum_class = message.enum_of(key)
        value = _named(getattr(message, key), enum_class, preserving=preserving)
        found[key if preserving else camel(key)] = value
    return found


def _named(value: Any, enum_class: Any, *, preserving: bool) -> Any:
    if isinstance(value, Message):
        return in_json(value, preserving=preserving)
    if isinstance(value, list):
        return [_named(item, enum_class, preserving=preserving) for item in value]
    return enum_class(value).name if enum_class is not None else value


def as_rest(value: Any) -> Any:
    """Plain values with their keys in camel case."""
    if isinstance(value, dict):
        return {camel(key): as_rest(item) for key, item in value.items()}
    return [as_rest(item) for item in value] if isinstance(value, list) else value


def _plain(value: Any, names: bool) -> Any:
    if isinstance(value, Message):
        values = [(key, getattr(value, key)) for key in value.field_names()]
        return {
            key: _plain(item, names)
            for key, item in values
            if not isinstance(item, Message) or item.is_set()
        }
    if isinstance(value, list):
        return [_plain(item, names) for item in value]
    if isinstance(value, enum.IntEnum):
        return value.name if names else int(value)
    return value


_SINGLE = struct.Struct("f")


class Schema:
    """Messages and enums as classes, by full name; ``plain`` enums are integers."""

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
            for full in [*self.messages, *self.enums]:
                if full.rpartition(".")[0] == name:
                    inner = self.kind(full)
                    setattr(made, full.rpartition(".")[2], inner)
                    for member, value in self.enums.get(full, {}).items():
                        setattr(made, member, value if self.plain else inner[member])
        return self._classes[name]

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
