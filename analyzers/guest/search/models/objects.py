"""Objects located on a picture, entities named in a text, logos, landmarks."""

from __future__ import annotations

from typing import Any, Dict

from .entries import EntriesModel

KINDS = (
    "PERSON", "LOCATION", "ORGANIZATION", "EVENT", "WORK_OF_ART", "CONSUMER_GOOD", "OTHER",
    "PHONE_NUMBER", "ADDRESS", "DATE", "NUMBER", "PRICE",
)  # fmt: skip
_BOX = [{"x": x, "y": y} for x, y in ((0.1, 0.1), (0.6, 0.1), (0.6, 0.6), (0.1, 0.6))]


def _located(n: int, name: str, score: float) -> Dict[str, Any]:
    return {
        "mid": f"/m/0assay{n}",
        "name": name,
        "score": score,
        "bounding_poly": {"normalized_vertices": _BOX},
    }


def _named(n: int, name: str, score: float) -> Dict[str, Any]:
    del n
    kind = name.upper()
    return {"name": name, "type_": kind if kind in KINDS else "OTHER", "salience": score}


def _described(n: int, name: str, score: float) -> Dict[str, Any]:
    return {"mid": f"/m/0assay{n}", "description": name, "score": score}


ENTITIES = EntriesModel(
    "entities",
    ("entities", "name", "type_", "salience"),
    _named,
    lambda entries: {"entities": entries, "language": "en"},
    (0.0, 1.0),
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
