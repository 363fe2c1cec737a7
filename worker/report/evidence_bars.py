"""The shares that a finding's evidence tells of, as bars."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
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
    """A share with its 95 % interval, all in percent; ``right``: as it should be, where known.

    ``threshold`` is the least that the share should be, or, with ``ceiling``, the most.
    """

    title: str
    sentence: str
    share: float
    low: float
    high: float
    threshold: float | None
    ceiling: bool = False
    right: bool | None = None

    @property
    def short(self) -> str:
        """The title in a word or two, for an axis."""
        return _SHORT.get(self.title, self.title)

    @property
    def words(self) -> str:
        """All that the bar shows, in a line."""
        if self.threshold is None:
            return f"{self.title}: {self.sentence}"
        limit = "at most" if self.ceiling else "threshold"
        return f"{self.title}: {self.sentence}, {limit} {self.threshold:.0f} %"


def bars_of(evidence: Document) -> list[EvidenceBar]:
    """Return the shares that the evidence tells of, with their intervals."""
    threshold = _percent(evidence.get("threshold"))
    recall = _counted_bar("Recall", evidence)
    if recall and threshold is not None:
        recall = replace(recall, threshold=threshold, right=recall.share >= threshold)
    rated = [bar for name in ("positive", "negative") if (bar := _rated_bar(name, evidence))]
    checked = [bar for key in _CHECKED if (bar := _checked_bar(key, evidence, threshold))]
    return [*([recall] if recall else []), *rated, *checked]


def _counted_bar(title: str, part: Document) -> EvidenceBar | None:
    inputs, reached, between = part.get("inputs"), part.get("reached"), _between(part, "interval")
    if not inputs or reached is None or between is None:
        return None
    share = 100 * reached / inputs
    sentence = f"{reached} of {inputs} inputs, {share:.0f} % ({_interval(between)})"
    return EvidenceBar(title, sentence, share, *between, None)


def _rated_bar(kind: str, evidence: Document) -> EvidenceBar | None:
    """Return how many texts of a kind take the branch; few of those should that it is not for."""
    part, meant = evidence.get(kind), evidence.get("meant_for")
    limit = _percent(evidence.get("threshold"))
    bar = _counted_bar(f"{kind.title()} texts", part) if isinstance(part, Mapping) else None
    if bar is None or limit is None or meant is None:
        return bar
    if meant == kind:
        return replace(bar, right=bar.share > limit)
    return replace(bar, threshold=limit, ceiling=True, right=bar.share <= limit)


def _checked_bar(key: str, evidence: Document, threshold: float | None) -> EvidenceBar | None:
    share, between = _percent(evidence.get(key)), _between(evidence, f"{key}_interval")
    if share is None or between is None:
        return None
    limit = threshold if key == "recall_after" else None
    sentence = f"{share:.0f} % ({_interval(between)})"
    right = None if key == "accuracy_before" else limit is None or share >= limit
    return EvidenceBar(_CHECKED[key], sentence, share, *between, limit, right=right)


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
