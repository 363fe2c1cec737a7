"""Objects located on a picture, entities named in a text, logos, landmarks."""

from __future__ import annotations

from typing import Any, Dict, Iterator

from ..harvest import Pool
from .entries import LIKELY, Entries, EntriesModel

KINDS = (
    "PERSON", "LOCATION", "ORGANIZATION", "EVENT", "WORK_OF_ART", "CONSUMER_GOOD", "OTHER",
    "PHONE_NUMBER", "ADDRESS", "DATE", "NUMBER", "PRICE",
)  # fmt: skip
_BOXES = (
    (0.1, 0.1, 0.6, 0.6), (0.7, 0.2, 0.95, 0.5), (0.02, 0.65, 0.3, 0.98),
    (0.45, 0.45, 0.55, 0.55), (0.0, 0.0, 1.0, 1.0),
)  # fmt: skip
"""Left, top, right and bottom of the objects listed, by place in the list."""


def _located(n: int, name: str, score: float) -> Dict[str, Any]:
    left, top, right, bottom = _BOXES[n % len(_BOXES)]
    corners = ((left, top), (right, top), (right, bottom), (left, bottom))
    return {
        "mid": f"/m/0assay{n}",
        "name": name,
        "score": score,
        "bounding_poly": {"normalized_vertices": [{"x": x, "y": y} for x, y in corners]},
    }


def _named(n: int, name: str, score: float) -> Dict[str, Any]:
    del n
    kind = name.upper()
    return {"name": name, "type_": kind if kind in KINDS else "OTHER", "salience": score}


def _felt(n: int, name: str, score: float) -> Dict[str, Any]:
    feeling = {"score": score, "magnitude": abs(score)}
    return {**_named(n, name, 0.5), "sentiment": feeling}


def _described(n: int, name: str, score: float) -> Dict[str, Any]:
    return {"mid": f"/m/0assay{n}", "description": name, "score": score}


class _NamedModel(EntriesModel):
    """Entities, of each kind one to begin with: code may know kinds by their numbers."""

    def seeds(self, pool: Pool) -> Iterator[Entries]:
        """As of any list; then every kind alone."""
        yield from super().seeds(pool)
        for kind in KINDS:
            yield ((kind, LIKELY),)


ENTITIES = _NamedModel(
    "entities",
    ("entities", "name", "type_", "salience"),
    _named,
    lambda entries: {"entities": entries, "language": "en"},
    (0.0, 1.0),
)
ENTITY_SENTIMENTS = EntriesModel(
    "entities",
    ("entities", "name", "type_", "sentiment", "score", "magnitude"),
    _felt,
    lambda entries: {"entities": entries, "language": "en"},
    (-1.0, 1.0),
)
OBJECTS = EntriesModel(
    "objects",
    ("localized_object_annotations", "name", "score"),
    _located,
    lambda entries: {"localized_object_annotations": entries},
)
LOGOS = EntriesModel(
    "logos",
    ("logo_annotations", "description", "score"),
    _described,
    lambda entries: {"logo_annotations": entries},
)
LANDMARKS = EntriesModel(
    "landmarks",
    ("landmark_annotations", "description", "score"),
    _described,
    lambda entries: {"landmark_annotations": entries},
)
