"""Reads and writes beyond an array: the same call among other memory.

What a call computes follows from the elements of its arrays.  Where it follows
from what lies before and behind them too, memory is read that is not theirs, as
memory sanitizers find it; here without one, by running it in two surroundings.
"""

from __future__ import annotations

import warnings
from contextlib import suppress
from dataclasses import dataclass
from typing import Any, List, Optional, Tuple

from ..calls import copied
from ..libraries.library import Library
from ..mutating.arrays import arrays_of
from ..nouns import CRASH, SUCCESS, Disagreement, Live, Outcome
from ..oracles.exempt import ALL, is_exempt
from ..outcomes import shown
from .surrounded import surrounding

NAME = "bounds"
RELATED = "the same call among other memory"
_LIBRARIES = ("torch",)
_ORDER = (0, 1, 1, 0, 1, 0)
"""Which surroundings follow each other: memory that was never written differs among these."""

_UNCHANGED = Outcome(SUCCESS, "memory around its arrays is left alone")


@dataclass(frozen=True)
class _Run:
    """What a call gave in some surroundings, and whether it wrote there."""

    value: Any
    seen: Any
    is_beyond: bool


def judge(live: Live, library: Library) -> List[Disagreement]:
    """Run a call in two surroundings, and again where that is not the same.

    Only calls that succeed by themselves, and leave their arrays the shapes
    that they had, are told of: what grows an array takes memory as it finds it.
    """
    if library.name not in _LIBRARIES or is_exempt(ALL, live.api) or is_exempt("strides", live.api):
        return []
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return _judged(live, library)


def _judged(live: Live, library: Library) -> List[Disagreement]:
    if _plain(live, library) is None:
        return []
    first = [_run(live, library, number) for number in (0, 1)]
    if any(run is None for run in first) or _agree(first[0], first[1]):
        return []
    runs = [_run(live, library, number) for number in _ORDER]
    if any(run is None for run in runs):
        return []
    return _told(live, [run for run in runs if run is not None])


def _told(live: Live, runs: List[_Run]) -> List[Disagreement]:
    if all(run.is_beyond for run in runs):
        text = Outcome(SUCCESS, "it writes to the memory around its arrays")
        return [Disagreement(live.api, RELATED, NAME, CRASH, text, _UNCHANGED)]
    groups = [[run for run, at in zip(runs, _ORDER) if at == number] for number in (0, 1)]
    repeat = all(run.seen == group[0].seen for group in groups for run in group)
    if not repeat or groups[0][0].seen == groups[1][0].seen:
        return []
    one, other = (Outcome(SUCCESS, shown(group[0].value)) for group in groups)
    return [Disagreement(live.api, RELATED, NAME, CRASH, one, other)]


def _agree(one: Optional[_Run], other: Optional[_Run]) -> bool:
    if one is None or other is None:
        return True
    return one.seen == other.seen and not (one.is_beyond and other.is_beyond)


def _plain(live: Live, library: Library) -> Optional[Tuple[Any]]:
    """The value of the call by itself, boxed; ``None`` where it raises."""
    with suppress(Exception):
        own = copied(live, library)
        library.seed()
        return (own.run(),)
    return None


def _run(live: Live, library: Library, number: int) -> Optional[_Run]:
    """Run it in one of two surroundings; ``None`` where that tells nothing."""
    with suppress(Exception):
        own, around = surrounding(copied(live, library), library, number)
        library.seed()
        value = own.run()
        if around and all(each.is_as_it_was for each in around):
            beyond = any(each.was_written for each in around)
            return _Run(value, _seen(value, library), beyond)
    return None


def _seen(value: Any, library: Library) -> Any:
    """The elements of a result as what can be compared; what has none is passed over."""
    if library.is_array(value):
        if not arrays_of(library).is_plain(value):
            return None
        dtype, shape, elements = library.plain(value)
        return dtype, shape, _bytes(elements)
    if isinstance(value, (list, tuple)):
        return [_seen(item, library) for item in value]
    if isinstance(value, dict):
        return {str(key): _seen(item, library) for key, item in value.items()}
    return repr(value) if isinstance(value, (bool, int, float, complex, str)) else None


def _bytes(elements: Any) -> bytes:
    """Without the signs and payloads of NaN."""
    import numpy as np

    if elements.dtype.kind in "fc":
        elements = np.where(np.isnan(elements), np.nan, elements)
    return bytes(elements.tobytes())
