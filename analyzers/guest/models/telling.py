"""What departs, in the words of the frame ``executed``."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any, Dict, Mapping, Optional, Sequence

from .mutation.spelling import text
from .nouns import Mutation, Verdict

LONGEST = 2_000
MOST_RATIO = 1e12


@dataclass(frozen=True)
class Subject:
    """A model that was built: by which arguments, and the recipe of its inputs, if needed."""

    arguments: Mapping[str, Any]
    inputs: str
    model: Any


@dataclass(frozen=True)
class Departed:
    """An oracle's verdict on a model, and where in the model it begins."""

    subject: Subject
    verdict: Verdict
    mutations: Sequence[Mutation] = ()
    located: Optional[Any] = None
    signal: Optional[int] = None


def told(departed: Departed) -> Dict[str, Any]:
    """One departure of the frame."""
    verdict, located = departed.verdict, departed.located
    outcome, _, expected = verdict.detail.partition("; ")
    return {
        "rule": verdict.rule,
        "execution": verdict.execution,
        "arguments": dict(departed.subject.arguments),
        "inputs": departed.subject.inputs,
        "mutations": text(departed.mutations),
        "ending": None if departed.signal is not None else _violated(verdict),
        "signal": departed.signal,
        "outcome": outcome[:LONGEST],
        "expected": expected[:LONGEST],
        "error_ratio": _amount(verdict.error_ratio),
        "d_mad": _amount(verdict.d_mad),
        "layer": None if located is None else layer(located.place),
        "single": "" if located is None else (located.source or "")[:LONGEST],
        "low": None if located is None else _finite(located.low),
        "high": None if located is None else _finite(located.high),
    }


def layer(place: Any) -> Dict[str, Any]:
    """A layer of the frame."""
    return {
        "name": place.name,
        "kind": place.kind,
        "path": place.path,
        "line": int(place.line),
        "source": line(place.source),
    }


def line(said: str) -> str:
    """A text on one line, without backquotes."""
    return " ".join(said.replace("`", "'").split())[:LONGEST]


def _violated(verdict: Verdict) -> Dict[str, Any]:
    return {"kind": "violated", "condition": "executes", "detail": verdict.detail[:LONGEST]}


def _amount(value: Optional[float]) -> Optional[float]:
    if value is None or math.isnan(value):
        return None
    return float(min(max(value, 0.0), MOST_RATIO))


def _finite(value: Optional[float]) -> Optional[float]:
    return float(value) if value is not None and math.isfinite(value) else None
