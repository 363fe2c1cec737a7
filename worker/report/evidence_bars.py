"""The shares that a finding's evidence tells of, as bars."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, cast

Document = Mapping[str, Any]
"""A part of a report's JSON."""

_CHECKED = {
    "recall_after": "Recall with the added labels, on the half that they were not chosen on",
    "accuracy_before": "Right as it stands",
    "accuracy_after": "Right with the formula, on the half that it was not chosen on",
}

_SHORT = {
    _CHECKED["recall_after"]: "with the fix",
    _CHECKED["accuracy_before"]: "right now",
    _CHECKED["accuracy_after"]: "with the fix",
    "Recall": "now",
}


@dataclass(frozen=True, slots=True)
class EvidenceBar:
    """A share with its 95 % interval and a threshold in percent; ``repaired``: by a suggestion."""

    title: str
    sentence: str
    share: float
    low: float
    high: float
    threshold: float | None
    repaired: bool = False

    @property
    def short(self) -> str:
        """The title in a word or two, for an axis."""
        return _SHORT.get(self.title, self.title)

    @property
    def words(self) -> str:
        """All that the bar shows, in a line."""
        limit = "" if self.threshold is None else f", threshold {self.threshold:.0f} %"
        return f"{self.title}: {self.sentence}{limit}"


def bars_of(evidence: Document) -> list[EvidenceBar]:
    """Return the shares that the evidence tells of, with their intervals."""
    threshold = _percent(evidence.get("threshold"))
    named = [("Recall", evidence)] + [
        (f"{name.title()} texts", evidence[name])
        for name in ("positive", "negative")
        if isinstance(evidence.get(name), Mapping)
    ]
    counted_bars = [bar for name, part in named if (bar := _counted_bar(name, part, threshold))]
    checked = [bar for key in _CHECKED if (bar := _checked_bar(key, evidence, threshold))]
    return counted_bars + checked


def _counted_bar(title: str, part: Document, threshold: float | None) -> EvidenceBar | None:
    inputs, reached, between = part.get("inputs"), part.get("reached"), _between(part, "interval")
    if not inputs or reached is None or between is None:
        return None
    share = 100 * reached / inputs
    sentence = f"{reached} of {inputs} inputs, {share:.0f} % ({_interval(between)})"
    return EvidenceBar(title, sentence, share, *between, threshold)


def _checked_bar(key: str, evidence: Document, threshold: float | None) -> EvidenceBar | None:
    share, between = _percent(evidence.get(key)), _between(evidence, f"{key}_interval")
    if share is None or between is None:
        return None
    limit = threshold if key == "recall_after" else None
    sentence = f"{share:.0f} % ({_interval(between)})"
    return EvidenceBar(_CHECKED[key], sentence, share, *between, limit, key.endswith("_after"))


def _between(part: Document, key: str) -> tuple[float, float] | None:
    value = part.get(key)
    if not isinstance(value, Sequence) or len(cast("Sequence[object]", value)) != 2:
        return None
    low, high = (_percent(end) for end in cast("Sequence[object]", value))
    return None if low is None or high is None else (low, high)


def _percent(value: object) -> float | None:
    return 100.0 * value if isinstance(value, int | float) else None


def _interval(between: tuple[float, float]) -> str:
    return f"95 % interval {between[0]:.0f}–{between[1]:.0f} %"
