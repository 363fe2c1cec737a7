"""Reads and writes beyond an array: the same call among other memory.

What a call computes follows from the elements of its arrays.  Where it follows
from what lies before and behind them too, memory is read that is not theirs, as
memory sanitizers find it; here without one, by running it in two surroundings.
"""

from __future__ import annotations

import warnings
from contextlib import suppress
from dataclasses import dataclass
from typing import Any, Optional

from ..library_calls import copy_call, format_value
from ..mutation.array_construction import COMPLEX, FLOATS
from ..mutation.call_draft import changed, leaves
from ..oracles.exemptions import ALL, is_exempt
from ..relation_types import CRASH, SUCCESS, CallOutcome, Disagreement, Library, LiveCall

MARGIN = 1024
"""Elements before and behind an array; of a size that keeps its alignment."""

_MOST_ELEMENTS = 1 << 14
_FILLINGS = ((-1000.0, 1000.0), (0, 1))
"""For floating arrays, and for others: whole numbers near 0, that are no wild indices."""


@dataclass(frozen=True)
class SurroundedArray:
    """An array ``inside`` a larger ``base`` that is filled with one number around it."""

    base: Any
    inside: Any
    shape: tuple[int, ...]
    span: int
    filling: Any

    @property
    def is_as_it_was(self) -> bool:
        """Return whether it still has the shape that it had."""
        return tuple(self.inside.shape) == self.shape

    @property
    def was_written(self) -> bool:
        """Return whether anything around it has changed."""
        around = (self.base[:MARGIN], self.base[MARGIN + self.span :])
        return not all(bool((part == self.filling).all()) for part in around)


def surrounding(
    live: LiveCall, library: Library, number: int
) -> tuple[LiveCall, list[SurroundedArray]]:
    """Return the call with its dense tensors in one of two surroundings, and those tensors."""
    arrays = library.arrays
    changes, around = {}, []
    for place, value in leaves(live):
        if not library.is_array(value) or not arrays.is_plain(value) or not value.is_cpu:
            continue
        if not value.is_conj() and not value.is_neg() and _span(value) <= _MOST_ELEMENTS:
            made = _surrounded(value, number)
            changes[place] = made.inside
            around.append(made)
    return changed(live, changes), around


def _span(tensor: Any) -> int:
    steps = [(int(size) - 1) * step for size, step in zip(tensor.shape, tensor.stride())]
    return 1 + sum(steps) if tensor.numel() else 0


def _surrounded(tensor: Any, number: int) -> SurroundedArray:
    import torch

    span, plain = _span(tensor), tensor.detach()
    floating = str(tensor.dtype)[6:] in (*FLOATS, *COMPLEX)
    filling = _FILLINGS[0 if floating else 1][number]
    base = torch.full((span + 2 * MARGIN,), filling, dtype=tensor.dtype)
    if span:
        own = plain.as_strided((span,), (1,), plain.storage_offset())
        base[MARGIN : MARGIN + span] = own
    inside = base.as_strided(tensor.shape, tensor.stride(), MARGIN)
    if type(tensor) is torch.nn.Parameter:
        inside = torch.nn.Parameter(inside, tensor.requires_grad)
    elif tensor.requires_grad:
        inside.requires_grad_()
    return SurroundedArray(base, inside, tuple(tensor.shape), span, filling)


NAME = "bounds"
RELATED = "the same call among other memory"
_ORDER = (0, 1, 1, 0, 1, 0)
"""Which surroundings follow each other: memory that was never written differs among these."""

_UNCHANGED = CallOutcome(SUCCESS, "memory around its arrays is left alone")


@dataclass(frozen=True)
class _Run:
    """Result of a call in some surroundings, and whether it wrote there."""

    value: Any
    seen: Any
    is_beyond: bool


def judge(live: LiveCall, library: Library) -> list[Disagreement]:
    """Run a call in two surroundings; yield what differs, if it succeeds and resizes no array."""
    if is_exempt(ALL, live.api) or is_exempt("strides", live.api):
        return []
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return _judged(live, library)


def _judged(live: LiveCall, library: Library) -> list[Disagreement]:
    try:
        own = copy_call(live, library)
        library.seed()
        own.run()
    except Exception:
        return []
    one, other = (_run(live, library, number) for number in (0, 1))
    if one is None or other is None:
        return []
    if one.seen == other.seen and not (one.is_beyond and other.is_beyond):
        return []
    found = [_run(live, library, number) for number in _ORDER]
    runs = [run for run in found if run is not None]
    return _bounds_disagreement(live, runs) if len(runs) == len(found) else []


def _bounds_disagreement(live: LiveCall, runs: list[_Run]) -> list[Disagreement]:
    if all(run.is_beyond for run in runs):
        text = CallOutcome(SUCCESS, "it writes to the memory around its arrays")
        return [Disagreement(live.api, RELATED, NAME, CRASH, text, _UNCHANGED)]
    groups = [[run for run, at in zip(runs, _ORDER) if at == number] for number in (0, 1)]
    repeat = all(run.seen == group[0].seen for group in groups for run in group)
    if not repeat or groups[0][0].seen == groups[1][0].seen:
        return []
    one, other = (CallOutcome(SUCCESS, format_value(group[0].value)) for group in groups)
    return [Disagreement(live.api, RELATED, NAME, CRASH, one, other)]


def _run(live: LiveCall, library: Library, number: int) -> Optional[_Run]:
    """Run it in one of two surroundings; ``None`` where that tells nothing."""
    with suppress(Exception):
        own, around = surrounding(copy_call(live, library), library, number)
        library.seed()
        value = own.run()
        if around and all(each.is_as_it_was for each in around):
            beyond = any(each.was_written for each in around)
            return _Run(value, _seen(value, library), beyond)
    return None


def _seen(value: Any, library: Library) -> Any:
    """Return the elements of a result as what can be compared; what has none is passed over."""
    if library.is_array(value):
        if not library.arrays.is_plain(value):
            return None
        dtype, shape, elements = library.plain(value)
        if elements.dtype.kind in "fc":  # without the signs and payloads of NaN
            import numpy as np

            elements = np.where(np.isnan(elements), np.nan, elements)
        return dtype, shape, bytes(elements.tobytes())
    if isinstance(value, (list, tuple)):
        return [_seen(item, library) for item in value]
    if isinstance(value, dict):
        return {str(key): _seen(item, library) for key, item in value.items()}
    return repr(value) if isinstance(value, (bool, int, float, complex, str)) else None
