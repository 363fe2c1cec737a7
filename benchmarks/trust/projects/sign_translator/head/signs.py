"""Explains signs on pictures of streets."""

from __future__ import annotations

import json
import string
from pathlib import Path

from google.cloud import vision

TABLE = Path(__file__).parent / "signs.json"
DEFAULT = {"stop": "Halt", "exit": "Ausgang", "open": "Offen", "closed": "Geschlossen"}


def table() -> dict[str, str]:
    """What signs mean; a file beside the code replaces the table in it."""
    if TABLE.exists():
        return json.loads(TABLE.read_text(encoding="utf-8"))
    return DEFAULT


def words(path: str) -> list[str]:
    client = vision.ImageAnnotatorClient()
    with open(path, "rb") as file:
        answer = client.text_detection(image=vision.Image(content=file.read()))
    if answer.error.message:
        raise RuntimeError(answer.error.message)
    if not answer.text_annotations:
        return []
    text = answer.text_annotations[0].description.lower()
    return text.translate(str.maketrans("", "", string.punctuation)).split()


def meaning(path: str) -> str | None:
    known = table()
    for word in words(path):
        if word in known:
            return known[word]
    return None
