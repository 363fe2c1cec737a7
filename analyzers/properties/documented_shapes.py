"""Shapes that a docstring gives to arrays: what has another shape is ruled out by it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TypeAlias

from analyzers.inference.constraint_sources import docstring_facts
from analyzers.inference.facts import ConstraintSource, FunctionContext, InferredConstraint
from analyzers.properties.call_variants import KnownCall, array_shape

OPEN = "..."
Shape: TypeAlias = tuple[object, ...]


class DocumentedShapes:
    """The documented shapes of a function's parameters, but for those that ``calls`` disprove."""

    def __init__(self, subject: FunctionContext, calls: Iterable[KnownCall]) -> None:
        calls = list(calls)
        documented = _documented(subject).items()
        self._shapes = {
            name: shape
            for name, shape in documented
            if all(_fits({name: shape}, call) for call in calls)
        }
        self._apart = not all(_fits(self._shapes, call) for call in calls)

    def rule_out(self, call: KnownCall) -> bool:
        """Return whether arrays have another rank or size than documented, alone or together."""
        parts = [{name: shape} for name, shape in self._shapes.items()]
        return not all(_fits(each, call) for each in (parts if self._apart else [self._shapes]))


def _documented(subject: FunctionContext) -> dict[str, Shape]:
    found: dict[str, Shape] = {}
    for fact in docstring_facts.facts(subject):
        if not isinstance(fact, InferredConstraint):
            continue
        shape = fact.constraint["shape"]
        if fact.source is ConstraintSource.DOCSTRING and isinstance(shape, tuple):
            found[fact.parameter] = tuple(getattr(each, "value", None) for each in shape)
    return found


def _fits(shapes: Mapping[str, Shape], call: KnownCall) -> bool:
    sizes: dict[str, int] = {}
    for name, wanted in shapes.items():
        shape = array_shape(call.given.get(name, ""))
        if shape is None or OPEN in wanted:
            continue
        if len(shape) != len(wanted):
            return False
        for one, size in zip(wanted, shape, strict=True):
            known = sizes.setdefault(one, size) if isinstance(one, str) else one
            if type(known) is int and known != size:
                return False
    return True
