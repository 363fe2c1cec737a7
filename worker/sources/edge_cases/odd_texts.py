"""Sentences of our own, in English and in other languages, that say nothing odd."""

from __future__ import annotations

import itertools
import random
from collections.abc import Iterable
from dataclasses import dataclass

from analyzers.vocabulary import Input, InputKind, InputSupply, Origin

ENGLISH = (
    "The library opens at nine and closes in the evening.",
    "Please bring your own cup, because there are not enough for everybody.",
    "We took the wrong bus and had to walk back along the river.",
    "The soup was too salty, but the bread was still warm.",
    "My sister repairs bicycles and sells them at the market.",
    "It rained all morning, so the children stayed inside.",
    "The new printer is faster than the old one and much louder.",
    "Nobody knew the way, and the map was of no help.",
    "He wrote a long letter and forgot to send it.",
    "The garden looks lovely now that the roses are in flower.",
)
LINES = (
    "Opening hours\nMonday to Friday\n9:00 to 17:00",
    "Bread 2.50\nButter 1.80\nCheese 4.20\nTotal 8.50",
    "Keep left\nNo parking\nExit",
    "Dear guests\nbreakfast is served\nfrom seven to ten",
)
"""Writing of several lines, as on signs and bills."""
DIALOGUE = (
    "Where have you been all this time?",
    "I missed the train and had to wait for the next one.",
    "You could have called me.",
    "I am sorry, my phone was empty.",
)
"""What people say to each other in turn."""


@dataclass(frozen=True, slots=True)
class ForeignSentence:
    """Sentences of a language, by its ISO 639-1 code; ``leftward`` is how it is written."""

    code: str
    language: str
    sentences: tuple[str, ...]
    leftward: bool = False


FOREIGN = (
    ForeignSentence("de", "German", ("Der Zug fährt heute später.", "Wo ist der nächste Bahnhof?")),
    ForeignSentence("ja", "Japanese", ("今日はいい天気ですね。", "駅はどこですか。")),
    ForeignSentence("fr", "French", ("Le train part à midi.", "Où est la bibliothèque ?")),
    ForeignSentence("ar", "Arabic", ("الطقس جميل اليوم.", "أين المكتبة؟"), leftward=True),
    ForeignSentence("es", "Spanish", ("El tren sale mañana.", "¿Dónde está la estación?")),
    ForeignSentence("ru", "Russian", ("Поезд отправляется утром.", "Где находится вокзал?")),
    ForeignSentence("hi", "Hindi", ("आज मौसम अच्छा है।", "स्टेशन कहाँ है?")),
)


def taken(items: Iterable[Input], count: int, what: str) -> InputSupply:
    """Return the first ``count`` inputs; no more are made."""
    found = tuple(itertools.islice(items, count))
    return InputSupply(found, None if len(found) == count else f"there are {len(found)} {what}")


def shuffled(items: Iterable[str], seed: int) -> list[str]:
    """Return the same order for the same seed."""
    row = list(items)
    random.Random(f"{seed}/corner").shuffle(row)  # noqa: S311
    return row


EMPTY = ("", " ", "\n", "\t \n")
MANY_CHARACTERS = 20_000
_ORIGIN = Origin("sentences")


def _text(content: str, description: str) -> Input:
    reading = content if content.strip() else None
    return Input(InputKind.TEXT, content.encode(), description, reading, ".txt", _ORIGIN)


def nothing(_: str, count: int, seed: int) -> InputSupply:
    """Empty texts and white space."""
    del seed
    made = (_text(text, "white space" if text else "an empty text") for text in EMPTY)
    return taken(made, count, "texts that say nothing")


def several(_: str, count: int, seed: int) -> InputSupply:
    """Texts of several people."""
    row = shuffled(ENGLISH, seed)
    turns = (row[at:] + row[:at] for at in range(len(row)))
    made = (_text("\n".join(turn[:6]), "six sentences of six people") for turn in turns)
    return taken(made, count, "texts of several people")


def huge(_: str, count: int, seed: int) -> InputSupply:
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


def foreign(_: str, count: int, seed: int) -> InputSupply:
    """Texts in other languages."""
    del seed
    pairs = ((each, at) for at in range(2) for each in FOREIGN)
    made = (_text(each.sentences[at], f"a text in {each.language}") for each, at in pairs)
    return taken(made, count, "texts in other languages")
