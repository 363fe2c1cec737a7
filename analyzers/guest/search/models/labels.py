"""Image labels: what is on a picture."""

from __future__ import annotations

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
