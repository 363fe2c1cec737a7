"""Answers as an API gives them every day, for telling a crash from a routine."""

from __future__ import annotations

from analyzers.catalogue import Api
from analyzers.vocabulary import Exchange, Json, JsonObject

_TEXT = "Thank you for your visit\nTotal 12.50\n2026-03-14"
_LABELS = (("Dog", 0.97), ("Grass", 0.91), ("Carnivore", 0.88), ("Plant", 0.74), ("Tail", 0.61))
_WORDS: list[Json] = [{"description": text, "locale": ""} for text in (_TEXT, *_TEXT.split())]
_SENTENCES: list[Json] = [
    {
        "text": {"content": "The service was great.", "begin_offset": 0},
        "sentiment": {"score": 0.8, "magnitude": 0.8},
    }
]

ANSWERS: dict[str, JsonObject] = {
    "google.vision.label_detection": {
        "label_annotations": [{"description": name, "score": score} for name, score in _LABELS]
    },
    "google.vision.text_detection": {
        "text_annotations": _WORDS,
        "full_text_annotation": {"text": _TEXT},
    },
    "google.vision.document_text_detection": {
        "text_annotations": _WORDS,
        "full_text_annotation": {"text": _TEXT},
    },
    "google.language.analyze_sentiment": {
        "document_sentiment": {"score": 0.8, "magnitude": 0.8},
        "language": "en",
        "sentences": _SENTENCES,
    },
}

FULLY_MODELLED = frozenset(
    {
        "labels",
        "objects",
        "text",
        "document",
        "sentiment",
        "faces",
        "entities",
        "logos",
        "landmarks",
    }
)
"""Tasks whose made-up answers are answers that an API could give."""


def ordinary_script(apis: list[Api]) -> tuple[Exchange, ...] | None:
    """An everyday answer of each API; ``None`` where one has none here."""
    if not apis or any(api.name not in ANSWERS for api in apis):
        return None
    return tuple(Exchange(api.name, "", ANSWERS[api.name]) for api in apis)
