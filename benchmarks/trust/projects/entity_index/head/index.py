"""Who and where in a news archive."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass, field

from google.cloud import language_v1
from google.cloud.language_v1 import Entity


@dataclass
class Index:
    people: set[str] = field(default_factory=set)
    places: set[str] = field(default_factory=set)
    others: dict[str, int] = field(default_factory=lambda: defaultdict(int))


def entities(text: str):
    client = language_v1.LanguageServiceClient()
    document = language_v1.Document(content=text, type_="PLAIN_TEXT")
    return client.analyze_entities(document=document, encoding_type="UTF8").entities


def build(text: str) -> Index:
    index = Index()
    for entity in entities(text):
        kind = Entity.Type(entity.type_).name
        if kind == "PERSON":
            index.people.add(entity.name)
        elif kind == "LOCATION":
            index.places.add(entity.name)
        else:
            index.others[kind] += 1
    return index


def headline(text: str) -> str:
    index = build(text)
    if index.people and index.places:
        return f"{min(index.people)} in {min(index.places)}"
    if index.people:
        return min(index.people)
    return "News"
