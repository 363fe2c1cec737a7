"""Odd texts."""

from __future__ import annotations

import itertools
from collections.abc import Iterable

from analyzers.vocabulary import Input, InputKind, Origin, Supply
from worker.sources.corners.choosing import shuffled, taken
from worker.sources.sentences import ENGLISH, FOREIGN

EMPTY = ("", " ", "\n", "\t \n")
MANY_CHARACTERS = 20_000
_ORIGIN = Origin("sentences")


def _text(content: str, description: str) -> Input:
    reading = content if content.strip() else None
    return Input(InputKind.TEXT, content.encode(), description, reading, ".txt", _ORIGIN)


def nothing(_: str, count: int, seed: int) -> Supply:
    """Empty texts and white space."""
    del seed
    made = (_text(text, "white space" if text else "an empty text") for text in EMPTY)
    return taken(made, count, "texts that say nothing")


def several(_: str, count: int, seed: int) -> Supply:
    """Texts of several people."""
    row = shuffled(ENGLISH, seed)
    turns = (row[at:] + row[:at] for at in range(len(row)))
    made = (_text("\n".join(turn[:6]), "six sentences of six people") for turn in turns)
    return taken(made, count, "texts of several people")


def huge(_: str, count: int, seed: int) -> Supply:
    """Texts of 20,000 characters."""
    row = shuffled(ENGLISH, seed)
    turns = (itertools.cycle(row[at:] + row[:at]) for at in range(len(row)))
    made = (
        _text(_filled(turn, MANY_CHARACTERS), f"a text of {MANY_CHARACTERS:,} characters")
        for turn in turns
    )
    return taken(made, count, "long texts")


def _filled(sentences: Iterable[str], characters: int) -> str:
    text = ""
    for sentence in sentences:
        text += sentence + " "
        if len(text) >= characters:
            break
    return text[:characters].rstrip() + "." * (characters - len(text[:characters].rstrip()))


def foreign(_: str, count: int, seed: int) -> Supply:
    """Texts in other languages."""
    del seed
    pairs = ((each, at) for at in range(2) for each in FOREIGN)
    made = (_text(each.sentences[at], f"a text in {each.language}") for each, at in pairs)
    return taken(made, count, "texts in other languages")
