"""The errors by layer that the evidence of a model's finding tells of."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from analyzers.vocabulary import LayerError

MOST_ROWS = 16


def layers_of(rule: str, evidence: Mapping[str, Any]) -> Sequence[LayerError]:
    """Return the last layers up to the departing one; none where there is nothing to compare."""
    rows = evidence.get("layers", ()) if rule.startswith("model/") else ()
    layers = [LayerError(str(row["layer"]), row["error_ratio"]) for row in rows]
    return layers[-MOST_ROWS:] if len(layers) > 1 else ()


def ratio_text(ratio: float | None) -> str:
    """Return a ratio in two digits: ``0.42``, ``420,000``, ``4.2e+08``."""
    if ratio is None:
        return "no finite number"
    short = float(f"{ratio:.2g}")
    return f"{short:,.0f}" if 10 <= short < 1e6 else f"{short:g}"


def layers_sentence(layers: Sequence[LayerError]) -> str:
    """Return how the errors before the departing layer compare with its own."""
    *before, last = layers
    worst = max((each.error_ratio or 0.0 for each in before), default=0.0)
    return (
        f"Error over eager execution's own, by layer: at most {ratio_text(worst)} in the"
        f" {len(before)} before {last.layer}, there {ratio_text(last.error_ratio)}"
    )
