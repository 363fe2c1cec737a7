"""Image labels: what is on a picture."""

from __future__ import annotations

from typing import Any, Dict

from .entries import EntriesModel

LABELS = EntriesModel(
    "labels",
    ("label_annotations", "description", "score"),
    lambda n, name, score: {
        "mid": f"/m/0assay{n}",
        "description": name,
        "score": score,
        "topicality": score,
    },
    lambda entries: {"label_annotations": entries},
)


def _rekognition(number: int, name: str, score: float) -> Dict[str, Any]:
    del number
    nothing: Dict[str, Any] = {"Instances": [], "Parents": [], "Aliases": [], "Categories": []}
    return {"Name": name, "Confidence": score, **nothing}


REKOGNITION_LABELS = EntriesModel(
    "labels",
    ("Labels", "Name", "Confidence"),
    _rekognition,
    lambda entries: {"Labels": entries, "LabelModelVersion": "3.0"},
    (0.5, 100.0),
)
