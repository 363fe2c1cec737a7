"""What all makers of odd inputs share."""

from __future__ import annotations

import itertools
import random
from collections.abc import Iterable

from analyzers.vocabulary import Input, Supply


def taken(items: Iterable[Input], count: int, what: str) -> Supply:
    """The first ``count`` inputs; no more are made."""
    found = tuple(itertools.islice(items, count))
    return Supply(found, None if len(found) == count else f"there are {len(found)} {what}")


def shuffled(items: Iterable[str], seed: int) -> list[str]:
    """The same order for the same seed."""
    row = list(items)
    random.Random(f"{seed}/corner").shuffle(row)  # noqa: S311
    return row
