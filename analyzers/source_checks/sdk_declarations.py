"""The declarations of answers in SDKs, the requests that return them, and what answers lack."""

from __future__ import annotations

import json
import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from importlib import resources
from typing import Any

NOTHING = "None"
_DATA = resources.files("analyzers.source_checks") / "data"


@dataclass(frozen=True, slots=True)
class Request:
    """Methods that ask a model; see ``data/requests.toml``."""

    methods: tuple[str, ...]
    returns: str
    stream: str = ""
    streams: bool = False
    packages: tuple[str, ...] = ()
    words: tuple[str, ...] = ()
    others: tuple[str, ...] = ()
    of: str = ""


@dataclass(frozen=True, slots=True)
class Shape:
    """A part that some answers lack; see ``data/shapes.toml``."""

    field: str
    lacks: str
    when: str
    asked: tuple[str, ...] = ()
    certain: tuple[str, ...] = ()
    chosen: tuple[str, ...] = ()
    unless: tuple[str, ...] = ()
    always: bool = False
    unasked: bool = False
    unseen: bool = False
    documented: bool = False
    models: str = ""


@dataclass(frozen=True, slots=True)
class Declaration:
    """A field as an SDK declares it, and the type that follows."""

    declared: str
    kind: str
    sdk: str


@cache
def requests() -> Sequence[Request]:
    """Return the known requests, the most particular first."""
    return tuple(Request(**_frozen(each)) for each in _toml("requests.toml")["request"])


@cache
def results() -> Mapping[str, str]:
    """Return the types that methods of what a request returns give, by class and method."""
    return {each["method"]: each["returns"] for each in _toml("requests.toml")["result"]}


@cache
def shapes() -> Mapping[str, Shape]:
    """Return what answers lack, by the short name of the class and the field."""
    return {each["field"]: Shape(**_frozen(each)) for each in _toml("shapes.toml")["shape"]}


@cache
def classes() -> Mapping[str, Mapping[str, Declaration]]:
    """Return the fields of each class by its dotted name."""
    return {
        name: {
            field: Declaration(declared, kind, table["sdk"])
            for field, (declared, kind) in fields.items()
        }
        for table in _tables()
        for name, fields in table["classes"].items()
    }


@cache
def unions() -> Mapping[str, str]:
    """Return the members of each named union, joined by ``|``."""
    return {name: kind for table in _tables() for name, kind in table["unions"].items()}


@cache
def enums() -> Mapping[str, tuple[str, ...]]:
    """Return the members of each enumeration."""
    return {name: tuple(each) for table in _tables() for name, each in table["enums"].items()}


@cache
def words() -> Mapping[str, tuple[str, ...]]:
    """Return the texts that each field may have, by class and field, where the SDK lists them."""
    return {name: tuple(each) for table in _tables() for name, each in table["words"].items()}


@cache
def methods() -> Mapping[str, frozenset[str]]:
    """Return the names of the methods of each class that has some."""
    return {
        name: frozenset(known) for table in _tables() for name, known in table["methods"].items()
    }


@cache
def named(dotted: str) -> str:
    """Return the class or union that an imported name means: its dotted name, or nothing.

    SDKs export a class from the packages above its module.
    """
    known = [*classes(), *unions(), *enums()]
    if dotted in known:
        return dotted
    package, _, short = dotted.rpartition(".")
    fitting = [n for n in known if n.startswith(f"{package}.") and n.endswith(f".{short}")]
    return fitting[0] if package and len(fitting) == 1 else ""


def members(kind: str) -> list[str]:
    """Return the members of a type."""
    parts, depth = [""], 0
    for letter in unions().get(kind, kind):
        depth += (letter == "[") - (letter == "]")
        if letter == "|" and not depth:
            parts.append("")
        else:
            parts[-1] += letter
    return [part for part in parts if part]


def element(kind: str) -> str:
    """Return the type of the elements of a list, or nothing for what is no list."""
    inner = [each[5:-1] for each in members(kind) if each.startswith("list[")]
    return inner[0] if len(inner) == 1 else ""


def short(name: str) -> str:
    """Return a class's name without its module."""
    return name.rpartition(".")[2]


def _toml(name: str) -> dict[str, Any]:
    return tomllib.loads((_DATA / name).read_text("utf-8"))


@cache
def _tables() -> Sequence[dict[str, Any]]:
    found = sorted(each.name for each in _DATA.iterdir() if each.name.endswith(".json"))
    return [json.loads((_DATA / name).read_text("utf-8")) for name in found]


def _frozen(fields: dict[str, Any]) -> dict[str, Any]:
    return {name: tuple(v) if isinstance(v, list) else v for name, v in fields.items()}
