"""Entities in English texts on this machine, by patterns and Faker's lists of names.

A substitute that knows names, not language: what it does not know it does not
see, and of two people of one name it makes one.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TypeAlias

from analyzers.vocabulary import Json, JsonObject
from worker.engines.gazetteer import PACKAGE
from worker.engines.identity import local_identity
from worker.engines.mentions import Mention, mentions
from worker.engines.request import ApiRequest, NoAnswer

GOOGLE = "google.language.analyze_entities"
COMPREHEND = ("aws.comprehend.detect_entities", "aws.comprehend.batch_detect_entities")
AZURE = "azure.language.recognize_entities"
HUGGINGFACE = "huggingface.token_classification"
MOST_CHARACTERS = 20_000
SCORE = 0.95
"""Of every entity: the engine does not know how sure it is."""
_REVISION = 1

Shape: TypeAlias = Callable[[str, Sequence[Mention], JsonObject], JsonObject]


class LocalEntities:
    """Finds entities; the lists are read with the first text."""

    local = True

    def __init__(self) -> None:
        self.identity = local_identity(PACKAGE, _REVISION)

    def answers(self, api: str) -> bool:
        """The entities of a document."""
        return api in SHAPES

    def ask(self, api: str, request: ApiRequest) -> JsonObject:
        """The entities in the API's own words and shape.

        Raises:
            NoAnswer: there is no text, it is not to be read as English, it has
                more than 20,000 characters, or Faker is not installed.

        """
        if request.text is None:
            raise NoAnswer("the local engine reads texts, not addresses of texts")
        if len(request.text) > MOST_CHARACTERS:
            raise NoAnswer(f"the local engine reads texts of at most {MOST_CHARACTERS} characters")
        asked = request.parameters.get("LanguageCode") or request.parameters.get("language")
        if asked and not str(asked).casefold().startswith("en"):
            raise NoAnswer(f"the local engine reads English, not {asked!r}")
        return SHAPES[api](request.text, mentions(request.text), request.parameters)


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
    """The entities of one document."""
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
