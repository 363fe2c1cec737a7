"""Entities in English texts on this machine, by patterns and Faker's lists of names.

A substitute that knows names, not language: what it does not know it does not
see, and of two people of one name it makes one.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from importlib import import_module
from importlib.util import find_spec
from typing import Any, TypeAlias

from analyzers.vocabulary import Json, JsonObject
from worker.engines.engine import (
    ApiRequest,
    LocalEngine,
    NoAnswer,
    expect_english,
    given_text,
)

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
    """Return the names, read once.  Raises ``NoAnswer`` where Faker is not installed."""
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
    for name in (which, f"{which}_male", f"{which}_female"):
        yield from getattr(person, name, ())


LONGEST_NAME = 4
"""The most words of a place."""
_MONTH = (
    r"(?:January|February|March|April|May|June|July|August|September|October|November|December"
    r"|Jan|Feb|Mar|Apr|Jun|Jul|Aug|Sept?|Oct|Nov|Dec)\b\.?"
)
_DAY = r"(?:[0-3]?\d(?:st|nd|rd|th)?)"
_AMOUNT = r"\d+(?:,\d{3})*(?:\.\d+)?"
_STREET = (
    r"(?:Street|St|Avenue|Ave|Road|Rd|Lane|Ln|Drive|Dr|Court|Ct|Square|Boulevard|Blvd|Way|Place"
    r"|[A-Z][a-z]+)"
)
_UNIT = r"(?:kilograms?|kilos?|kg|pounds?|lbs?|grams?|tons?|liters?|litres?|miles?|meters?|metres?)"
# in the order in which they claim characters
_PATTERNS: tuple[tuple[str, re.Pattern[str]], ...] = tuple(
    (kind, re.compile(pattern))
    for kind, pattern in (
        ("email", r"[\w.+-]{1,64}@[\w-]{1,63}(?:\.[\w-]{1,63}){1,4}"),
        ("url", r"(?:https?://|www\.)[^\s<>\"']{1,500}[^\s<>\"'.,;:!?)]"),
        ("ip", r"(?<![\d.])(?:\d{1,3}\.){3}\d{1,3}(?!\.?\d)"),
        (
            "date",
            rf"{_MONTH} {_DAY}(?:,? \d{{4}})?\b|\b{_DAY} {_MONTH}(?: \d{{4}})?|{_MONTH} \d{{4}}",
        ),
        ("date", r"\b\d{4}-\d\d-\d\d\b|\b\d{1,2}[./]\d{1,2}[./]\d{2,4}\b"),
        ("date", r"\b(?:(?:Mon|Tues|Wednes|Thurs|Fri|Satur|Sun)day|[Tt]omorrow|[Yy]esterday)\b"),
        ("time", r"\b[0-2]?\d:[0-5]\d(?: ?[ap]\.?m\b)?|\b1?\d ?[ap]m\b"),
        ("price", rf"[$€£] ?{_AMOUNT}|\b{_AMOUNT} ?(?:[$€£]|(?:dollars?|euros?|USD|EUR|GBP)\b)"),
        (
            "phone",
            r"(?<![\w-])(?:\+\d{1,3}[ -]?)?(?:\(\d{2,4}\) ?|\d{2,4}[ -])\d{3,4}[ -]\d{3,4}(?!\d)",
        ),
        (
            "address",
            rf"\b\d{{1,6}} (?:[A-Z][\w']{{1,30}} ){{1,3}}?{_STREET}\b(?: (?:Apt|Suite)\.? \d+)?",
        ),
        ("quantity", rf"\b{_AMOUNT} ?{_UNIT}\b"),
        (
            "organization",
            r"\b(?:[A-Z][\w'-]{0,30},? (?:and |& )?){1,4}"
            r"(?:Inc|LLC|Ltd|PLC|Group|Corp|Corporation|Company|Bank|University)\b",
        ),
        ("number", rf"(?<![\w.]){_AMOUNT}(?![\w-]|\.\d)"),
    )
)
_NAME = re.compile(r"[^\W\d_][\w'’-]*")


@dataclass(frozen=True, slots=True)
class Mention:
    """An entity in a text: ``start`` and ``end`` count characters."""

    text: str
    kind: str
    start: int

    @property
    def end(self) -> int:
        """The place behind its last character."""
        return self.start + len(self.text)


def mentions(text: str) -> list[Mention]:
    """Return what a text mentions, from left to right, without overlaps; raise ``NoAnswer``.

    A person is a known first name with a capitalized word behind it, or alone within a sentence.
    """
    free = [True] * len(text)
    found: list[Mention] = []
    for mention in _candidates(text, gazetteer()):
        if all(free[mention.start : mention.end]):
            free[mention.start : mention.end] = [False] * len(mention.text)
            found.append(mention)
    return sorted(found, key=lambda mention: mention.start)


def _candidates(text: str, known: Gazetteer) -> Iterator[Mention]:
    for kind, pattern in _PATTERNS[:-1]:
        for match in pattern.finditer(text):
            yield Mention(match[0], kind, match.start())
    words = [match for match in _NAME.finditer(text) if match[0][0].isupper()]
    for size in range(LONGEST_NAME, 0, -1):
        for at in range(len(words) - size + 1):
            name = text[words[at].start() : words[at + size - 1].end()]
            within = size == 1 and _of_name(text, words, at, known)
            if name in known.places and not within:
                yield Mention(name, "location", words[at].start())
    yield from _people(text, words, known)
    kind, pattern = _PATTERNS[-1]
    for match in pattern.finditer(text):
        yield Mention(match[0], kind, match.start())


def _of_name(text: str, words: list[re.Match[str]], at: int, known: Gazetteer) -> bool:
    """Return whether a word is part of a longer name (``Paris Smith``, ``Jack London``)."""
    before = at > 0 and words[at - 1][0] in known.first and _adjoin(text, words[at - 1], words[at])
    after = at + 1 < len(words) and _adjoin(text, words[at], words[at + 1])
    return before or (after and words[at + 1][0] not in known.places)


def _people(text: str, words: list[re.Match[str]], known: Gazetteer) -> Iterator[Mention]:
    for at, word in enumerate(words):
        if word[0] not in known.first:
            continue
        behind = words[at + 1] if at + 1 < len(words) else None
        if behind is not None and _adjoin(text, word, behind):
            yield Mention(text[word.start() : behind.end()], "person", word.start())
        elif text[: word.start()].rstrip()[-1:] not in {"", ".", "!", "?"}:
            yield Mention(word[0], "person", word.start())


def _adjoin(text: str, left: re.Match[str], right: re.Match[str]) -> bool:
    return text[left.end() : right.start()] == " "


GOOGLE = "google.language.analyze_entities"
COMPREHEND = ("aws.comprehend.detect_entities", "aws.comprehend.batch_detect_entities")
AZURE = "azure.language.recognize_entities"
HUGGINGFACE = "huggingface.token_classification"
MOST_CHARACTERS = 20_000
SCORE = 0.95
"""Of every entity: the engine does not know how sure it is."""

Shape: TypeAlias = Callable[[str, Sequence[Mention], JsonObject], JsonObject]


_GOOGLE = {
    "person": "PERSON",
    "location": "LOCATION",
    "organization": "ORGANIZATION",
    "date": "DATE",
    "price": "PRICE",
    "phone": "PHONE_NUMBER",
    "address": "ADDRESS",
    "number": "NUMBER",
    "quantity": "NUMBER",
}
_PROPER = frozenset({"person", "location", "organization"})
_UNITS: Mapping[str, Callable[[str], int]] = {
    "UTF8": lambda text: len(text.encode("utf-8", "surrogatepass")),
    "UTF16": lambda text: len(text.encode("utf-16-le", "surrogatepass")) // 2,
    "UTF32": len,
}


def _google(text: str, found: Sequence[Mention], asked: JsonObject) -> JsonObject:
    """An ``AnalyzeEntitiesResponse``; what is named first is the most salient."""
    unit = _UNITS.get(str(asked.get("encoding_type")))
    named: dict[tuple[str, str], list[Mention]] = {}
    for mention in found:
        named.setdefault((mention.text, mention.kind), []).append(mention)
    weights = [1 / (at + 1) for at in range(len(named))]
    entities: list[Json] = [
        {
            "name": name,
            "type_": _GOOGLE.get(kind, "OTHER"),
            "salience": round(weight / sum(weights), 4),
            "mentions": [
                {
                    "text": {
                        "content": name,
                        "begin_offset": -1 if unit is None else unit(text[: mention.start]),
                    },
                    "type_": "PROPER" if kind in _PROPER else "TYPE_UNKNOWN",
                }
                for mention in where
            ],
        }
        for weight, ((name, kind), where) in zip(weights, named.items(), strict=True)
    ]
    return {"entities": entities, "language": "en"}


_COMPREHEND = {
    "person": "PERSON",
    "location": "LOCATION",
    "address": "LOCATION",
    "organization": "ORGANIZATION",
    "date": "DATE",
    "time": "DATE",
    "price": "QUANTITY",
    "number": "QUANTITY",
    "quantity": "QUANTITY",
}


def _comprehend(text: str, found: Sequence[Mention], asked: JsonObject) -> JsonObject:
    """A ``DetectEntitiesResponse``."""
    del text, asked
    entities: list[Json] = [
        {
            "Score": SCORE,
            "Type": _COMPREHEND.get(each.kind, "OTHER"),
            "Text": each.text,
            "BeginOffset": each.start,
            "EndOffset": each.end,
        }
        for each in found
    ]
    return {"Entities": entities}


_AZURE: Mapping[str, tuple[str, str | None]] = {
    "person": ("Person", None),
    "location": ("Location", "GPE"),
    "organization": ("Organization", None),
    "date": ("DateTime", "Date"),
    "time": ("DateTime", "Time"),
    "price": ("Quantity", "Currency"),
    "number": ("Quantity", "Number"),
    "quantity": ("Quantity", "Dimension"),
    "phone": ("PhoneNumber", None),
    "email": ("Email", None),
    "url": ("URL", None),
    "ip": ("IP", None),
    "address": ("Address", None),
}


def _azure(text: str, found: Sequence[Mention], asked: JsonObject) -> JsonObject:
    del text, asked
    entities: list[Json] = [
        {
            "text": each.text,
            "category": _AZURE[each.kind][0],
            "subcategory": _AZURE[each.kind][1],
            "confidence_score": SCORE,
            "length": len(each.text),
            "offset": each.start,
        }
        for each in found
    ]
    return {"entities": entities, "warnings": []}


_CONLL = {"person": "PER", "location": "LOC", "organization": "ORG"}


def _huggingface(text: str, found: Sequence[Mention], asked: JsonObject) -> JsonObject:
    """Groups of tokens in the classes of CoNLL-2003, which knows names alone."""
    del text, asked
    elements: list[Json] = [
        {
            "word": each.text,
            "score": SCORE,
            "start": each.start,
            "end": each.end,
            "entity": None,
            "entity_group": _CONLL[each.kind],
        }
        for each in found
        if each.kind in _CONLL
    ]
    return {"elements": elements}


SHAPES: Mapping[str, Shape] = {
    GOOGLE: _google,
    **dict.fromkeys(COMPREHEND, _comprehend),
    AZURE: _azure,
    HUGGINGFACE: _huggingface,
}


class LocalEntities(LocalEngine):
    """Finds entities of a document; the lists are read with the first text."""

    package = PACKAGE
    apis = SHAPES

    def ask(self, api: str, request: ApiRequest) -> JsonObject:
        """Return the entities in the API's own shape; raise ``NoAnswer``."""
        text = given_text(request, MOST_CHARACTERS)
        expect_english(request)
        return SHAPES[api](text, mentions(text), request.parameters)
