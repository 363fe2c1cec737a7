"""Other inputs like the valid ones, on which equality by chance falls away.

Plain numbers hide that ``isnan`` is not ``isinf``, that ``relu`` is not
``abs``, and that ``median`` is not ``nanmedian``.
"""

from __future__ import annotations

import math
from typing import Any, Callable, Dict, Iterator, List, Sequence, Tuple

from ...inputs.recipes import LiteralRecipe
from ..mutation.array_construction import COMPLEX, FLOATS, INTEGERS, Arrays, arrays_of, cast
from ..mutation.call_draft import ArgumentPath, changed, leaves
from ..relation_types import ApiParameter, Library, LibraryApi, LiveCall

MOST = 12
"""How many variants are made of a call."""


def optional(api: LibraryApi, calls: Sequence[LiveCall]) -> Iterator[LiveCall]:
    """Each call with one number or truth value changed, and with one option given that was not."""
    for live in calls:
        yield from [*_renumbered(live), *_given(api, live)][:MOST]


def _renumbered(live: LiveCall) -> Iterator[LiveCall]:
    for place, value in leaves(live):
        for other in _others(value):
            yield changed(live, {place: other})


def _given(api: LibraryApi, live: LiveCall) -> Iterator[LiveCall]:
    for parameter in api.parameters[len(live.arguments) :]:
        if parameter.is_input or parameter.name.startswith("*") or parameter.name in live.keywords:
            continue
        for other in _others(_default(parameter)):
            keywords = {**live.keywords, parameter.name: other}
            yield LiveCall(live.api, live.function, list(live.arguments), keywords, live.inputs)


def _default(parameter: ApiParameter) -> Any:
    return parameter.default.value if isinstance(parameter.default, LiteralRecipe) else None


def _others(value: Any) -> List[Any]:
    if type(value) is bool:
        return [not value]
    if type(value) is int and abs(value) < 64:
        return [value + 1]
    if type(value) is float and math.isfinite(value):
        return [value / 2 + 0.3]
    return []


Values = Any
_Change = Callable[[Any, str, Values], Tuple[str, Values]]
MOST_ELEMENTS = 1 << 14


def variants(calls: Sequence[LiveCall], library: Library, seed: int = 0) -> Iterator[LiveCall]:
    """Each call with other elements in all of its arrays, a kind of them after another.

    Random numbers, ties, NaN, infinities, integers, complex numbers and one
    more dimension for floats; fractions for integers; truth for all.  The same
    seed gives the same variants.
    """
    import numpy as np

    maker = arrays_of(library)
    numbers = np.random.Generator(np.random.PCG64(seed))
    for change in _CHANGES:
        for live in calls:
            made = _changed(live, change, (library, maker, numbers))
            if made is not None:
                yield made


def _changed(live: LiveCall, change: _Change, by: Tuple[Library, Arrays, Any]) -> Any:
    library, maker, numbers = by
    changes: Dict[ArgumentPath, Any] = {}
    try:
        for place, value in leaves(live):
            if not library.is_array(value) or not maker.is_plain(value):
                continue
            dtype, _, values = library.plain(value)
            if values.size > MOST_ELEMENTS:
                return None
            other, elements = change(numbers, dtype, values)
            if elements is not values:
                changes[place] = maker.made(other, elements, value)
    except Exception:
        return None
    return changed(live, changes) if changes else None


def _drawn(numbers: Any, dtype: str, values: Values) -> Tuple[str, Values]:
    if dtype == "bool":
        return dtype, numbers.random(values.shape) < 0.5
    if dtype in COMPLEX:
        drawn = numbers.standard_normal(values.shape) + 1j * numbers.standard_normal(values.shape)
        return dtype, cast(2 * drawn, dtype)
    if dtype in FLOATS:
        return dtype, cast(3 * numbers.standard_normal(values.shape), dtype)
    return dtype, values


def _tied(numbers: Any, dtype: str, values: Values) -> Tuple[str, Values]:
    if dtype not in FLOATS:
        return dtype, values
    return dtype, cast(numbers.integers(-1, 3, values.shape), dtype)


def _sprinkled(*specials: float) -> _Change:
    """About every third element is special; one is for sure, one is not."""

    def change(numbers: Any, dtype: str, values: Values) -> Tuple[str, Values]:
        import numpy as np

        if dtype not in FLOATS or not values.size:
            return dtype, values
        drawn = 2 * numbers.standard_normal(values.shape)
        chosen = numbers.random(values.shape) < 0.35
        chosen.flat[numbers.integers(values.size)] = True
        return dtype, cast(np.where(chosen, numbers.choice(specials, values.shape), drawn), dtype)

    return change


def _whole(numbers: Any, dtype: str, values: Values) -> Tuple[str, Values]:
    """Integers in place of floats, and others of the same range in place of integers."""
    if dtype in FLOATS:
        return "int64", cast(numbers.integers(-5, 6, values.shape), "int64")
    if dtype in INTEGERS and values.size:
        low, high = int(values.min()), int(values.max())
        return dtype, cast(numbers.integers(low, high + 1, values.shape), dtype)
    return dtype, values


def _fractional(numbers: Any, dtype: str, values: Values) -> Tuple[str, Values]:
    if dtype not in INTEGERS:
        return dtype, values
    return "float32", cast(3 * numbers.standard_normal(values.shape), "float32")


def _complex(numbers: Any, dtype: str, values: Values) -> Tuple[str, Values]:
    if dtype not in FLOATS:
        return dtype, values
    drawn = numbers.standard_normal(values.shape) + 1j * numbers.standard_normal(values.shape)
    return "complex64", cast(drawn, "complex64")


def _deeper(numbers: Any, dtype: str, values: Values) -> Tuple[str, Values]:
    """One more dimension, before the others."""
    if dtype not in FLOATS:
        return dtype, values
    return dtype, cast(numbers.standard_normal((3, *values.shape)), dtype)


def _true(numbers: Any, dtype: str, values: Values) -> Tuple[str, Values]:
    if dtype in COMPLEX:
        return dtype, values
    return "bool", numbers.random(values.shape) < 0.5


_CHANGES: Tuple[_Change, ...] = (
    _drawn,
    _tied,
    _sprinkled(float("nan")),
    _sprinkled(float("inf"), float("-inf")),
    _whole,
    _fractional,
    _complex,
    _deeper,
    _true,
)
