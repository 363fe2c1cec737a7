"""What arrays may hold instead: random values, ties, extremes, indices past the end."""

from __future__ import annotations

from typing import Any, Callable, Sequence, Tuple

from .arrays import COMPLEX, FLOATS, cast
from .draft import Draft
from .extremes import extremes

Values = Any


def another(draft: Draft, dtype: str, values: Values) -> Values:
    """Other elements of the same dtype and shape."""
    return draft.rng.choice(_KINDS)(draft, dtype, values)


def _random(draft: Draft, dtype: str, values: Values) -> Values:
    numbers = draft.numbers
    if dtype == "bool":
        return numbers.random(values.shape) < 0.5
    if dtype in FLOATS or dtype in COMPLEX:
        scale = draft.rng.choice((1.0, 1.0, 1.0, 10.0, 1e-3, 1e4))
        drawn = numbers.standard_normal(values.shape) * scale
        imaginary = numbers.standard_normal(values.shape) if dtype in COMPLEX else None
        return cast(drawn if imaginary is None else drawn + 1j * imaginary, dtype)
    return cast(numbers.integers(0 if dtype[0] == "u" else -9, 10, values.shape), dtype)


def _tied(draft: Draft, dtype: str, values: Values) -> Values:
    return cast(draft.numbers.integers(0, 3, values.shape), dtype)


def _constant(draft: Draft, dtype: str, values: Values) -> Values:
    import numpy as np

    with np.errstate(all="ignore"):
        return np.full_like(values, draft.rng.choice(extremes(dtype)))


def _pointed(draft: Draft, dtype: str, values: Values) -> Values:
    """One element is an extreme."""
    import numpy as np

    made = np.array(values)
    if made.size:
        with np.errstate(all="ignore"):
            made.flat[draft.rng.randrange(made.size)] = draft.rng.choice(extremes(dtype))
    return made


def _sprinkled(draft: Draft, dtype: str, values: Values) -> Values:
    import numpy as np

    drawn = draft.numbers.integers(0, len(extremes(dtype)), values.shape)
    return cast(np.asarray(extremes(dtype))[drawn], dtype)


def _sorted(draft: Draft, _dtype: str, values: Values) -> Values:
    import numpy as np

    made = np.sort(values, axis=None).reshape(values.shape)
    return np.ascontiguousarray(made[::-1] if made.ndim and draft.rng.random() < 0.5 else made)


def _scaled(draft: Draft, dtype: str, values: Values) -> Values:
    import numpy as np

    if dtype == "bool":
        return ~values
    with np.errstate(all="ignore"):
        return cast(values * draft.rng.choice((-1, 2, 100)), dtype)


def _past_the_end(draft: Draft, dtype: str, values: Values) -> Values:
    """For indices, classes, pivots: one past the sizes and numbers of the call, or negative."""
    import numpy as np

    if dtype in FLOATS or dtype in COMPLEX or dtype == "bool":
        return _pointed(draft, dtype, values)
    bound = np.asarray(draft.rng.choice(_bounds(draft.sizes)), "int64").astype(values.dtype)
    if draft.rng.random() < 0.5:
        return np.full_like(values, bound)
    made = np.array(values)
    if made.size:
        made.flat[draft.rng.randrange(made.size)] = bound
    return made


def _bounds(sizes: Sequence[int]) -> Tuple[int, ...]:
    found = {-1, 0, 1}
    for size in sizes:
        found |= {size - 1, size, size + 1, -size, -size - 1}
    return tuple(sorted(found))


_KINDS: Tuple[Callable[[Draft, str, Values], Values], ...] = (
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


def crossed(draft: Draft, dtypes: Sequence[str]) -> Sequence[Values]:
    """For each dtype a vector, so that together they hold all combinations of some extremes."""
    return grid([_some(draft, dtype, len(dtypes)) for dtype in dtypes], dtypes)


def grid(chosen: Sequence[Sequence[Any]], dtypes: Sequence[str]) -> Sequence[Values]:
    """Vectors of these dtypes that together hold all combinations of what is chosen for each."""
    import numpy as np

    places = np.meshgrid(*[np.arange(len(part)) for part in chosen], indexing="ij")
    return [
        cast(np.asarray(part)[place.ravel()], dtype)
        for part, place, dtype in zip(chosen, places, dtypes)
    ]


def _some(draft: Draft, dtype: str, ways: int) -> Sequence[Any]:
    """Some extremes: not all, since one that is refused hides the others."""
    known = extremes(dtype)
    most = min(len(known), 15 if ways == 1 else 8 if ways == 2 else 4)
    return draft.rng.sample(known, draft.rng.randint(1, most))
