"""Mutated calls, without end, from a seed."""

from __future__ import annotations

import random
from typing import Any, Dict, FrozenSet, Iterator, List, Optional, Sequence, Tuple, TypeVar

from ..libraries.library import Library
from ..nouns import Live
from . import arguments as options
from . import shaping
from .arrays import arrays_of
from .draft import Draft, Known, Mutation, known
from .places import Fixed, arguments
from .staples import STAPLES, kinds_of

_WEIGHTED: Tuple[Tuple[Mutation, int], ...] = (
    (shaping.refilled, 5),
    (shaping.all_refilled, 2),
    (shaping.crossed, 3),
    (shaping.resized, 2),
    (shaping.reshaped, 3),
    (shaping.emptied, 3),
    (shaping.retyped, 3),
    (shaping.relaid, 3),
    (shaping.overlapped, 2),
    (options.renumbered, 5),
    (options.switched, 1),
    (options.omitted, 1),
    (options.stripped, 1),
    (options.recombined, 2),
    (options.added, 1),
    (options.relisted, 1),
)
_MUTATIONS = tuple(mutation for mutation, weight in _WEIGHTED for _ in range(weight))
_Item = TypeVar("_Item")
_STEPS = (1, 1, 1, 2, 2, 3)
_ATTEMPTS = 20
_FAILURES = (ValueError, TypeError, RuntimeError, OverflowError, IndexError, NotImplementedError)
"""What making an array can end in, where it cannot be made."""


def mutants(
    calls: Sequence[Live],
    library: Library,
    rng: random.Random,
    fixed: Fixed = frozenset(),
) -> Iterator[Live]:
    """Calls like those given, but for one to three mutations each, without end.

    First the staples, then mutations as they are drawn.

    ``calls`` are of one API, and valid; their forms (types, keywords, words)
    come equally often, however many calls have each.  Nothing at ``fixed`` is
    varied, and the calls given stay as they are.  The same seed gives the same
    mutants.  Ends where nothing may vary.
    """
    import numpy as np

    facts = known(library, arrays_of(library), calls, fixed)
    numbers = np.random.Generator(np.random.PCG64(rng.getrandbits(64)))
    forms = _forms(facts)
    failures = 0
    yield from _stapled(facts, rng, numbers)
    bag = _endless(_MUTATIONS, rng)
    for form in _endless(forms, rng):
        if failures >= _ATTEMPTS:
            return
        mutant = _mutated(Draft(rng.choice(form), facts, rng, numbers), bag)
        failures = failures + 1 if mutant is None else 0
        if mutant is not None:
            yield mutant


def _stapled(facts: Known, rng: random.Random, numbers: Any) -> Iterator[Live]:
    """Each of the staples on a call of each kind."""
    kinds = kinds_of(facts.calls)
    for mutation in STAPLES:
        for live in kinds:
            made = _applied(mutation, Draft(live, facts, rng, numbers))
            if made is not None:
                yield made.live


def _applied(mutation: Mutation, draft: Draft) -> Optional[Draft]:
    try:
        return mutation(draft)
    except _FAILURES:
        return None


def _endless(items: Sequence[_Item], rng: random.Random) -> Iterator[_Item]:
    """The items in rounds, each round in another order: few draws miss none for long."""
    while items:
        yield from rng.sample(list(items), len(items))


def _mutated(draft: Draft, bag: Iterator[Mutation]) -> Optional[Live]:
    original = draft.live
    for _ in range(draft.rng.choice(_STEPS)):
        draft = _step(draft, bag) or draft
    return None if draft.live is original else draft.live


def _step(draft: Draft, bag: Iterator[Mutation]) -> Optional[Draft]:
    """One mutation of those that apply."""
    for _ in range(_ATTEMPTS):
        made = _applied(next(bag), draft)
        if made is not None:
            return made
    return None


def _forms(facts: Known) -> List[List[Live]]:
    """The calls by their forms."""
    found: Dict[Any, List[Live]] = {}
    for live in facts.calls:
        found.setdefault(_form(live, facts.library), []).append(live)
    return list(found.values())


def _form(live: Live, library: Library) -> FrozenSet[Any]:
    return frozenset((place, _kind(value, library)) for place, value in arguments(live))


def _kind(value: Any, library: Library) -> str:
    if library.is_array(value):
        return str(value.dtype)
    if isinstance(value, (str, bool)) or value is None:
        return repr(value)
    return type(value).__name__
