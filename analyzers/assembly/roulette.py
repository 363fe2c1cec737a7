"""Roulette-wheel selection: chances in proportion to weights."""

from __future__ import annotations

import random
from collections.abc import Sequence
from itertools import accumulate
from typing import TypeVar

Item = TypeVar("Item")


def spun(choices: Sequence[tuple[Item, float]], rng: random.Random) -> Item | None:
    """One of the choices, each as likely as its weight says; none where all weigh nothing."""
    ends = list(accumulate(max(0.0, weight) for _, weight in choices))
    if not ends or ends[-1] <= 0:
        return None
    point = rng.random() * ends[-1]
    return next(
        (item for (item, _), end in zip(choices, ends, strict=True) if point < end),
        choices[-1][0],
    )
