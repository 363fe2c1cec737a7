"""A small picture of a tensor's numbers, as SVG without style attributes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from markupsafe import Markup

LEVELS = 8
CELL = 10
_POSITIVE, _NEGATIVE, _OTHER = "var(--note)", "var(--bad)", "var(--ink)"

Cells = Sequence[Sequence[float | None]]


def range_words(tensor: Mapping[str, Any]) -> str:
    """Return ``numbers from -1 to 0.99``; empty where all are one number."""
    low, high, odd = tensor.get("low"), tensor.get("high"), tensor.get("not_finite") or 0
    parts = []
    if low is not None and high is not None and low != high:
        parts.append(f"numbers from {_number(low)} to {_number(high)}")
    parts += [f"{odd:,} not finite"] if odd else []
    return ", ".join(parts)


def _number(value: float) -> str:
    return str(value) if isinstance(value, int) else f"{value:.4g}"


def heat_map(cells: Cells) -> Markup | None:
    """Return the map of a tensor's numbers; ``None`` for fewer than two different ones."""
    values = [value for row in cells for value in row]
    if len(set(values)) < 2:
        return None
    finite = [value for value in values if value is not None]
    signed = min(finite, default=0) < 0 < max(finite, default=0)
    low = 0.0 if signed else min(finite, default=0.0)
    span = max((abs(value - low) for value in finite), default=0.0) or 1.0
    strokes: dict[tuple[str, int], list[str]] = {}
    for y, row in enumerate(cells):
        for x, value in enumerate(row):
            strokes.setdefault(_look(value, low, span), []).append(f"M{x} {y}h1v1h-1z")
    paths = "".join(
        f'<path fill="{fill}" fill-opacity="{step / LEVELS:.3g}" d="{"".join(parts)}"/>'
        for (fill, step), parts in sorted(strokes.items())
    )
    width, height = max(map(len, cells)), len(cells)
    size = f'viewBox="0 0 {width} {height}" width="{width * CELL}" height="{height * CELL}"'
    told = "Heat map of the first numbers; blue: larger" + ("; red: negative" if signed else "")
    return Markup(f'<svg class="heat" role="img" aria-label="{told}" {size}>{paths}</svg>')  # noqa: S704


def _look(value: float | None, low: float, span: float) -> tuple[str, int]:
    """Return the colour of a number, and how strong it is."""
    if value is None:
        return _OTHER, LEVELS
    return (_NEGATIVE if value < low else _POSITIVE), round(LEVELS * abs(value - low) / span)
