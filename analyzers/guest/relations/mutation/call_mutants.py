"""Mutated calls, without end, from a seed."""

from __future__ import annotations

import math
import random
from typing import Any, Iterator, Optional, Sequence, TypeVar

from ..relation_types import Library, LiveCall
from . import array_mutations
from .array_construction import DTYPES, FLOATS
from .array_mutations import INTS, NUMBERS, extremes
from .call_draft import (
    DTYPE,
    MISSING,
    SHAPE,
    VALUE,
    ArgumentPath,
    CallDraft,
    FixedPaths,
    KnownCalls,
    Mutation,
    arguments,
    is_fixed,
    known,
    leaves,
)


def renumbered(draft: CallDraft) -> Optional[CallDraft]:
    """Return the call where a number, word or option is another one."""
    free = [item for item in _free(draft) if not draft.known.library.is_array(item[1])]
    picked = draft.picked(free)
    if picked is None:
        return None
    choices = _others(draft, picked[1])
    return draft.changed({picked[0]: draft.rng.choice(choices)}) if choices else None


def switched(draft: CallDraft) -> Optional[CallDraft]:
    """Return the call where options that are on or off are drawn anew."""
    free = [place for place, value in _free(draft) if type(value) is bool]
    changes = {place: draft.rng.random() < 0.5 for place in free}
    return draft.changed(changes) if changes else None


def _free(draft: CallDraft) -> list[tuple[ArgumentPath, Any]]:
    fixed = draft.known.fixed
    return [item for item in leaves(draft.live) if not is_fixed(item[0], VALUE, fixed)]


def _others(draft: CallDraft, value: Any) -> Sequence[Any]:
    """Return what may stand instead of a value that is no array."""
    kind = type(value)
    if kind is bool:
        return [not value]
    if kind is int:
        near = [value + 1, value - 1, -value, value * 2, float(value), value + 0.5]
        bounds = [item for size in draft.sizes for item in (size, -size, size + 1, -size - 1)]
        return [item for item in (*INTS, *near, *near, *bounds) if item != value or item == 0]
    if kind is float:
        return [*NUMBERS, -value, value * 2, int(value) if abs(value) < 2**63 else 0]
    if kind is str:
        return [word for word in draft.known.words if word != value]
    if kind is complex:
        return [0j, 1 + 0j, value.conjugate(), value.real]
    return _other_dtypes(draft, value)


def _other_dtypes(draft: CallDraft, value: Any) -> Sequence[Any]:
    """Return the other dtypes, where the value is one (``torch.int64``) or a word of one."""
    module = draft.known.library.namespace.get(draft.known.library.name)
    if module is None or str(value).rpartition(".")[2] not in DTYPES:
        return []
    found = [getattr(module, name, None) for name in DTYPES]
    return [item for item in found if type(item) is type(value) and item != value]


def omitted(draft: CallDraft) -> Optional[CallDraft]:
    """Return the call where an argument is left out, or ``None``."""
    free = _options(draft)
    place = draft.picked(free)
    if place is None:
        return None
    may_go = place[0] == "keywords" or place == ("arguments", len(draft.live.arguments) - 1)
    return draft.changed({place: MISSING if may_go and draft.rng.random() < 0.6 else None})


def stripped(draft: CallDraft) -> Optional[CallDraft]:
    """Return the call where each array beside the first is left out or ``None``, or stays."""
    arrays = [
        place for place, value in arguments(draft.live) if draft.known.library.is_array(value)
    ]
    chosen = [place for place in _options(draft) if place in arrays[1:]]
    changes: dict[ArgumentPath, Any] = {p: None for p in chosen if draft.rng.random() < 0.75}
    return draft.changed(changes) if changes else None


def _options(draft: CallDraft) -> list[ArgumentPath]:
    """Return the arguments after the first, as far as nothing about them is fixed."""
    fixed = draft.known.fixed
    free = [
        place
        for place, _ in arguments(draft.live)
        if not any(is_fixed(place, aspect, fixed) for aspect in (VALUE, SHAPE, DTYPE))
    ]
    return [place for place in free if place not in (("arguments", 0), ("inputs", 0))]


def recombined(draft: CallDraft) -> Optional[CallDraft]:
    """Return the call where an argument is that of another call of the API."""
    fixed = draft.known.fixed
    free = [p for p, _ in arguments(draft.live) if not is_fixed(p, VALUE, fixed)]
    free = [p for p in free if not is_fixed(p, SHAPE, fixed)]
    place = draft.picked(free)
    if place is None:
        return None
    return draft.changed({place: draft.rng.choice(draft.known.values[place])})


def added(draft: CallDraft) -> Optional[CallDraft]:
    """Return the call where a keyword that other calls of the API have."""
    names = [place for place in draft.known.values if place[0] == "keywords"]
    absent = [place for place in names if place[1] not in draft.live.keywords]
    place = draft.picked(absent)
    if place is None or is_fixed(("keywords", "*"), VALUE, draft.known.fixed):
        return None
    return draft.changed({place: draft.rng.choice(draft.known.values[place])})


def relisted(draft: CallDraft) -> Optional[CallDraft]:
    """A tuple or list has an item less, or one twice; or it is a number, or a number a tuple."""
    free = [
        (place, value)
        for place, value in arguments(draft.live)
        if type(value) in (tuple, list, int) and not is_fixed(place, VALUE, draft.known.fixed)
    ]
    picked = draft.picked(free)
    if picked is None:
        return None
    place, value = picked
    if type(value) is int:
        return draft.changed({place: draft.rng.choice([(value,), (value, value), ()])})
    kind = type(value)
    ways = [value[:-1], value[1:], value + value[-1:], kind(), kind(reversed(value))]
    return draft.changed({place: draft.rng.choice([*ways, value[0] if value else kind()])})


_MOST_FORMS = 6
_MOST_ARRAYS = 3


def _whole(draft: CallDraft) -> Optional[CallDraft]:
    """All pairs of the extremes of int64 but 0, which is refused as a divisor too early."""
    return _paired(draft, "int64", [item for item in extremes("int64") if item])


def _half(draft: CallDraft) -> Optional[CallDraft]:
    """Return the call where pairs of what half precision holds: its own range is easily left."""
    return _paired(draft, "float16", [20.0, -20.0, 1.0, -1.0, 300.0, -65504.0])


def _paired(draft: CallDraft, dtype: str, chosen: Sequence[Any]) -> Optional[CallDraft]:
    fixed = draft.known.fixed
    aspects = (VALUE, SHAPE, DTYPE)
    free = [
        (place, array)
        for place, array in draft.arrays(VALUE)[:_MOST_ARRAYS]
        if not any(is_fixed(place, aspect, fixed) for aspect in aspects)
    ]
    made = array_mutations.grid([chosen[: 8 - 2 * len(free)] for _ in free], [dtype] * len(free))
    changes = {place: draft.made(dtype, new, old) for (place, old), new in zip(free, made)}
    return draft.changed(changes) if changes else None


def _undefined(draft: CallDraft) -> Optional[CallDraft]:
    """Return the call where the last of each array's numbers is none, and all else is plain."""
    return _with(draft, math.nan, -1)


def _infinite(draft: CallDraft) -> Optional[CallDraft]:
    """The first of each array's numbers is infinite, and all else is plain."""
    return _with(draft, math.inf, 0)


def _with(draft: CallDraft, value: float, place: int) -> Optional[CallDraft]:
    import numpy as np

    changes = {}
    for at, array in draft.arrays(VALUE):
        dtype, _, values = draft.plain(array)
        if dtype in FLOATS and values.size:
            made = np.array(values)
            made.flat[place] = value
            changes[at] = draft.made(dtype, made, array)
    return draft.changed(changes) if changes else None


def _without_batch(draft: CallDraft) -> Optional[CallDraft]:
    free = draft.arrays(SHAPE)[:1]
    return array_mutations.cut(draft, free, 0) if free and free[0][1].ndim else None


def _mixed(draft: CallDraft) -> Optional[CallDraft]:
    """The second floating array is of double precision, or of single where it was."""
    floating = [item for item in draft.arrays(DTYPE) if draft.plain(item[1])[0] in FLOATS]
    for place, array in floating[1:2]:
        dtype, _, values = draft.plain(array)
        other = "float32" if dtype == "float64" else "float64"
        return draft.changed({place: draft.made(other, values, array)})
    return None


STAPLES: tuple[Mutation, ...] = (
    _whole,
    array_mutations.overlapped,
    _without_batch,
    _mixed,
    _undefined,
    _half,
    _infinite,
)


def kinds_of(calls: Sequence[LiveCall]) -> list[LiveCall]:
    """Return one call of each combination of keywords and words, the first ones there are."""
    found: dict[frozenset[Any], LiveCall] = {}
    for live in calls:
        words = {
            (place, repr(value) if isinstance(value, (str, bool)) else "")
            for place, value in arguments(live)
        }
        found.setdefault(frozenset(words), live)
    return list(found.values())[:_MOST_FORMS]


_WEIGHTED: tuple[tuple[Mutation, int], ...] = (
    (array_mutations.refilled, 5),
    (array_mutations.all_refilled, 2),
    (array_mutations.crossed, 3),
    (array_mutations.resized, 2),
    (array_mutations.reshaped, 3),
    (array_mutations.emptied, 3),
    (array_mutations.retyped, 3),
    (array_mutations.relaid, 3),
    (array_mutations.overlapped, 2),
    (renumbered, 5),
    (switched, 1),
    (omitted, 1),
    (stripped, 1),
    (recombined, 2),
    (added, 1),
    (relisted, 1),
)
_MUTATIONS = tuple(mutation for mutation, weight in _WEIGHTED for _ in range(weight))
_Item = TypeVar("_Item")
_STEPS = (1, 1, 1, 2, 2, 3)
_ATTEMPTS = 20
_FAILURES = (ValueError, TypeError, RuntimeError, OverflowError, IndexError, NotImplementedError)
"""What making an array can end in, where it cannot be made."""


def mutants(
    calls: Sequence[LiveCall],
    library: Library,
    rng: random.Random,
    fixed: FixedPaths = frozenset(),
) -> Iterator[LiveCall]:
    """Yield calls like those given, but for one to three mutations each, without end.

    First the staples, then mutations as they are drawn.

    ``calls`` are of one API, and valid; their forms (types, keywords, words)
    come equally often, however many calls have each.  Nothing at ``fixed`` is
    varied, and the calls given stay as they are.  The same seed gives the same
    mutants.  Ends where nothing may vary.
    """
    import numpy as np

    facts = known(library, library.arrays, calls, fixed)
    numbers = np.random.Generator(np.random.PCG64(rng.getrandbits(64)))
    found: dict[Any, list[LiveCall]] = {}
    for live in facts.calls:
        form = frozenset((place, _kind(value, library)) for place, value in arguments(live))
        found.setdefault(form, []).append(live)
    forms = list(found.values())
    failures = 0
    yield from _stapled(facts, rng, numbers)
    bag = _endless(_MUTATIONS, rng)
    for several in _endless(forms, rng):
        if failures >= _ATTEMPTS:
            return
        mutant = _mutated(CallDraft(rng.choice(several), facts, rng, numbers), bag)
        failures = failures + 1 if mutant is None else 0
        if mutant is not None:
            yield mutant


def _stapled(facts: KnownCalls, rng: random.Random, numbers: Any) -> Iterator[LiveCall]:
    kinds = kinds_of(facts.calls)
    for mutation in STAPLES:
        for live in kinds:
            made = _applied(mutation, CallDraft(live, facts, rng, numbers))
            if made is not None:
                yield made.live


def _applied(mutation: Mutation, draft: CallDraft) -> Optional[CallDraft]:
    try:
        return mutation(draft)
    except _FAILURES:
        return None


def _endless(items: Sequence[_Item], rng: random.Random) -> Iterator[_Item]:
    """Yield the items in rounds, each round in another order: few draws miss none for long."""
    while items:
        yield from rng.sample(list(items), len(items))


def _mutated(draft: CallDraft, bag: Iterator[Mutation]) -> Optional[LiveCall]:
    original = draft.live
    for _ in range(draft.rng.choice(_STEPS)):
        draft = _step(draft, bag) or draft
    return None if draft.live is original else draft.live


def _step(draft: CallDraft, bag: Iterator[Mutation]) -> Optional[CallDraft]:
    for _ in range(_ATTEMPTS):
        made = _applied(next(bag), draft)
        if made is not None:
            return made
    return None


def _kind(value: Any, library: Library) -> str:
    if library.is_array(value):
        return str(value.dtype)
    if isinstance(value, (str, bool)) or value is None:
        return repr(value)
    return type(value).__name__
