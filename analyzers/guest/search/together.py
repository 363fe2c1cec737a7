"""What two APIs say of the same text agrees: they name the same things in it."""

from __future__ import annotations

from typing import Any, Dict, Mapping, Tuple

from ..calls import Request
from .models.base import Knobs

_NAMERS: Mapping[str, str] = {
    "google.language.analyze_entities": "google.language",
    "google.language.analyze_entity_sentiment": "google.language",
}
"""APIs that list what a text names, by whose recognition they share."""


class Together:
    """The answers of one run, kept so that none contradicts another."""

    def __init__(self) -> None:
        self._named: Dict[Tuple[str, Any, Any, Any], Knobs] = {}

    def agreeing(self, request: Request, knobs: Knobs) -> Knobs:
        """The entries of an answer, named like those of the first one on the same text."""
        recognizer = _NAMERS.get(request.api)
        if recognizer is None or not isinstance(knobs, tuple):
            return knobs
        asked = (recognizer, request.content_digest, request.text, request.uri)
        first = self._named.setdefault(asked, knobs)
        if first is knobs:
            return knobs
        scores = [score for _, score in knobs]
        return tuple(
            (name, scores[at] if at < len(scores) else 0.0) for at, (name, _) in enumerate(first)
        )
