"""Narrows what surer sources say by what others guess, only where the surer say nothing."""

from __future__ import annotations

from analyzers.guest.annotations.nouns import Constraint, Expression

from .building import either, maybe, options_of
from .intervals import NUMBERS, interval_of
from .lattice import ARRAYS, coerced, meet

_OPEN = ("strings", "lists", "dicts", "callables", "modules", "configs", "paths", "images")
_FILLED = ("dtype", "shape", "values")


def aligned(constraint: Constraint, to: Constraint) -> Constraint:
    """A constraint as one of the other's kind, where it says something of such values.

    What is said of floats bounds integers, what is said of a NumPy array of a
    tensor's shape.
    """
    if to.kind in (*NUMBERS, *ARRAYS):
        return coerced(constraint, to.kind) or constraint
    return constraint


def filled(surer: Constraint, guess: Constraint) -> Constraint:
    """The surer constraint, with bounds, shape and dtype of the guess where it has none."""
    if surer.kind == "anys":
        return either(_filled_part(part, guess) for part in options_of(surer))
    other = aligned(guess, surer)
    if surer.kind in NUMBERS:
        return _filled_number(surer, other)
    if surer.kind in ARRAYS and other.kind == surer.kind:
        return _filled_array(surer, other)
    if surer.kind in _OPEN and not surer.arguments:
        return meet(surer, other) or surer
    return surer


def _filled_part(part: Constraint | Expression, guess: Constraint) -> Constraint | Expression:
    return filled(part, guess) if isinstance(part, Constraint) else part


def _filled_number(surer: Constraint, guess: Constraint) -> Constraint:
    ours = interval_of(surer)
    if ours.low is not None and ours.high is not None:
        return surer
    if guess.kind in NUMBERS:
        both = ours.filled(interval_of(guess))
        multiple = surer.value("multiple_of")
        found = both.ints(multiple) if surer.kind == "ints" else both.floats()
        return found or surer
    met = meet(surer, guess) if guess.kind == "froms" else None
    return met or surer


def _filled_array(surer: Constraint, guess: Constraint) -> Constraint:
    given: dict[str, object] = dict(surer.arguments)
    said = dict(guess.arguments)
    given.update((name, said[name]) for name in _FILLED if name in said and name not in given)
    if not interval_of(surer).bounded:
        bounds = interval_of(guess).arguments()
        given.update((name, value) for name, value in bounds.items() if value is not None)
    return maybe(surer.kind, **given) or surer
