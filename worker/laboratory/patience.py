"""How long a probe may take: what is asked of models takes longer than a call."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import takewhile

from analyzers.guest.exploring.model_words import HEAVY_WORDS
from analyzers.vocabulary import Probe

MODEL_SECONDS = 75.0
"""A model is exported or compiled for one condition, which takes up to 40 s on a busy machine."""


def patience(probe: Probe, seconds: float) -> float:
    """The limit of one probe that would have ``seconds`` for its call."""
    heavy = any(f"{word}(" in said for said in probe.ensures for word in HEAVY_WORDS)
    return max(seconds, MODEL_SECONDS) if heavy else seconds


def alike(probes: Sequence[Probe], seconds: float) -> tuple[list[Probe], float]:
    """The first of the probes, as far as they have one limit, and that limit."""
    limit = patience(probes[0], seconds)
    return list(takewhile(lambda each: patience(each, seconds) == limit, probes)), limit
