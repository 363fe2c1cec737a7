"""Constraints as sets: what numbers are seen in them, and how they are narrowed to some."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Callable, Dict, Optional, Sequence, Tuple

from ...annotations.nouns import Argument, Constraint, Expression
from .looks import Step
from .numbers import INFINITY, Empty, Numbers, exactly
from .shaping import Dims, Unclear, expression, shape_of

NUMERIC = ("ints", "floats", "bools")
SEQUENCES = ("lists", "int_lists", "float_lists", "bool_lists", "string_lists")
ARRAYS = ("tensors", "np_arrays", "jax_arrays")
SIZED = (*SEQUENCES, "dicts", "strings", "datasets")
ELEMENTS = {"int_lists": "ints", "float_lists": "floats"}


@dataclass(frozen=True)
class Look:
    """The steps that are left of the way into a constraint, and what names are known of."""

    steps: Tuple[Step, ...]
    dims: Dims

    @property
    def step(self) -> str:
        """The next step's kind, nothing at the end."""
        return self.steps[0][0] if self.steps else ""

    @property
    def index(self) -> Any:
        """The next step's index."""
        return self.steps[0][1]

    @property
    def rest(self) -> Look:
        """What follows the next step."""
        return Look(self.steps[1:], self.dims)


def extent(constraint: Constraint, look: Look) -> Numbers:
    """The numbers that may be seen; all of them where that is unclear."""
    try:
        return _extent(constraint, look)
    except (Unclear, Empty):
        return Numbers()


def replaced(constraint: Constraint, **given: Optional[Argument]) -> Constraint:
    """The constraint with these arguments, without those that are ``None``."""
    kept = dict(constraint.arguments)
    for name, value in given.items():
        kept.pop(name, None) if value is None else kept.update({name: value})
    return Constraint(constraint.kind, tuple(kept.items()))


def bound(constraint: Constraint, name: str, default: Any) -> Any:
    """A literal argument, the default where there is none; raises :class:`Unclear`."""
    given = constraint[name]
    if given is None:
        return default
    if not isinstance(given, Expression) or not given.literal:
        raise Unclear
    return default if given.value is None else given.value


def listed(values: Sequence[Any]) -> Constraint:
    """One of these literals; raises :class:`Empty`."""
    if not values:
        raise Empty
    return Constraint("froms", (("values", expression(list(values))),))


def options(constraint: Constraint) -> Tuple[Constraint, ...]:
    """The constraints of which one is to hold: those of ``anys``, or the constraint itself."""
    if constraint.kind != "anys":
        return (constraint,)
    given: Any = constraint["options"]
    each = [item if isinstance(item, Constraint) else single(item) for item in given]
    return tuple(inner for item in each for inner in options(item))


def any_of(found: Sequence[Constraint]) -> Constraint:
    """Any of these constraints; raises :class:`Empty`."""
    if not found:
        raise Empty
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


def inside_of(constraint: Constraint, look: Look) -> Any:
    """What an item or a field of a constraint's values is said to be; raises Unclear, Empty."""
    if look.step == "field" or constraint.kind == "configs":
        inside = constraint[str(look.index)] if constraint.kind == "configs" else None
        if inside is None:
            raise Unclear
        return inside
    elements = elements_of(constraint)
    if not isinstance(look.index, int) or not -len(elements) <= look.index < len(elements):
        raise Empty
    return elements[look.index]


def elements_of(constraint: Constraint) -> Tuple[Any, ...]:
    """The constraints of a tuple's elements; raises :class:`Unclear` for what is none."""
    given: Any = constraint["elements"] if constraint.kind == "tuples" else None
    if constraint.kind == "tuples" and given is None:
        return ()
    if given is None:
        raise Unclear
    return given if isinstance(given, tuple) else (given,)


# ------------------------------------------------------------------- extents


def _extent(constraint: Constraint, look: Look) -> Numbers:
    if constraint.kind == "anys":
        return _hull([_extent(option, look) for option in options(constraint)])
    if look.step == "number":
        return _extent(constraint, look.rest)
    if not look.step:
        return numbers_of(constraint)
    reader = _EXTENTS.get(look.step)
    return reader(constraint, look) if reader else Numbers()


def _hull(found: Sequence[Numbers]) -> Numbers:
    return Numbers(min(each.low for each in found), max(each.high for each in found))


def numbers_of(constraint: Constraint) -> Numbers:
    """The numbers that a constraint's own values may be."""
    kind = constraint.kind
    if kind == "bools":
        return Numbers(0, 1)
    if kind == "froms":
        numbers = [v for v in bound(constraint, "values", []) if isinstance(v, (int, float))]
        return Numbers(min(numbers), max(numbers)) if numbers else Numbers()
    if kind not in NUMERIC:
        return Numbers()
    return Numbers(
        bound(constraint, "min", -INFINITY),
        bound(constraint, "max", INFINITY),
        bound(constraint, "exclude_min", False),
        bound(constraint, "exclude_max", False),
        bound(constraint, "multiple_of", 1),
    )


def lengths_of(constraint: Constraint, look: Look) -> Numbers:
    """The lengths that values may have."""
    if constraint.kind in ARRAYS:
        return _side_extent(constraint, Look((("side", 0), *look.steps[1:]), look.dims))
    if constraint.kind == "tuples":
        return exactly(len(elements_of(constraint)))
    if constraint.kind == "np_shapes":
        return Numbers(bound(constraint, "min_dims", 1), bound(constraint, "max_dims", INFINITY))
    if constraint.kind not in SIZED:
        return Numbers(low=0)
    return Numbers(bound(constraint, "min_len", 0), bound(constraint, "max_len", INFINITY))


def _side_extent(constraint: Constraint, look: Look) -> Numbers:
    shape = shape_of(constraint["shape"])
    return shape.extent(look.index, look.dims, lambda side: extent(side, Look((), look.dims)))


def ranks_of(constraint: Constraint, _look: Look) -> Numbers:
    """How many sides shapes may have."""
    given = constraint["shape"]
    if isinstance(given, Constraint) and given.kind == "np_shapes":
        return Numbers(bound(given, "min_dims", 1), bound(given, "max_dims", INFINITY))
    return shape_of(given).ranks()


def _item_extent(constraint: Constraint, look: Look) -> Numbers:
    inside = inside_of(constraint, look)
    if isinstance(inside, Constraint):
        return _extent(inside, look.rest)
    value = inside.value
    return exactly(value) if isinstance(value, (int, float)) and not look.rest.steps else Numbers()


def _element_extent(constraint: Constraint, _look: Look) -> Numbers:
    if constraint.kind in (*ARRAYS, *ELEMENTS):
        return Numbers(bound(constraint, "min", -INFINITY), bound(constraint, "max", INFINITY))
    inside = constraint["elements"]
    if constraint.kind == "lists" and isinstance(inside, Constraint):
        return numbers_of(inside)
    return Numbers()


_EXTENTS: Dict[str, Callable[[Constraint, Look], Numbers]] = {
    "length": lengths_of,
    "side": _side_extent,
    "rank": ranks_of,
    "item": _item_extent,
    "field": _item_extent,
    "highest": _element_extent,
    "lowest": _element_extent,
    "each": _element_extent,
}
