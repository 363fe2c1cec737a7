"""Layers whose results differ between executions as their libraries have it: no finding of ours."""

from __future__ import annotations

import re

from analyzers.vocabulary import Layer

_KERAS = re.compile(
    r"keras\.layers\.(?:Resizing|UpSampling[12]D)\([^\n]*interpolation='(?:bicubic|lanczos\d)'"
)
"""Each backend resizes with a kernel of its own (the cubic's constant, antialiasing)."""


def differs_by_design(layer: Layer | None) -> bool:
    """Whether a layer is known to be computed otherwise by each backend of Keras."""
    return layer is not None and _KERAS.search(layer.source) is not None
