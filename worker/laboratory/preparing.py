"""What a guest is told of its target, and what it says of it."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any

from analyzers import catalogue
from analyzers.catalogue.places import data, forgotten_by
from analyzers.vocabulary import JsonObject, Target
from worker.laboratory.codec import Frame
from worker.laboratory.failures import Unpreparable
from worker.laboratory.place import Place
from worker.sandbox.certificates import certificate
from worker.sandbox.isolation import Isolation

MOST_TEXTS = 200
LONGEST_TEXT = 500


@dataclass(frozen=True, slots=True)
class Prepared:
    """The guest's description of a target that it has loaded.

    ``replaced`` are the libraries that stand-ins took the place of.
    """

    points: tuple[str, ...]
    standins: tuple[str, ...]
    notes: tuple[str, ...]
    replaced: tuple[str, ...] = ()


def prepare_frame(place: Place, root: str, target: Target) -> Frame:
    """The ``prepare`` frame for a target; ``root`` is where the guest sees the tree."""
    return {
        "type": "prepare",
        "root": root,
        "path": target.path,
        "function": target.function,
        "files": list(target.files),
        "catalogue": _entries(),
        "expected": _related(target.apis),
        "schemas": _schemas(),
        "network": _network(place.isolation),
        "hidden": list(place.hidden),
    }


def prepared_of(frame: Frame) -> Prepared:
    """What a ``prepared`` frame says.  Raises ``Unpreparable`` for an ``unprepared`` one."""
    if frame["type"] == "unprepared":
        raise Unpreparable(frame["reason"][:LONGEST_TEXT])
    return Prepared(
        tuple(frame["points"]),
        few(frame["standins"]),
        few(frame["notes"]),
        tuple(frame.get("replaced", ())),
    )


def few(texts: Sequence[str]) -> tuple[str, ...]:
    """What the guest says for the report, bounded."""
    return tuple(text[:LONGEST_TEXT] for text in texts[:MOST_TEXTS])


def _network(isolation: Isolation) -> dict[str, str | None] | None:
    """What the guest's network is: left alone, closed, or closed but for a proxy."""
    if not isolation.isolated:
        return None
    if not isolation.namespaces:
        return {"authority": None, "certificate": None, "key": None}
    made = certificate(catalogue.load().hosts)
    return {"authority": made.authority, "certificate": made.certificate, "key": made.key}


@cache
def _entries() -> list[JsonObject]:
    """All entries: code asks APIs that no detection saw."""
    known = catalogue.load()
    return known.as_json(known.apis)


def _related(apis: Sequence[str]) -> list[str]:
    """All APIs of the providers that a target is known to ask; none where nothing is known."""
    known = catalogue.load().apis
    providers = {known[name].provider for name in apis if name in known}
    return [name for name, api in known.items() if api.provider in providers]


@cache
def _schemas() -> dict[str, Any]:
    return {
        entry.name.removesuffix(".json"): json.loads(entry.read_text("utf-8"))
        for entry in data("schemas", ".json")
    }


for _cache in (_entries, _schemas):
    forgotten_by(_cache.cache_clear)
