"""What a provider takes in one request, and what it asks for it.

Read from ``limits/PROVIDER.toml``: ``[shared]`` for every API of the provider,
``[api.NAME]`` over it.
"""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cache
from typing import Any

from analyzers.catalogue.places import data, forgotten_by

_PARTS = ("content", "text", "uri")


@dataclass(frozen=True, slots=True)
class Terms:
    """The terms of one API.

    ``takes`` are the parts a request may have.  ``content`` and ``text`` are
    the most bytes of a file and of a text in UTF-8.  ``parameters`` are JSON
    Schemas by name, each with its ``default`` where it has one; ``None``:
    not described.  ``price`` is in micro-dollars (10⁻⁶ $) a unit, before any
    free quota or discount; ``None``: not known.  A unit is a call, or so many
    ``characters`` of text, or so many ``bytes`` of a file, and a call is at
    least ``least`` units.
    """

    takes: tuple[str, ...] = _PARTS
    content: int = 20 * 1024 * 1024
    text: int = 1_000_000
    parameters: Mapping[str, Mapping[str, Any]] | None = None
    price: int | None = None
    characters: int | None = None
    bytes: int | None = None
    least: int = 1
    sources: tuple[str, ...] = field(default=(), repr=False)

    def cost(self, size: int, length: int) -> int | None:
        """Micro-dollars for a file of ``size`` bytes or a text of ``length`` characters."""
        if self.price is None:
            return None
        units = 1
        if self.characters is not None:
            units = -(-length // self.characters)
        elif self.bytes is not None:
            units = -(-size // self.bytes)
        return self.price * max(units, self.least)


@cache
def terms(api: str) -> Terms:
    """The terms of the API of that catalogue name; those of nobody where none are known."""
    provider, _, name = api.rpartition(".")
    document = _document(provider)
    return _terms({**document.get("shared", {}), **document.get("api", {}).get(name, {})})


@cache
def _document(provider: str) -> Mapping[str, Any]:
    name = f"{provider.replace('.', '_')}.toml"
    found = [file for file in data("limits", ".toml") if file.name == name]
    return tomllib.loads(found[-1].read_text("utf-8")) if found else {}


def _terms(entry: Mapping[str, Any]) -> Terms:
    fields = dict(entry)
    for key in ("takes", "sources"):
        if key in fields:
            fields[key] = tuple(fields[key])
    return Terms(**fields)


for _cache in (terms, _document):
    forgotten_by(_cache.cache_clear)
