"""Constraints as sets: what numbers are seen in them, and how they are narrowed to some."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any, Callable, Dict, List, Mapping, Optional, Sequence, Tuple, Union

from ...annotations.constraints import Argument, Constraint, Expression
from .condition_terms import Step
from .number_sets import INFINITY, EmptyDomain, NumberSet, exactly

Side = Union[int, str, Constraint]
Limit = Callable[[Constraint, NumberSet], Constraint]
_NAME = re.compile(r"[A-Za-z]\w*")
_ROOM = 7
"""How far a size reaches above its least where nothing bounds it."""


class Undecidable(Exception):  # noqa: N818 - a fact about the annotation
    """A constraint that does not say what is asked of it, or cannot be narrowed so."""


def expression(value: Any) -> Expression:
    """A literal, as annotations have them."""
    return Expression(repr(value), literal=True, value=value)


class DimensionSizes:
    """The sizes of named dimensions: one size where bound, or a set of sizes."""

    __slots__ = ("bound", "narrowed")

    def __init__(
        self, bound: Mapping[str, Any], narrowed: Optional[Mapping[str, NumberSet]]
    ) -> None:
        self.bound = bound
        self.narrowed = dict(narrowed or {})

    def sizes(self, name: str) -> NumberSet:
        """The sizes that a name may have."""
        size = self.bound.get(name)
        if isinstance(size, int):
            return exactly(size)
        return self.narrowed.get(name, NumberSet(low=0))

    def narrow(self, name: str, wanted: NumberSet) -> None:
        """Let a name have these sizes only; raises :class:`EmptyDomain`."""
        found = self.sizes(name).meet(wanted).whole()
        if name not in self.bound:
            self.narrowed[name] = found


@dataclass(frozen=True)
class SymbolicShape:
    """The sides of a shape in order; ``gap``: the place of one that stands for several."""

    sides: Tuple[Side, ...]
    gap: Optional[int] = None

    def at(self, index: int) -> int:
        """Return the position of an index; raise :class:`Undecidable`, :class:`EmptyDomain`."""
        count = len(self.sides)
        if self.gap is None:
            if not -count <= index < count:
                raise EmptyDomain
            return index % count
        left, right = self.gap, count - self.gap - 1
        if 0 <= index < left:
            return index
        if index < 0 and -index <= right:
            return count + index
        raise Undecidable

    def ranks(self) -> NumberSet:
        """Return how many sides there may be."""
        if self.gap is None:
            return exactly(len(self.sides))
        return NumberSet(low=len(self.sides) - 1)

    def of_rank(self, wanted: NumberSet) -> SymbolicShape:
        """With as many sides as wanted; raises :class:`EmptyDomain`, :class:`Undecidable`."""
        ranks = self.ranks().meet(wanted)
        if self.gap is None:
            return self
        rank = ranks.whole().low
        if self.sides[self.gap] != "..." or ranks.exact is None:
            raise Undecidable
        filled: Tuple[Side, ...] = ("_",) * (int(rank) - len(self.sides) + 1)
        return SymbolicShape(self.sides[: self.gap] + filled + self.sides[self.gap + 1 :])

    def extent(
        self, index: int, dims: DimensionSizes, extent: Callable[[Constraint], NumberSet]
    ) -> NumberSet:
        """The sizes that a side may have."""
        side = self.sides[self.at(index)]
        if isinstance(side, Constraint):
            return extent(side)
        if isinstance(side, int):
            return exactly(side)
        return dims.sizes(side) if _NAME.fullmatch(side) else NumberSet(low=0)

    def limited(
        self, index: int, wanted: NumberSet, dims: DimensionSizes, limit: Limit
    ) -> SymbolicShape:
        """With a side narrowed, in place or by its name; raises as the others do."""
        at = self.at(index)
        side = _limited(self.sides[at], wanted, dims, limit)
        return SymbolicShape((*self.sides[:at], side, *self.sides[at + 1 :]), self.gap)

    def argument(self) -> Argument:
        """As an annotation's argument."""
        return tuple(s if isinstance(s, Constraint) else expression(s) for s in self.sides)


def _limited(side: Side, wanted: NumberSet, dims: DimensionSizes, limit: Limit) -> Side:
    if isinstance(side, Constraint):
        return limit(side, wanted)
    if isinstance(side, int):
        exactly(side).meet(wanted)
        if not wanted.holds(side):
            raise EmptyDomain
        return side
    if _NAME.fullmatch(side):
        dims.narrow(side, wanted)
        return side
    if side != "_":
        raise Undecidable
    return limit(Constraint("ints", (("min", expression(1)),)), with_upper_bound(wanted))


def with_upper_bound(wanted: NumberSet) -> NumberSet:
    """Sizes with an end: a few from the least where there is none."""
    whole = wanted.meet(NumberSet(low=0)).whole()
    if whole.high < INFINITY:
        return whole
    return whole.meet(NumberSet(high=max(whole.low, 1) + _ROOM * whole.step)).whole()


def shape_of(given: Optional[Argument]) -> SymbolicShape:
    """The sides of an annotation's ``shape``; raises :class:`Undecidable`."""
    if isinstance(given, Constraint):
        least, most = given.value("min_dims", 1), given.value("max_dims")
        if given.kind != "np_shapes" or least != most or not isinstance(least, int):
            raise Undecidable
        bounds = [("min", given["min_side"]), ("max", given["max_side"])]
        side = Constraint("ints", tuple((name, end) for name, end in bounds if end is not None))
        if given["min_side"] is None:
            side = Constraint("ints", (("min", expression(1)), *side.arguments))
        return SymbolicShape((side,) * least)
    if isinstance(given, tuple):
        return _shape([_side(item) for item in given])
    if isinstance(given, Expression) and given.literal:
        return _shape(_words(given.value))
    raise Undecidable


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


def _shape(sides: Sequence[Side]) -> SymbolicShape:
    gaps = [at for at, side in enumerate(sides) if _several(side)]
    if len(gaps) > 1:
        raise Undecidable
    return SymbolicShape(tuple(sides), gaps[0] if gaps else None)


def _several(side: Side) -> bool:
    return isinstance(side, str) and (side == "..." or side.startswith("*"))


NUMERIC = ("ints", "floats", "bools")
SEQUENCES = ("lists", "int_lists", "float_lists", "bool_lists", "string_lists")
ARRAYS = ("tensors", "np_arrays", "jax_arrays")
SIZED = (*SEQUENCES, "dicts", "strings", "datasets")
ELEMENTS = {"int_lists": "ints", "float_lists": "floats"}


@dataclass(frozen=True)
class RemainingSteps:
    """The steps that are left of the way into a constraint, and what names are known of."""

    steps: Tuple[Step, ...]
    dims: DimensionSizes

    @property
    def step(self) -> str:
        """The next step's kind, nothing at the end."""
        return self.steps[0][0] if self.steps else ""

    @property
    def index(self) -> Any:
        """The next step's index."""
        return self.steps[0][1]

    @property
    def rest(self) -> RemainingSteps:
        """Return what follows the next step."""
        return RemainingSteps(self.steps[1:], self.dims)


def extent(constraint: Constraint, look: RemainingSteps) -> NumberSet:
    """The numbers that may be seen; all of them where that is unclear."""
    try:
        return _extent(constraint, look)
    except (Undecidable, EmptyDomain):
        return NumberSet()


def replaced(constraint: Constraint, **given: Optional[Argument]) -> Constraint:
    """The constraint with these arguments, without those that are ``None``."""
    kept = dict(constraint.arguments)
    for name, value in given.items():
        kept.pop(name, None) if value is None else kept.update({name: value})
    return Constraint(constraint.kind, tuple(kept.items()))


def bound(constraint: Constraint, name: str, default: Any) -> Any:
    """A literal argument, the default where there is none; raises :class:`Undecidable`."""
    given = constraint[name]
    if given is None:
        return default
    if not isinstance(given, Expression) or not given.literal:
        raise Undecidable
    return default if given.value is None else given.value


def listed(values: Sequence[Any]) -> Constraint:
    """One of these literals; raises :class:`EmptyDomain`."""
    if not values:
        raise EmptyDomain
    return Constraint("froms", (("values", expression(list(values))),))


def options(constraint: Constraint) -> Tuple[Constraint, ...]:
    """The constraints of which one is to hold: those of ``anys``, or the constraint itself."""
    if constraint.kind != "anys":
        return (constraint,)
    given: Any = constraint["options"]
    each = [item if isinstance(item, Constraint) else single(item) for item in given]
    return tuple(inner for item in each for inner in options(item))


def any_of(found: Sequence[Constraint]) -> Constraint:
    """Any of these constraints; raises :class:`EmptyDomain`."""
    if not found:
        raise EmptyDomain
    return found[0] if len(found) == 1 else Constraint("anys", (("options", tuple(found)),))


def single(value: Expression) -> Constraint:
    """Exactly this value."""
    values = Expression(f"[{value.source}]", value.literal, [value.value])
    return Constraint("froms", (("values", values),))


def as_lists(constraint: Constraint) -> Constraint:
    """``int_lists`` and their kin as ``lists`` of an element."""
    ends = ("min", "max", "exclude_min", "exclude_max")
    arguments = tuple((name, value) for name, value in constraint.arguments if name in ends)
    inside = Constraint(ELEMENTS[constraint.kind], arguments)
    sizes = {name: constraint[name] for name in ("min_len", "max_len")}
    return replaced(Constraint("lists", (("elements", inside),)), **sizes)


def inside_of(constraint: Constraint, look: RemainingSteps) -> Any:
    """Return the constraint of an item or field of the values; raises Unclear, Empty."""
    if look.step == "field" or constraint.kind == "configs":
        inside = constraint[str(look.index)] if constraint.kind == "configs" else None
        if inside is None:
            raise Undecidable
        return inside
    elements = elements_of(constraint)
    if not isinstance(look.index, int) or not -len(elements) <= look.index < len(elements):
        raise EmptyDomain
    return elements[look.index]


def elements_of(constraint: Constraint) -> Tuple[Any, ...]:
    """The constraints of a tuple's elements; raises :class:`Undecidable` for what is none."""
    given: Any = constraint["elements"] if constraint.kind == "tuples" else None
    if constraint.kind == "tuples" and given is None:
        return ()
    if given is None:
        raise Undecidable
    return given if isinstance(given, tuple) else (given,)


# ------------------------------------------------------------------- extents


def _extent(constraint: Constraint, look: RemainingSteps) -> NumberSet:
    if constraint.kind == "anys":
        found = [_extent(option, look) for option in options(constraint)]
        return NumberSet(min(each.low for each in found), max(each.high for each in found))
    if look.step == "number":
        return _extent(constraint, look.rest)
    if not look.step:
        return numbers_of(constraint)
    reader = _EXTENTS.get(look.step)
    return reader(constraint, look) if reader else NumberSet()


def numbers_of(constraint: Constraint) -> NumberSet:
    """The numbers that a constraint's own values may be."""
    kind = constraint.kind
    if kind == "bools":
        return NumberSet(0, 1)
    if kind == "froms":
        numbers = [v for v in bound(constraint, "values", []) if isinstance(v, (int, float))]
        return NumberSet(min(numbers), max(numbers)) if numbers else NumberSet()
    if kind not in NUMERIC:
        return NumberSet()
    return NumberSet(
        bound(constraint, "min", -INFINITY),
        bound(constraint, "max", INFINITY),
        bound(constraint, "exclude_min", False),
        bound(constraint, "exclude_max", False),
        bound(constraint, "multiple_of", 1),
    )


def lengths_of(constraint: Constraint, look: RemainingSteps) -> NumberSet:
    """The lengths that values may have."""
    if constraint.kind in ARRAYS:
        return _side_extent(constraint, RemainingSteps((("side", 0), *look.steps[1:]), look.dims))
    if constraint.kind == "tuples":
        return exactly(len(elements_of(constraint)))
    if constraint.kind == "np_shapes":
        return NumberSet(bound(constraint, "min_dims", 1), bound(constraint, "max_dims", INFINITY))
    if constraint.kind not in SIZED:
        return NumberSet(low=0)
    return NumberSet(bound(constraint, "min_len", 0), bound(constraint, "max_len", INFINITY))


def _side_extent(constraint: Constraint, look: RemainingSteps) -> NumberSet:
    shape = shape_of(constraint["shape"])
    return shape.extent(
        look.index, look.dims, lambda side: extent(side, RemainingSteps((), look.dims))
    )


def ranks_of(constraint: Constraint, _look: RemainingSteps) -> NumberSet:
    """Return how many sides shapes may have."""
    given = constraint["shape"]
    if isinstance(given, Constraint) and given.kind == "np_shapes":
        return NumberSet(bound(given, "min_dims", 1), bound(given, "max_dims", INFINITY))
    return shape_of(given).ranks()


def _item_extent(constraint: Constraint, look: RemainingSteps) -> NumberSet:
    inside = inside_of(constraint, look)
    if isinstance(inside, Constraint):
        return _extent(inside, look.rest)
    value = inside.value
    return (
        exactly(value) if isinstance(value, (int, float)) and not look.rest.steps else NumberSet()
    )


def _element_extent(constraint: Constraint, _look: RemainingSteps) -> NumberSet:
    if constraint.kind in (*ARRAYS, *ELEMENTS):
        return NumberSet(bound(constraint, "min", -INFINITY), bound(constraint, "max", INFINITY))
    inside = constraint["elements"]
    if constraint.kind == "lists" and isinstance(inside, Constraint):
        return numbers_of(inside)
    return NumberSet()


_EXTENTS: Dict[str, Callable[[Constraint, RemainingSteps], NumberSet]] = {
    "length": lengths_of,
    "side": _side_extent,
    "rank": ranks_of,
    "item": _item_extent,
    "field": _item_extent,
    "highest": _element_extent,
    "lowest": _element_extent,
    "each": _element_extent,
}
