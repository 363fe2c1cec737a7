"""The elements of arrays, the same for every version of every library: from Python's own random.

``values`` says what they are: ``any`` within bounds, ``probabilities`` and
``one_hot`` along the last axis, ``sorted`` along it, or ``unique``.
"""

from __future__ import annotations

import random
from typing import Any, List, Optional

_MOST_DRAWN = 1021
_KINDS_OF_WHOLE = ("bool", "int", "uint", "long")


def is_whole(dtype: str) -> bool:
    """Whether a dtype, by its name, has whole numbers alone."""
    return dtype.rstrip("0123456789") in _KINDS_OF_WHOLE


def drawn_elements(
    count: int,
    row: int,
    values: str,
    seed: Optional[int],
    low: float,
    high: float,
    *,
    whole: bool,
) -> List[Any]:
    """``count`` numbers in rows of ``row``; without a seed the plainest ones."""
    if values == "unique":
        return _distinct(count, seed, low, high, whole=whole)
    if values in ("probabilities", "one_hot"):
        rows = [_row(row, values, seed, place) for place in range(count // max(1, row))]
        return [element for made in rows for element in made]
    drawn = _uniform(count, seed or 0, low, high, whole=whole)
    if values == "sorted":
        rows = [sorted(drawn[start : start + row]) for start in range(0, count, max(1, row))]
        return [element for made in rows for element in made]
    return drawn


def _uniform(count: int, seed: int, low: float, high: float, *, whole: bool) -> List[Any]:
    """Numbers from ``low`` to ``high``; they come again after a prime number of them."""
    draw = random.Random(seed).random
    few = range(min(count, _MOST_DRAWN))
    if whole:
        span = int(high) - int(low) + 1
        drawn: List[Any] = [min(int(low) + int(draw() * span), int(high)) for _ in few]
    else:
        half, width = low / 2, high / 2 - low / 2
        drawn = [min(2 * (half + width * draw()), high) for _ in few]
    return (drawn * (count // _MOST_DRAWN + 1))[:count] if count > _MOST_DRAWN else drawn


def _row(size: int, values: str, seed: Optional[int], place: int) -> List[float]:
    """Numbers that sum to one; one of them is one where ``values`` is ``one_hot``.

    With a fourth of the seeds some are exactly zero.
    """
    drawn = random.Random((seed or 0) * 1_000_003 + place)
    if values == "one_hot":
        chosen = 0 if seed is None else drawn.randrange(size)
        return [1.0 if at == chosen else 0.0 for at in range(size)]
    if seed is None:
        return [1.0 / size] * size
    weights = [drawn.random() + 1e-3 for _ in range(size)]
    if seed % 4 == 0:
        sure = drawn.randrange(size)
        weights = [w if at == sure or drawn.random() < 0.5 else 0.0 for at, w in enumerate(weights)]
    total = sum(weights)
    return [weight / total for weight in weights]


def _distinct(
    count: int, seed: Optional[int], low: float, high: float, *, whole: bool
) -> List[Any]:
    """Different numbers over the whole of ``low`` to ``high``, ascending without a seed."""
    steps = max(1, count - 1)
    if whole:
        span = int(high) - int(low)
        made: List[Any] = [int(low) + span * place // steps for place in range(count)]
    else:
        made = [low + (high - low) * (place / steps) for place in range(count)]
    if seed is not None:
        random.Random(seed).shuffle(made)
    return made
