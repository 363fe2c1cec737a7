"""Other shapes, dtypes, elements and layouts of the arrays of a call."""

from __future__ import annotations

from typing import Any, Dict, List, Optional, Sequence, Tuple

from . import array_contents
from .array_construction import COMPLEX, DTYPES, FLOATS, INTEGERS
from .call_draft import DTYPE, SHAPE, STRIDES, VALUE, ArgumentPath, CallDraft, is_fixed, leaves

_PAIRED = ("int64", "int64", "int32", "int8", "uint8", "float32", "float64", "float16", "bfloat16")
"""The dtypes whose extremes are paired; int64 has kernels of its own most often."""

_MOST = 64
"""Elements of an array that a mutation makes larger."""


def refilled(draft: CallDraft) -> Optional[CallDraft]:
    """An array has other elements."""
    picked = draft.picked(draft.arrays(VALUE))
    if picked is None:
        return None
    place, array = picked
    dtype, _, values = draft.plain(array)
    return draft.changed(
        {place: draft.made(dtype, array_contents.another(draft, dtype, values), array)}
    )


def all_refilled(draft: CallDraft) -> Optional[CallDraft]:
    """Every array has other elements."""
    changes = {}
    for place, array in draft.arrays(VALUE):
        dtype, _, values = draft.plain(array)
        changes[place] = draft.made(dtype, array_contents.another(draft, dtype, values), array)
    return draft.changed(changes) if changes else None


def crossed(draft: CallDraft) -> Optional[CallDraft]:
    """Arrays become vectors that pair the extremes of their dtypes.

    Those of several shapes half of the time; and half of the time all get one
    dtype before.
    """
    free = [item for item in draft.arrays(VALUE) if _may(draft, item[0], SHAPE)][:3]
    if not free:
        return None
    plain = [draft.plain(array) for _, array in free]
    if len({shape for _, shape, _ in plain}) > 1 and draft.rng.random() < 0.5:
        free, plain = free[:1], plain[:1]
    dtypes = [dtype for dtype, _, _ in plain]
    if all(_may(draft, place, DTYPE) for place, _ in free) and draft.rng.random() < 0.5:
        dtypes = [draft.rng.choice(_PAIRED)] * len(free)
    made = array_contents.crossed(draft, dtypes)
    return draft.changed(
        {
            place: draft.made(dtype, values, array)
            for (place, array), dtype, values in zip(free, dtypes, made)
        }
    )


def resized(draft: CallDraft) -> Optional[CallDraft]:
    """A size becomes another one wherever it stands, also in numbers that repeat it."""
    free = draft.arrays(SHAPE)
    size = draft.picked(sorted({size for _, array in free for size in array.shape}))
    if size is None:
        return None
    new = draft.rng.choice([item for item in (0, 1, 2, 3, size + 1, 2 * size) if item != size])
    changes: Dict[ArgumentPath, Any] = {}
    for place, array in free:
        shape = tuple([new if item == size else item for item in array.shape])
        changes.update(_reshaped(draft, place, array, shape))
    if draft.rng.random() < 0.5:
        changes.update(_numbers(draft, size, new))
    return draft.changed(changes) if changes else None


def _numbers(draft: CallDraft, size: int, new: int) -> Dict[ArgumentPath, Any]:
    return {
        place: new
        for place, value in leaves(draft.live)
        if type(value) is int and value == size and _may(draft, place, VALUE)
    }


def reshaped(draft: CallDraft) -> Optional[CallDraft]:
    """One array has another shape, whatever the others have."""
    picked = draft.picked(draft.arrays(SHAPE))
    if picked is None:
        return None
    place, array = picked
    shape = draft.rng.choice(_shapes(draft, tuple(array.shape)))
    changes = _reshaped(draft, place, array, shape)
    return draft.changed(changes) if changes else None


def _shapes(draft: CallDraft, shape: Tuple[int, ...]) -> List[Tuple[int, ...]]:
    found: List[Tuple[int, ...]] = [(), (0,), (1, *shape), (*shape, 1), (1,)]
    if shape:
        axis = draft.rng.randrange(len(shape))
        before, after, size = shape[:axis], shape[axis + 1 :], shape[axis]
        found += [(0, *shape[1:]), shape[1:], shape[:-1], (*before, *after)]
        found += [(*before, item, *after) for item in (0, 1, size + 1, max(size - 1, 0))]
    return found


def emptied(draft: CallDraft) -> Optional[CallDraft]:
    """One array, or the batch of all, has no elements."""
    free = draft.arrays(SHAPE)
    if not free:
        return None
    chosen = free if draft.rng.random() < 0.5 else [draft.rng.choice(free)]
    return cut(draft, chosen, draft.rng.choice((0, 0, -1)))


def cut(
    draft: CallDraft, chosen: Sequence[Tuple[ArgumentPath, Any]], axis: int
) -> Optional[CallDraft]:
    """These arrays have no elements along an axis."""
    changes: Dict[ArgumentPath, Any] = {}
    for place, array in chosen:
        shape = list(array.shape) or [1]
        shape[axis] = 0
        changes.update(_reshaped(draft, place, array, tuple(shape)))
    return draft.changed(changes) if changes else None


def _reshaped(
    draft: CallDraft, place: ArgumentPath, array: Any, shape: Tuple[int, ...]
) -> Dict[ArgumentPath, Any]:
    """The array in another shape, its elements repeated or cut."""
    import numpy as np

    if shape == tuple(array.shape) or _product(shape) > max(_MOST, _product(array.shape)):
        return {}
    dtype, _, values = draft.plain(array)
    return {place: draft.made(dtype, np.resize(values, shape), array)}


def _product(shape: Sequence[int]) -> int:
    total = 1
    for size in shape:
        total *= size
    return total


def retyped(draft: CallDraft) -> Optional[CallDraft]:
    """One array has another dtype, or all that share one."""
    free = draft.arrays(DTYPE)
    picked = draft.picked(free)
    if picked is None:
        return None
    old = draft.plain(picked[1])[0]
    new = _other_dtype(draft, old)
    chosen = [picked] if draft.rng.random() < 0.4 else free
    changes = {}
    for place, array in chosen:
        dtype, _, values = draft.plain(array)
        if dtype == old:
            changes[place] = draft.made(new, _real(values, new), array)
    return draft.changed(changes)


def _other_dtype(draft: CallDraft, dtype: str) -> str:
    """Mostly of the same kind; else any."""
    kinds = [kind for kind in (INTEGERS, FLOATS, COMPLEX) if dtype in kind]
    alike = kinds[0] if kinds and draft.rng.random() < 0.6 else DTYPES
    return draft.rng.choice([item for item in alike if item != dtype])


def _real(values: Any, dtype: str) -> Any:
    import numpy as np

    return values.real if np.iscomplexobj(values) and dtype not in COMPLEX else values


def relaid(draft: CallDraft) -> Optional[CallDraft]:
    """One array, or each, lies otherwise in memory: transposed, sliced, expanded, shifted."""
    free = draft.arrays(STRIDES)
    if not free:
        return None
    chosen = free if draft.rng.random() < 0.3 else [draft.rng.choice(free)]
    changes = {}
    for place, array in chosen:
        make = draft.picked(draft.known.arrays.layouts(array))
        if make is not None:
            changes[place] = make()
    return draft.changed(changes) if changes else None


def overlapped(draft: CallDraft) -> Optional[CallDraft]:
    """What a method changes in place has elements that share their memory."""
    first = ("arguments", 0)
    is_in_place = draft.live.api.endswith("_") and not draft.live.api.endswith("__")
    if not is_in_place or not _may(draft, first, STRIDES):
        return None
    array: Any = draft.live.arguments[0] if draft.live.arguments else None
    if not draft.is_array(array):
        return None
    make = draft.picked(draft.known.arrays.overlapping(array))
    return draft.changed({first: make()}) if make else None


def _may(draft: CallDraft, place: ArgumentPath, aspect: str) -> bool:
    return not is_fixed(place, aspect, draft.known.fixed)
