"""Constraints narrowed to the values in which some numbers are seen."""

from __future__ import annotations

from typing import Any, Callable, Dict, List, Mapping, Optional, Sequence

from ...annotations.constraints import Constraint, Expression
from .domains import (
    ARRAYS,
    ELEMENTS,
    NUMERIC,
    SEQUENCES,
    SIZED,
    RemainingSteps,
    SymbolicShape,
    Undecidable,
    any_of,
    as_lists,
    bound,
    elements_of,
    expression,
    inside_of,
    lengths_of,
    listed,
    numbers_of,
    options,
    ranks_of,
    replaced,
    shape_of,
    single,
)
from .number_sets import INFINITY, EmptyDomain, NumberSet

_MOST_LISTED, _MOST_LENGTHS = 256, 24
_WHOLE_DTYPES = ("int", "uint", "long", "bool")


def limited(constraint: Constraint, look: RemainingSteps, wanted: NumberSet) -> Constraint:
    """Narrow a constraint to values in which numbers of ``wanted`` are seen, as far as it can say.

    Raises ``EmptyDomain`` where there are none.
    """
    try:
        return _limited(constraint, look, wanted)
    except Undecidable:
        return constraint


def _limited(constraint: Constraint, look: RemainingSteps, wanted: NumberSet) -> Constraint:
    if constraint.kind == "anys":
        return any_of(each(options(constraint), lambda each: limited(each, look, wanted)))
    if look.step == "number":
        return _limited(constraint, look.rest, wanted) if constraint.kind in NUMERIC else constraint
    if constraint.kind == "froms" and look.step in ("", "length"):
        values = bound(constraint, "values", [])
        seen = len if look.step == "length" else _as_number
        return listed([value for value in values if _holds(wanted, seen, value)])
    narrow = _NARROWED.get(look.step)
    return narrow(constraint, look, wanted) if narrow else constraint


def each(
    given: Sequence[Constraint], narrow: Callable[[Constraint], Constraint]
) -> List[Constraint]:
    """The options that are left, narrowed."""
    found: List[Constraint] = []
    for option in given:
        try:
            found.append(narrow(option))
        except EmptyDomain:
            continue
    return found


def _as_number(value: Any) -> Any:
    if not isinstance(value, (int, float)):
        raise TypeError
    return value


def _holds(wanted: NumberSet, seen: Callable[[Any], Any], value: Any) -> bool:
    try:
        return wanted.holds(seen(value))
    except TypeError:
        return False


def _value_limited(constraint: Constraint, _look: RemainingSteps, wanted: NumberSet) -> Constraint:
    kind = constraint.kind
    if kind == "ints":
        return whole(constraint, wanted.meet(numbers_of(constraint)).whole())
    if kind == "floats":
        return _floats(constraint, wanted)
    if kind == "bools":
        return listed([value for value in (False, True) if wanted.holds(value)])
    if kind in (*SIZED, "tuples", "np_shapes"):
        raise EmptyDomain
    return constraint


def whole(constraint: Constraint, numbers: NumberSet) -> Constraint:
    """``ints`` of exactly these numbers, as far as they can be said."""
    if numbers.exact is not None:
        return listed([int(numbers.exact)])
    if numbers.offset or (numbers.without and numbers.count() <= _MOST_LISTED):
        return listed(list(numbers.integers(_MOST_LISTED)))
    ends = (_end(numbers.low), _end(numbers.high))
    if numbers.without:
        return _apart(constraint, numbers)
    step = expression(numbers.step) if numbers.step > 1 else None
    return replaced(constraint, min=ends[0], max=ends[1], multiple_of=step)


def _apart(constraint: Constraint, numbers: NumberSet) -> Constraint:
    """The pieces of an interval between what is taken out of it."""
    out = sorted(v for v in numbers.without if numbers.low < v < numbers.high and v == int(v))
    lows = [numbers.low, *(int(value) + 1 for value in out)]
    highs = [*(int(value) - 1 for value in out), numbers.high]
    step = numbers.step
    parts = [NumberSet(low, high, step=step) for low, high in zip(lows, highs)]
    plain = Constraint("ints")
    return (
        any_of(each([plain] * len(parts), _next(parts)))
        if out
        else whole(constraint, NumberSet(numbers.low, numbers.high, step=step))
    )


def _next(parts: Sequence[NumberSet]) -> Callable[[Constraint], Constraint]:
    each = iter(parts)
    return lambda plain: whole(plain, next(each).whole())


def _end(value: Any) -> Optional[Expression]:
    return None if value in (INFINITY, -INFINITY) else expression(value)


def _floats(constraint: Constraint, wanted: NumberSet) -> Constraint:
    plain = NumberSet(wanted.low, wanted.high, wanted.open_low, wanted.open_high)
    numbers = plain.meet(numbers_of(constraint))
    if numbers.exact is not None:
        return listed([float(numbers.exact)])
    return replaced(
        constraint,
        min=_end(numbers.low),
        max=_end(numbers.high),
        exclude_min=expression(value=True) if numbers.open_low else None,
        exclude_max=expression(value=True) if numbers.open_high else None,
        allow_nan=None,
        allow_inf=None,
    )


def _length_limited(constraint: Constraint, look: RemainingSteps, wanted: NumberSet) -> Constraint:
    kind = constraint.kind
    if kind in ARRAYS:
        return _side_limited(
            constraint, RemainingSteps((("side", 0), *look.steps[1:]), look.dims), wanted
        )
    if kind in NUMERIC:
        raise EmptyDomain
    if kind == "tuples":
        if not wanted.holds(len(elements_of(constraint))):
            raise EmptyDomain
        return constraint
    if kind == "strings" and constraint["pattern"] is not None:
        raise Undecidable
    lengths = wanted.meet(lengths_of(constraint, look)).whole()
    low, high = ("min_dims", "max_dims") if kind == "np_shapes" else ("min_len", "max_len")
    if kind not in (*SIZED, "np_shapes"):
        return constraint
    if lengths.plain:
        return replaced(constraint, **{low: expression(lengths.low), high: _end(lengths.high)})
    sizes = list(lengths.integers(_MOST_LENGTHS))
    return any_of(
        [replaced(constraint, **{low: expression(n), high: expression(n)}) for n in sizes]
    )


def _side_limited(constraint: Constraint, look: RemainingSteps, wanted: NumberSet) -> Constraint:
    if constraint.kind in NUMERIC:
        raise EmptyDomain
    if constraint.kind not in ARRAYS:
        return constraint
    shape = shape_of(constraint["shape"])
    narrowed = shape.limited(look.index, wanted, look.dims, _narrow(look))
    return with_shape(constraint, shape, narrowed)


def _narrow(look: RemainingSteps) -> Callable[[Constraint, NumberSet], Constraint]:
    return lambda side, numbers: limited(side, RemainingSteps((), look.dims), numbers)


def with_shape(constraint: Constraint, before: SymbolicShape, after: SymbolicShape) -> Constraint:
    """The constraint with another shape, as it is where that is the same."""
    return constraint if before == after else replaced(constraint, shape=after.argument())


def _rank_limited(constraint: Constraint, _look: RemainingSteps, wanted: NumberSet) -> Constraint:
    given = constraint["shape"]
    if constraint.kind not in ARRAYS:
        return constraint
    if isinstance(given, Constraint) and given.kind == "np_shapes":
        ranks = wanted.meet(ranks_of(constraint, _look)).whole()
        ends = {"min_dims": _end(ranks.low), "max_dims": _end(ranks.high)}
        return replaced(constraint, shape=replaced(given, **ends))
    if given is None:
        shape = SymbolicShape(("...",), 0).of_rank(wanted)
        return replaced(constraint, shape=shape.argument())
    shape = shape_of(given)
    return with_shape(constraint, shape, shape.of_rank(wanted))


def _item_limited(constraint: Constraint, look: RemainingSteps, wanted: NumberSet) -> Constraint:
    if constraint.kind in NUMERIC and look.step == "item":
        raise EmptyDomain
    if constraint.kind == "np_shapes":
        constraint = _as_tuple(constraint)
    inside = inside_of(constraint, look)
    if not isinstance(inside, Constraint):
        inside = single(inside)
    return with_inside(constraint, look, _limited(inside, look.rest, wanted))


def _as_tuple(constraint: Constraint) -> Constraint:
    least, most = bound(constraint, "min_dims", 1), bound(constraint, "max_dims", INFINITY)
    if least != most:
        raise Undecidable
    low, high = bound(constraint, "min_side", 1), bound(constraint, "max_side", None)
    side = replaced(
        Constraint("ints"),
        min=expression(low),
        max=expression(max(low, 8) if high is None else high),
    )
    return Constraint("tuples", (("elements", (side,) * least),))


def with_inside(constraint: Constraint, look: RemainingSteps, inside: Constraint) -> Constraint:
    """The constraint with another for an item or a field."""
    if constraint.kind == "configs":
        return replaced(constraint, **{str(look.index): inside})
    elements = list(elements_of(constraint))
    elements[look.index] = inside
    return replaced(constraint, elements=tuple(elements))


def _elements_limited(
    constraint: Constraint, look: RemainingSteps, wanted: NumberSet
) -> Constraint:
    """The bounds of all elements, so that the highest or lowest of them is within some."""
    low = look.step in ("lowest", "each")
    high = look.step in ("highest", "each")
    if look.step != "each":
        constraint = _filled(constraint)
    inner = NumberSet(
        wanted.low if low else -INFINITY,
        wanted.high if high else INFINITY,
        wanted.open_low and low,
        wanted.open_high and high,
        wanted.step if look.step == "each" else 1,
        wanted.offset if look.step == "each" else 0,
    )
    if constraint.kind in (*ELEMENTS, "lists"):
        return with_elements(
            constraint, lambda inside: _limited(inside, RemainingSteps((), look.dims), inner)
        )
    return _array_limited(constraint, inner) if constraint.kind in ARRAYS else constraint


def _filled(constraint: Constraint) -> Constraint:
    """With an element at least, which there must be for one to be the highest."""
    if constraint.kind not in SEQUENCES or bound(constraint, "min_len", 0):
        return constraint
    if bound(constraint, "max_len", INFINITY) < 1:
        raise EmptyDomain
    return replaced(constraint, min_len=expression(1))


def with_elements(constraint: Constraint, narrow: Callable[[Constraint], Constraint]) -> Constraint:
    """Narrow the elements; raise :class:`Undecidable`, :class:`EmptyDomain`."""
    if constraint.kind in ELEMENTS:
        constraint = as_lists(constraint)
    inside: Any = constraint["elements"]
    if constraint.kind == "lists" and isinstance(inside, Constraint):
        return replaced(constraint, elements=narrow(inside))
    if constraint.kind != "tuples":
        raise Undecidable
    wrapped = [
        one if isinstance(one, Constraint) else single(one) for one in elements_of(constraint)
    ]
    return replaced(constraint, elements=tuple(narrow(one) for one in wrapped))


def _array_limited(constraint: Constraint, wanted: NumberSet) -> Constraint:
    if bound(constraint, "values", "any") not in ("any", "uniform", "labels") or wanted.step != 1:
        raise Undecidable
    present = NumberSet(
        bound(constraint, "min", -INFINITY),
        bound(constraint, "max", INFINITY),
        bound(constraint, "exclude_min", False) if constraint["exclude_min"] else False,
        bound(constraint, "exclude_max", False) if constraint["exclude_max"] else False,
    )
    numbers = wanted.meet(present)
    dtype = bound(constraint, "dtype", "float32")
    if isinstance(dtype, str) and dtype.rpartition(".")[2].startswith(_WHOLE_DTYPES):
        numbers = numbers.whole()
    changed = replaced(constraint, min=_end(numbers.low), max=_end(numbers.high))
    opened: Mapping[str, bool] = {
        "exclude_min": numbers.open_low,
        "exclude_max": numbers.open_high,
    }
    return replaced(
        changed, **{n: expression(value=True) if yes else None for n, yes in opened.items()}
    )


_NARROWED: Dict[str, Callable[[Constraint, RemainingSteps, NumberSet], Constraint]] = {
    "": _value_limited,
    "length": _length_limited,
    "side": _side_limited,
    "rank": _rank_limited,
    "item": _item_limited,
    "field": _item_limited,
    "highest": _elements_limited,
    "lowest": _elements_limited,
    "each": _elements_limited,
}
