"""Names of dimensions made the same over all that is said of one call."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from analyzers.guest.annotations.nouns import Expression

from .building import literal
from .dimensions import Dimension, dims_of, is_variadic, names_in, renamed, rewritten
from .nouns import Confidence, Inferred, Source

Renames = dict[tuple[Source, str], Dimension]


def unified(facts: Sequence[Inferred]) -> list[Inferred]:
    """The facts, their dimensions named as the surest source of each parameter names them.

    Where the docstring's ``(B, C)`` stands beside a hint's ``"b c"`` for one
    parameter, ``B`` is ``b`` wherever the docstring says it; where a surer
    source knows a size, the name is that size in all of its source.
    """
    names: Renames = {}
    for parameter in dict.fromkeys(fact.parameter for fact in facts):
        shaped = [
            fact
            for fact in facts
            if fact.parameter == parameter
            and fact.confidence > Confidence.GUESS
            and dims_of(fact.constraint["shape"]) is not None
        ]
        shaped.sort(key=lambda fact: -fact.confidence)
        for place, other in enumerate(shaped):
            for base in shaped[:place]:
                _compare(base, other, names)
    _same_but_for_case(facts, names)
    return [_renamed(fact, names) for fact in facts]


def _compare(base: Inferred, other: Inferred, names: Renames) -> None:
    left, right = dims_of(base.constraint["shape"]) or (), dims_of(other.constraint["shape"]) or ()
    if base.source == other.source or len(left) != len(right):
        return
    if any(map(is_variadic, (*left, *right))):
        return
    for one, two in zip(left, right, strict=True):
        named = _name(two)
        if named and (_name(one) or _is_size(one)):
            names.setdefault((other.source, named), one)
        elif _name(one) and _is_size(two):
            names.setdefault((base.source, _name(one)), two)


def _same_but_for_case(facts: Sequence[Inferred], names: Renames) -> None:
    """``B`` is ``b`` where a surer source says ``b`` of another parameter."""
    known: dict[str, str] = {}
    for fact in sorted(facts, key=lambda fact: -fact.confidence):
        for name in names_in(fact.constraint["shape"]):
            first = known.setdefault(name.lower(), name)
            if first != name:
                names.setdefault((fact.source, name), literal(first))


def _name(dim: Dimension) -> str:
    value = dim.value if isinstance(dim, Expression) else None
    return value if isinstance(value, str) and value.isidentifier() and value != "_" else ""


def _is_size(dim: Dimension) -> bool:
    return isinstance(dim, Expression) and isinstance(dim.value, int)


def _renamed(fact: Inferred, names: Renames) -> Inferred:
    ours = {name: dim for (source, name), dim in names.items() if source == fact.source}
    if not ours:
        return fact
    changed = rewritten(fact.constraint, lambda shape: renamed(shape, ours))
    return replace(fact, constraint=changed)
