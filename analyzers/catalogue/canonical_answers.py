"""Paths into canonical answers (docs/guest-protocol.md).

Steps are separated by dots; each is a field's name and what is taken of it::

    Labels[].Name                     of every element
    alternatives[0].transcript        of the first element
    Emotions[^Confidence].Type        of the element with the highest confidence
    Blocks[BlockType=LINE].Text       of the elements with that value
    categories{}                      the names of the fields that are set

A field is set when it is true or a likelihood of at least LIKELY.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache

from analyzers.catalogue.api_descriptions import Api, data_files, register_cache
from analyzers.vocabulary import Json, JsonObject

_STEP = re.compile(r"(?P<name>\w*)(?P<taken>\[[^\]]*\]|\{\})?")
_SET = (True, "LIKELY", "VERY_LIKELY")


def values_at(answer: Json, path: str) -> list[Json]:
    """Return all values at a path; none where the answer is of another shape."""
    found: list[Json] = [answer]
    for step in path.split("."):
        name, taken = _parts(step)
        if name:
            found = [v[name] for v in found if isinstance(v, Mapping) and name in v]
        if taken:
            found = [item for v in found for item in _taken(v, taken)]
    return found


def with_value_at(answer: JsonObject, path: str, value: Json) -> JsonObject:
    """Return a copy of an answer with another value wherever the path leads.

    Paths that take names of fields are not written.
    """
    changed = _put(answer, path.split("."), value)
    assert isinstance(changed, Mapping)
    return changed


def with_elements_kept(answer: JsonObject, path: str, keep: Callable[[Json], bool]) -> JsonObject:
    """Return the answer without the elements of a path's list whose value is not kept.

    The path goes through one list, as in ``tags.list[].name``; other paths
    leave the answer as it is.
    """
    outer, _, inner = path.partition("[].")
    if not inner or re.search(r"[\[{]", outer + inner):
        return answer
    entries = elements(next(iter(values_at(answer, outer)), None))
    return with_value_at(answer, outer, [e for e in entries if any(map(keep, values_at(e, inner)))])


def elements(value: Json) -> list[Json]:
    """Return the elements of a list; none of what is no list."""
    return list(value) if isinstance(value, Sequence) and not isinstance(value, str) else []


def _parts(step: str) -> tuple[str, str]:
    match = _STEP.fullmatch(step)
    if match is None:
        raise ValueError(f"no step of a path: {step!r}")
    return match["name"], match["taken"] or ""


def _taken(value: Json, taken: str) -> list[Json]:
    if taken == "{}":
        fields = value.items() if isinstance(value, Mapping) else ()
        return [name for name, set_to in fields if set_to in _SET]
    entries = elements(value)
    return [entries[place] for place in _places(entries, taken)]


def _places(entries: Sequence[Json], taken: str) -> list[int]:
    """Return the places in a list that ``[…]`` takes."""
    asked = taken[1:-1]
    places = list(range(len(entries)))
    if not asked:
        return places
    if asked == "0":
        return places[:1]
    if asked.startswith("^"):
        return sorted(places, key=lambda place: -_number(entries[place], asked[1:]))[:1]
    name, _, wanted = asked.partition("=")
    return [place for place in places if values_at(entries[place], name) == [wanted]]


def _number(entry: Json, name: str) -> float:
    rated = values_at(entry, name)
    return float(rated[0]) if rated and isinstance(rated[0], int | float) else 0.0


def _put(value: Json, steps: Sequence[str], new: Json) -> Json:
    if not steps:
        return new
    name, taken = _parts(steps[0])
    if not isinstance(value, Mapping) or name not in value:
        return value
    inner = value[name]
    if not taken:
        return {**value, name: _put(inner, steps[1:], new)}
    items = elements(inner)
    if taken == "{}" or not items:
        return value
    for place in _places(items, taken):
        items[place] = _put(items[place], steps[1:], new)
    return {**value, name: items}


@dataclass(frozen=True, slots=True)
class _Schemas:
    """The type of each field of each message, and the members of each enum in order."""

    fields: Mapping[str, Mapping[str, str]]
    members: Mapping[str, tuple[str, ...]]


def enums_of(api: Api, answer: JsonObject) -> tuple[tuple[str, ...], ...]:
    """Return the members of each enum that stands in an answer."""
    found: dict[tuple[str, ...], None] = {}

    def note(members: tuple[str, ...], value: str) -> str:
        found[members] = None
        return value

    _each(api, answer, note)
    return tuple(found)


def has_status(api: Api) -> bool:
    """Return whether an answer says in its field ``error`` that the API failed."""
    return _schemas().fields.get(_message(api), {}).get("error") == "google.rpc.Status"


def answer_type(api: Api) -> str:
    """Return the name of the message that an API answers, as schemas have it."""
    return _message(api)


def fields_of(message: str) -> Mapping[str, str]:
    """Return the fields of a message in any version of its API, with their types.

    None of what is no known message.
    """
    return _of_all_versions().get(_VERSION.sub(".", message), {})


def messages_with(field: str, message: str) -> tuple[str, ...]:
    """Return the messages of the same package as ``message`` that have a field, by short name."""
    package = _VERSION.sub(".", message).rpartition(".")[0]
    return tuple(
        name.rpartition(".")[2]
        for name, fields in sorted(_of_all_versions().items())
        if field in fields and name.rpartition(".")[0] == package
    )


_VERSION = re.compile(r"\.v\d\w*\.")


@cache
def _of_all_versions() -> Mapping[str, Mapping[str, str]]:
    found: dict[str, dict[str, str]] = {}
    for message, fields in sorted(_schemas().fields.items(), reverse=True):
        found.setdefault(_VERSION.sub(".", message), {}).update(fields)
    return found


def with_member(api: Api, answer: JsonObject, number: int) -> JsonObject:
    """Return the answer with the n-th member (modulo their number) in every enum field."""
    changed = _each(api, answer, lambda members, _: members[number % len(members)])
    assert isinstance(changed, Mapping)
    return changed


def _each(api: Api, answer: Json, choose: Callable[[tuple[str, ...], str], str]) -> Json:
    """Return the answer with what ``choose`` says in the place of every enum's value."""
    schemas = _schemas()

    def walk(value: Json, kind: str) -> Json:
        if isinstance(value, Mapping):
            fields = schemas.fields.get(kind, {})
            return {name: walk(inner, fields.get(name, "")) for name, inner in value.items()}
        if isinstance(value, Sequence) and not isinstance(value, str):
            return [walk(inner, kind) for inner in value]
        members = schemas.members.get(kind)
        return choose(members, value) if members and isinstance(value, str) else value

    return walk(answer, _message(api))


def _message(api: Api) -> str:
    """``google.cloud.vision_v1.types.X`` as ``google.cloud.vision.v1.X``."""
    return (api.schema or "").replace(".types.", ".").replace("_v", ".v")


@cache
def _schemas() -> _Schemas:
    fields: dict[str, Mapping[str, str]] = {}
    members: dict[str, tuple[str, ...]] = {}
    for entry in data_files("schemas", ".json"):
        document = json.loads(entry.read_text("utf-8"))
        for message, described in document["messages"].items():
            fields[message] = {name: each.get("type", "") for name, each in described.items()}
        for enum, numbers in document["enums"].items():
            members[enum] = tuple(sorted(numbers, key=numbers.__getitem__))
    return _Schemas(fields, members)


register_cache(_schemas.cache_clear)
register_cache(_of_all_versions.cache_clear)
