"""Sentences with a wanted entity: one of a type, or one of a name."""

from __future__ import annotations

import random
from collections.abc import Iterator

from analyzers.vocabulary import Input, InputKind, Origin, Supply, Wanted
from worker.sources.entity_kinds import ENDINGS, NAMED, TYPES_WITHOUT_VALUES, Kind, fold, kind_of

MOST_IN_VAIN = 200
_ORIGIN = Origin("sentences", "https://github.com/joke2k/faker", None, "MIT")


def find(wanted: Wanted, count: int, seed: int) -> Supply:
    """Sentences with exactly such an entity; a longer supply begins with a shorter one.

    A reading that is a provider's entity type (``PERSON``, ``Location``, …)
    asks for any one of that type, every other reading for that very name.
    Templates and values take turns.
    """
    reading = (wanted.reading or "").strip()
    if not any(character.isalnum() for character in reading):
        return Supply((), f"{reading!r} names nothing")
    if fold(reading) in TYPES_WITHOUT_VALUES:
        return Supply((), f"there are no values of the type {reading!r}")
    kind = kind_of(reading)
    chance = random.Random(f"{seed}/{reading}")  # noqa: S311
    sentences = _about(reading, chance) if kind is None else _having(kind, chance)
    texts = _distinct(sentences, count)
    enough = len(texts) == count
    shortfall = None if enough else f"there are {len(texts)} sentences with {reading!r}"
    return Supply(tuple(_input(text, wanted.reading) for text in texts), shortfall)


def _about(name: str, chance: random.Random) -> Iterator[str]:
    """Every template with every ending once, the templates taking turns."""
    templates, endings = list(NAMED), list(ENDINGS)
    chance.shuffle(templates)
    chance.shuffle(endings)
    for turn in range(len(endings)):
        for at, template in enumerate(templates):
            yield template.replace("{}", name) + endings[(at + turn) % len(endings)]


def _having(kind: Kind, chance: random.Random) -> Iterator[str]:
    """Sentences without end."""
    templates = list(kind.templates)
    chance.shuffle(templates)
    turn = 0
    while True:
        for template in templates:
            yield template.replace("{}", kind.some(turn, chance.getrandbits(32)))
            turn += 1


def _distinct(sentences: Iterator[str], count: int) -> list[str]:
    """At most ``count`` of them, as long as new ones come."""
    found: dict[str, None] = {}
    in_vain = 0
    while len(found) < count and in_vain < MOST_IN_VAIN:
        sentence = next(sentences, None)
        if sentence is None:
            break
        in_vain = in_vain + 1 if sentence in found else 0
        found[sentence] = None
    return list(found)


def _input(text: str, reading: str | None) -> Input:
    return Input(InputKind.TEXT, text.encode(), text, reading, ".txt", _ORIGIN)
