"""Shapes as they are written, read side by side, and written again with a side narrowed."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any, Callable, List, Mapping, Optional, Sequence, Tuple, Union

from ...annotations.nouns import Argument, Constraint, Expression
from .numbers import INFINITY, Empty, Numbers, exactly

Side = Union[int, str, Constraint]
Limit = Callable[[Constraint, Numbers], Constraint]
_NAME = re.compile(r"[A-Za-z]\w*")
_ROOM = 7
"""How far a size reaches above its least where nothing bounds it."""


class Unclear(Exception):  # noqa: N818 - a fact about the annotation
    """A constraint that does not say what is asked of it, or cannot be narrowed so."""


def expression(value: Any) -> Expression:
    """A literal, as annotations have them."""
    return Expression(repr(value), literal=True, value=value)


class Dims:
    """What is known of the dimensions' names: bound to a size, or narrowed to some."""

    __slots__ = ("bound", "narrowed")

    def __init__(self, bound: Mapping[str, Any], narrowed: Optional[Mapping[str, Numbers]]) -> None:
        self.bound = bound
        self.narrowed = dict(narrowed or {})

    def sizes(self, name: str) -> Numbers:
        """The sizes that a name may have."""
        size = self.bound.get(name)
        if isinstance(size, int):
            return exactly(size)
        return self.narrowed.get(name, Numbers(low=0))

    def narrow(self, name: str, wanted: Numbers) -> None:
        """Let a name have these sizes only; raises :class:`Empty`."""
        found = self.sizes(name).meet(wanted).whole()
        if name not in self.bound:
            self.narrowed[name] = found


@dataclass(frozen=True)
class Shape:
    """The sides of a shape in order; ``gap``: the place of one that stands for several."""

    sides: Tuple[Side, ...]
    gap: Optional[int] = None

    def at(self, index: int) -> int:
        """Where the side of an index stands; raises :class:`Unclear`, :class:`Empty`."""
        count = len(self.sides)
        if self.gap is None:
            if not -count <= index < count:
                raise Empty
            return index % count
        left, right = self.gap, count - self.gap - 1
        if 0 <= index < left:
            return index
        if index < 0 and -index <= right:
            return count + index
        raise Unclear

    def ranks(self) -> Numbers:
        """How many sides there may be."""
        if self.gap is None:
            return exactly(len(self.sides))
        return Numbers(low=len(self.sides) - 1)

    def of_rank(self, wanted: Numbers) -> Shape:
        """With as many sides as wanted; raises :class:`Empty`, :class:`Unclear`."""
        ranks = self.ranks().meet(wanted)
        if self.gap is None:
            return self
        rank = ranks.whole().low
        if self.sides[self.gap] != "..." or ranks.exact is None:
            raise Unclear
        filled: Tuple[Side, ...] = ("_",) * (int(rank) - len(self.sides) + 1)
        return Shape(self.sides[: self.gap] + filled + self.sides[self.gap + 1 :])

    def extent(self, index: int, dims: Dims, extent: Callable[[Constraint], Numbers]) -> Numbers:
        """The sizes that a side may have."""
        side = self.sides[self.at(index)]
        if isinstance(side, Constraint):
            return extent(side)
        if isinstance(side, int):
            return exactly(side)
        return dims.sizes(side) if _NAME.fullmatch(side) else Numbers(low=0)

    def limited(self, index: int, wanted: Numbers, dims: Dims, limit: Limit) -> Shape:
        """With a side narrowed, in place or by its name; raises as the others do."""
        at = self.at(index)
        side = _limited(self.sides[at], wanted, dims, limit)
        return Shape((*self.sides[:at], side, *self.sides[at + 1 :]), self.gap)

    def argument(self) -> Argument:
        """As an annotation's argument."""
        return tuple(s if isinstance(s, Constraint) else expression(s) for s in self.sides)


def _limited(side: Side, wanted: Numbers, dims: Dims, limit: Limit) -> Side:
    if isinstance(side, Constraint):
        return limit(side, wanted)
    if isinstance(side, int):
        exactly(side).meet(wanted)
        if not wanted.holds(side):
            raise Empty
        return side
    if _NAME.fullmatch(side):
        dims.narrow(side, wanted)
        return side
    if side != "_":
        raise Unclear
    return limit(Constraint("ints", (("min", expression(1)),)), roomy(wanted))


def roomy(wanted: Numbers) -> Numbers:
    """Sizes with an end: a few from the least where there is none."""
    whole = wanted.meet(Numbers(low=0)).whole()
    if whole.high < INFINITY:
        return whole
    return whole.meet(Numbers(high=max(whole.low, 1) + _ROOM * whole.step)).whole()


def shape_of(given: Optional[Argument]) -> Shape:
    """The sides of an annotation's ``shape``; raises :class:`Unclear`."""
    if isinstance(given, Constraint):
        return _drawn(given)
    if isinstance(given, tuple):
        return _shape([_side(item) for item in given])
    if isinstance(given, Expression) and given.literal:
        return _shape(_words(given.value))
    raise Unclear


def _drawn(given: Constraint) -> Shape:
    """The sides of ``np_shapes`` of one rank."""
    least, most = given.value("min_dims", 1), given.value("max_dims")
    if given.kind != "np_shapes" or least != most or not isinstance(least, int):
        raise Unclear
    bounds = [("min", given["min_side"]), ("max", given["max_side"])]
    side = Constraint("ints", tuple((name, end) for name, end in bounds if end is not None))
    if given["min_side"] is None:
        side = Constraint("ints", (("min", expression(1)), *side.arguments))
    return Shape((side,) * least)


def _words(value: Any) -> List[Side]:
    if isinstance(value, str):
        return [int(word) if word.isdigit() else word for word in value.split()]
    return list(value) if isinstance(value, (list, tuple)) else [value]


def _side(item: Any) -> Side:
    if isinstance(item, Constraint):
        return item
    if item.literal and isinstance(item.value, (int, str)):
        return int(item.value) if str(item.value).isdigit() else item.value
    return str(item.source)


def _shape(sides: Sequence[Side]) -> Shape:
    gaps = [at for at, side in enumerate(sides) if _several(side)]
    if len(gaps) > 1:
        raise Unclear
    return Shape(tuple(sides), gaps[0] if gaps else None)


def _several(side: Side) -> bool:
    return isinstance(side, str) and (side == "..." or side.startswith("*"))
