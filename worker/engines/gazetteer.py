"""Names of people and places that there are, from Faker's lists."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from functools import cache
from importlib import import_module
from importlib.util import find_spec
from typing import Any

from worker.engines.request import NoAnswer

PACKAGE = "Faker"
LOCALES = ("en", "en_US", "en_GB", "de_DE", "fr_FR", "es_ES", "it_IT")
# first names that are ordinary words, too
_WORDS = frozenset(
    ("april", "august", "june", "may", "will", "mark", "grace", "hope", "faith", "joy", "rose")
)


@dataclass(frozen=True, slots=True)
class Gazetteer:
    """First and last names, each one word; places, of which some have several."""

    first: frozenset[str]
    last: frozenset[str]
    places: frozenset[str]


@cache
def gazetteer() -> Gazetteer:
    """The names, read once.  Raises ``NoAnswer`` where Faker is not installed."""
    if find_spec("faker") is None:
        raise NoAnswer(f"no engine for entities: install {PACKAGE}")
    people = [_provider("person", locale) for locale in LOCALES]
    address = _provider("address", "en_US")
    towns = [town[2] for town in _provider("geo").land_coords]
    capitals = [country.capital for country in _provider("date_time").countries]
    first = {name for person in people for name in _names(person, "first_names")}
    return Gazetteer(
        frozenset(name for name in first if name.casefold() not in _WORDS),
        frozenset(name for person in people for name in _names(person, "last_names")),
        frozenset([*address.countries, *address.states, *capitals, *towns]),
    )


def _provider(kind: str, locale: str = "") -> Any:
    return import_module(".".join(filter(None, ("faker.providers", kind, locale)))).Provider


def _names(person: Any, which: str) -> Iterable[str]:
    """All of a list, with or without a gender and titles."""
    for name in (which, f"{which}_male", f"{which}_female"):
        yield from getattr(person, name, ())
