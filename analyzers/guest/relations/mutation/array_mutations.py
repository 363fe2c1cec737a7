"""Other shapes, dtypes, elements and layouts of the arrays of a call."""

from __future__ import annotations

import math
from functools import cache
from typing import Any, Callable, Optional, Sequence

from .array_construction import COMPLEX, DTYPES, FLOATS, INTEGERS, cast
from .call_draft import DTYPE, SHAPE, STRIDES, VALUE, ArgumentPath, CallDraft, is_fixed, leaves

_FLOAT_BOUNDS: dict[str, tuple[float, float, float]] = {
    "float16": (65504.0, 2.0**-14, 2.0**-24),
    "bfloat16": (3.3895313892515355e38, 2.0**-126, 2.0**-133),
    "float32": (3.4028234663852886e38, 2.0**-126, 2.0**-149),
    "float64": (1.7976931348623157e308, 2.0**-1022, 2.0**-1074),
}
"""The largest number of each dtype, its smallest normal one and its smallest."""


@cache
def extremes(dtype: str) -> tuple[Any, ...]:
    """Return the extremes of a dtype, and a few plain values to go with them."""
    if dtype == "bool":
        return (False, True)
    if dtype in FLOATS:
        largest, normal, least = _FLOAT_BOUNDS[dtype]
        plain = (0.0, 1.0, -1.0, -0.0, 0.5, -2.5, 2.0, 20.0)
        return (*plain, math.nan, math.inf, -math.inf, largest, -largest, normal, least)
    if dtype in COMPLEX:
        nan, inf = math.nan, math.inf
        return (0j, 1 + 0j, -1 + 0j, 1j, complex(0, nan), complex(inf, 0), complex(-0.0, -0.0))
    bits = int(dtype.lstrip("uint"))
    if dtype.startswith("u"):
        return (0, 1, 2**bits - 1, 2, 5, 2 ** (bits - 1))
    far = (2**31,) if bits > 32 else ()
    return (0, 1, -1, -(2 ** (bits - 1)), 2 ** (bits - 1) - 1, 5, 2, *far)


INTS: tuple[int, ...] = (0, 1, -1, 2, -2, 7, 2**31 - 1, 2**31, 2**63 - 1, -(2**63))
"""Integers for arguments that are numbers."""

NUMBERS: tuple[float, ...] = (
    *(0.0, 1.0, -1.0, -0.0, 0.5, 2.5, -2.5, 1e-8, 100.0, 1e30, 1e308),
    *(math.inf, -math.inf, math.nan),
)
"""Floats for arguments that are numbers."""

Values = Any


def another(draft: CallDraft, dtype: str, values: Values) -> Values:
    """Return other elements of the same dtype and shape."""
    return draft.rng.choice(_KINDS)(draft, dtype, values)


def _random(draft: CallDraft, dtype: str, values: Values) -> Values:
    numbers = draft.numbers
    if dtype == "bool":
        return numbers.random(values.shape) < 0.5
    if dtype in FLOATS or dtype in COMPLEX:
        scale = draft.rng.choice((1.0, 1.0, 1.0, 10.0, 1e-3, 1e4))
        drawn = numbers.standard_normal(values.shape) * scale
        imaginary = numbers.standard_normal(values.shape) if dtype in COMPLEX else None
        return cast(drawn if imaginary is None else drawn + 1j * imaginary, dtype)
    return cast(numbers.integers(0 if dtype[0] == "u" else -9, 10, values.shape), dtype)


def _tied(draft: CallDraft, dtype: str, values: Values) -> Values:
    return cast(draft.numbers.integers(0, 3, values.shape), dtype)


def _constant(draft: CallDraft, dtype: str, values: Values) -> Values:
    import numpy as np

    with np.errstate(all="ignore"):
        return np.full_like(values, draft.rng.choice(extremes(dtype)))


def _pointed(draft: CallDraft, dtype: str, values: Values) -> Values:
    import numpy as np

    made = np.array(values)
    if made.size:
        with np.errstate(all="ignore"):
            made.flat[draft.rng.randrange(made.size)] = draft.rng.choice(extremes(dtype))
    return made


def _sprinkled(draft: CallDraft, dtype: str, values: Values) -> Values:
    import numpy as np

    drawn = draft.numbers.integers(0, len(extremes(dtype)), values.shape)
    return cast(np.asarray(extremes(dtype))[drawn], dtype)


def _sorted(draft: CallDraft, _dtype: str, values: Values) -> Values:
    import numpy as np

    made = np.sort(values, axis=None).reshape(values.shape)
    return np.ascontiguousarray(made[::-1] if made.ndim and draft.rng.random() < 0.5 else made)


def _scaled(draft: CallDraft, dtype: str, values: Values) -> Values:
    import numpy as np

    if dtype == "bool":
        return ~values
    with np.errstate(all="ignore"):
        return cast(values * draft.rng.choice((-1, 2, 100)), dtype)


def _past_the_end(draft: CallDraft, dtype: str, values: Values) -> Values:
    """Return indices one past the sizes and numbers of the call, or negative ones."""
    import numpy as np

    if dtype in FLOATS or dtype in COMPLEX or dtype == "bool":
        return _pointed(draft, dtype, values)
    near = {end for size in draft.sizes for end in (size - 1, size, size + 1, -size, -size - 1)}
    chosen = draft.rng.choice(sorted({-1, 0, 1} | near))
    bound = np.asarray(chosen, "int64").astype(values.dtype)
    if draft.rng.random() < 0.5:
        return np.full_like(values, bound)
    made = np.array(values)
    if made.size:
        made.flat[draft.rng.randrange(made.size)] = bound
    return made


_KINDS: tuple[Callable[[CallDraft, str, Values], Values], ...] = (
    _random,
    _random,
    _tied,
    _constant,
    _pointed,
    _sprinkled,
    _past_the_end,
    _past_the_end,
    _sorted,
    _scaled,
)


def crossed_extremes(draft: CallDraft, dtypes: Sequence[str]) -> Sequence[Values]:
    """Return a vector for each dtype; together they hold all combinations of extremes."""
    return grid([_some(draft, dtype, len(dtypes)) for dtype in dtypes], dtypes)


def grid(chosen: Sequence[Sequence[Any]], dtypes: Sequence[str]) -> Sequence[Values]:
    """Vectors of these dtypes that together hold all combinations of what is chosen for each."""
    import numpy as np

    places = np.meshgrid(*[np.arange(len(part)) for part in chosen], indexing="ij")
    return [
        cast(np.asarray(part)[place.ravel()], dtype)
        for part, place, dtype in zip(chosen, places, dtypes)
    ]


def _some(draft: CallDraft, dtype: str, ways: int) -> Sequence[Any]:
    """Return some extremes: not all, since one that is refused hides the others."""
    known = extremes(dtype)
    most = min(len(known), 15 if ways == 1 else 8 if ways == 2 else 4)
    return draft.rng.sample(known, draft.rng.randint(1, most))


_PAIRED = ("int64", "int64", "int32", "int8", "uint8", "float32", "float64", "float16", "bfloat16")
"""The dtypes whose extremes are paired; int64 has kernels of its own most often."""

_MOST = 64
"""Elements of an array that a mutation makes larger."""


def refilled(draft: CallDraft) -> Optional[CallDraft]:
    """Return the call where an array has other elements."""
    picked = draft.picked(draft.arrays(VALUE))
    if picked is None:
        return None
    place, array = picked
    dtype, _, values = draft.plain(array)
    return draft.changed({place: draft.made(dtype, another(draft, dtype, values), array)})


def all_refilled(draft: CallDraft) -> Optional[CallDraft]:
    """Return the call where every array has other elements."""
    changes = {}
    for place, array in draft.arrays(VALUE):
        dtype, _, values = draft.plain(array)
        changes[place] = draft.made(dtype, another(draft, dtype, values), array)
    return draft.changed(changes) if changes else None


def crossed(draft: CallDraft) -> Optional[CallDraft]:
    """Return the call where arrays become vectors that pair the extremes of their dtypes."""
    free = [item for item in draft.arrays(VALUE) if _may(draft, item[0], SHAPE)][:3]
    if not free:
        return None
    plain = [draft.plain(array) for _, array in free]
    if len({shape for _, shape, _ in plain}) > 1 and draft.rng.random() < 0.5:
        free, plain = free[:1], plain[:1]
    dtypes = [dtype for dtype, _, _ in plain]
    if all(_may(draft, place, DTYPE) for place, _ in free) and draft.rng.random() < 0.5:
        dtypes = [draft.rng.choice(_PAIRED)] * len(free)
    made = crossed_extremes(draft, dtypes)
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
    changes: dict[ArgumentPath, Any] = {}
    for place, array in free:
        shape = tuple([new if item == size else item for item in array.shape])
        changes.update(_reshaped(draft, place, array, shape))
    if draft.rng.random() < 0.5:
        for place, value in leaves(draft.live):
            if type(value) is int and value == size and _may(draft, place, VALUE):
                changes[place] = new
    return draft.changed(changes) if changes else None


def reshaped(draft: CallDraft) -> Optional[CallDraft]:
    """Return the call where one array has another shape, whatever the others have."""
    picked = draft.picked(draft.arrays(SHAPE))
    if picked is None:
        return None
    place, array = picked
    shape = draft.rng.choice(_shapes(draft, tuple(array.shape)))
    changes = _reshaped(draft, place, array, shape)
    return draft.changed(changes) if changes else None


def _shapes(draft: CallDraft, shape: tuple[int, ...]) -> list[tuple[int, ...]]:
    found: list[tuple[int, ...]] = [(), (0,), (1, *shape), (*shape, 1), (1,)]
    if shape:
        axis = draft.rng.randrange(len(shape))
        before, after, size = shape[:axis], shape[axis + 1 :], shape[axis]
        found += [(0, *shape[1:]), shape[1:], shape[:-1], (*before, *after)]
        found += [(*before, item, *after) for item in (0, 1, size + 1, max(size - 1, 0))]
    return found


def emptied(draft: CallDraft) -> Optional[CallDraft]:
    """Return the call where one array, or the batch of all, has no elements."""
    free = draft.arrays(SHAPE)
    if not free:
        return None
    chosen = free if draft.rng.random() < 0.5 else [draft.rng.choice(free)]
    return cut(draft, chosen, draft.rng.choice((0, 0, -1)))


def cut(
    draft: CallDraft, chosen: Sequence[tuple[ArgumentPath, Any]], axis: int
) -> Optional[CallDraft]:
    """Return the call where these arrays have no elements along an axis."""
    changes: dict[ArgumentPath, Any] = {}
    for place, array in chosen:
        shape = list(array.shape) or [1]
        shape[axis] = 0
        changes.update(_reshaped(draft, place, array, tuple(shape)))
    return draft.changed(changes) if changes else None


def _reshaped(
    draft: CallDraft, place: ArgumentPath, array: Any, shape: tuple[int, ...]
) -> dict[ArgumentPath, Any]:
    """Return the array in another shape, its elements repeated or cut."""
    import numpy as np

    if shape == tuple(array.shape) or math.prod(shape) > max(_MOST, math.prod(array.shape)):
        return {}
    dtype, _, values = draft.plain(array)
    return {place: draft.made(dtype, np.resize(values, shape), array)}


def retyped(draft: CallDraft) -> Optional[CallDraft]:
    """Return the call where one array has another dtype, or all that share one."""
    free = draft.arrays(DTYPE)
    picked = draft.picked(free)
    if picked is None:
        return None
    old = draft.plain(picked[1])[0]
    kinds = [kind for kind in (INTEGERS, FLOATS, COMPLEX) if old in kind]
    alike = kinds[0] if kinds and draft.rng.random() < 0.6 else DTYPES
    new = draft.rng.choice([item for item in alike if item != old])
    chosen = [picked] if draft.rng.random() < 0.4 else free
    changes = {}
    for place, array in chosen:
        dtype, _, values = draft.plain(array)
        if dtype == old:
            is_cut = values.dtype.kind == "c" and new not in COMPLEX
            changes[place] = draft.made(new, values.real if is_cut else values, array)
    return draft.changed(changes)


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
    """Return the call where what a method changes in place has elements that share their memory."""
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
