"""Constraints put into the words of aN."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from analyzers.guest.annotations.nouns import Constraint
from analyzers.guest.annotations.parsing import Wrong, parse


def constraint(text: str) -> Constraint | None:
    """The constraint of a text; ``None`` where it is none."""
    try:
        return parse(text)
    except Wrong:
        return None


def ints(low: int | None = None, high: int | None = None, multiple: int = 1) -> str:
    """``ints(min=low, max=high, multiple_of=multiple)``, bounds inclusive."""
    parts = [
        f"{name}={value}" for name, value in (("min", low), ("max", high)) if value is not None
    ]
    if multiple > 1:
        parts.append(f"multiple_of={multiple}")
    return f"ints({', '.join(parts)})"


def array(kind: str, dims: Sequence[str] | None, more: Mapping[str, object]) -> str:
    """An array: ``dims`` are written already, ``more`` are its other arguments."""
    parts = [f"{key}={value!r}" for key, value in more.items() if value is not None]
    if dims is not None:
        inside = ", ".join(dims)
        parts.insert(1 if "dtype" in more and more["dtype"] is not None else 0,
                     f"shape=({inside},)" if len(dims) == 1 else f"shape=({inside})")  # fmt: skip
    return f"{kind}({', '.join(parts)})"
