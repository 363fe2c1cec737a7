"""Meet and join of two constraints."""

from __future__ import annotations

import math
from collections.abc import Callable

from analyzers.guest.annotations.constraints import Argument, Constraint, Expression

from ..facts import all_known
from .constraint_builders import (
    as_constraint,
    build,
    build_if_possible,
    one_of,
    options_of,
    sequence,
    union_of,
)
from .dimensions import join_shapes, meet_shapes
from .intervals import NUMBERS, Interval, interval_of

ARRAYS = ("np_arrays", "tensors", "jax_arrays")
_LISTS = {
    "lists": None,
    "int_lists": "ints",
    "float_lists": "floats",
    "bool_lists": "bools",
    "string_lists": "strings",
}
_SUBKINDS = {("strings", "paths"), ("callables", "modules"), ("datasets", "loaders")}
"""Pairs of which the second is the more specific: a path is a string, a module can be called."""
_TYPES: dict[str, tuple[type, ...]] = {
    "bools": (bool,),
    "ints": (int,),
    "floats": (float, int),
    "strings": (str,),
    "paths": (str,),
    "tuples": (tuple,),
    "dicts": (dict,),
    **dict.fromkeys(_LISTS, (list,)),
}


def meet(first: Constraint, second: Constraint) -> Constraint | None:
    """The values of both, ``None`` where there are none.

    Where both say something that cannot be compared (the code of a callable,
    a generator), what the first says stands.
    """
    kinds = {first.kind, second.kind}
    if "anys" in kinds:
        met = [
            found
            for left in options_of(first)
            for right in options_of(second)
            if (found := meet(as_constraint(left), as_constraint(right))) is not None
        ]
        return union_of(met) if met else None
    if "froms" in kinds:
        choice, other = (first, second) if first.kind == "froms" else (second, first)
        values = choice.value("values")
        if not isinstance(values, (list, tuple)):
            return choice
        kept = [value for value in values if admits(other, value)]
        return one_of(kept) if kept else None
    if kinds <= set(NUMBERS):
        return _meet_numbers(first, second)
    if kinds <= set(_LISTS):
        return _meet_lists(first, second)
    return _meet_tuples(first, second) if "tuples" in kinds else _meet_others(first, second)


def _meet_others(first: Constraint, second: Constraint) -> Constraint | None:
    if (second.kind, first.kind) in _SUBKINDS:
        return first
    if (first.kind, second.kind) in _SUBKINDS:
        return second
    return _meet_same(first, second) if first.kind == second.kind else None


def admits(constraint: Constraint, value: object) -> bool:
    """Return whether a literal value may meet a constraint; ``True`` where that cannot be seen."""
    if constraint.kind == "anys":
        return any(admits(as_constraint(part), value) for part in options_of(constraint))
    if constraint.kind == "froms":
        values = constraint.value("values")
        return not isinstance(values, (list, tuple)) or any(
            type(value) is type(each) and value == each for each in values
        )
    types = _TYPES.get(constraint.kind, ())
    if not isinstance(value, types) or (isinstance(value, bool) and bool not in types):
        return False
    if isinstance(value, (int, float)):
        multiple = constraint.value("multiple_of")
        return interval_of(constraint).around(value) and not (multiple and value % multiple)
    return _admits_elements(constraint, value)


def _admits_elements(constraint: Constraint, value: object) -> bool:
    if isinstance(value, (list, str)):
        least, most = constraint.value("min_len"), constraint.value("max_len")
        if len(value) < (least or 0) or (most is not None and len(value) > most):
            return False
    if isinstance(value, list):
        elements = elements_of(constraint)
        return elements is None or all(admits(elements, each) for each in value)
    given = constraint["elements"]
    if isinstance(value, tuple) and isinstance(given, tuple):
        return len(value) == len(given) and all(
            admits(as_constraint(part), each) for part, each in zip(given, value, strict=True)
        )
    return True


def _meet_numbers(first: Constraint, second: Constraint) -> Constraint | None:
    both = interval_of(first).meet(interval_of(second))
    if "ints" in (first.kind, second.kind):
        multiples = [each.value("multiple_of") for each in (first, second)]
        given = [each for each in multiples if isinstance(each, int)]
        return both.ints(math.lcm(*given) if given else None)
    more = {
        name: found
        for name in ("allow_nan", "allow_inf", "width")
        if (found := first[name] or second[name]) is not None
    }
    return both.floats(**more)


def elements_of(constraint: Constraint) -> Constraint | None:
    """Return what the elements of a list are; ``None`` where that is not said."""
    kind = _LISTS.get(constraint.kind)
    if kind is None:
        given = constraint["elements"]
        return given if isinstance(given, Constraint) else None
    bounds: dict[str, object] = {
        name: value for name, value in constraint.arguments if name not in ("min_len", "max_len")
    }
    return build(kind, **bounds)


def _meet_lists(first: Constraint, second: Constraint) -> Constraint | None:
    left, right = elements_of(first), elements_of(second)
    elements = meet(left, right) if left is not None and right is not None else left or right
    if elements is None and left is not None:
        return None
    lengths = _length(first).meet(_length(second))
    least, most = _whole(lengths.low), _whole(lengths.high)
    if least is not None and most is not None and least > most:
        return None
    return sequence(elements, least, most)


def _length(constraint: Constraint) -> Interval:
    return Interval(constraint.value("min_len"), constraint.value("max_len"))


def _whole(value: float | None) -> int | None:
    return None if value is None else int(value)


def _meet_tuples(first: Constraint, second: Constraint) -> Constraint | None:
    one, other = (first, second) if first.kind == "tuples" else (second, first)
    elements = one["elements"]
    if not isinstance(elements, tuple):
        return other if other.kind == "tuples" else None
    if other.kind == "tuples":
        pairs = other["elements"]
        others = pairs if isinstance(pairs, tuple) else elements
    elif other.kind in _LISTS and _length(other).around(len(elements)):
        inside = elements_of(other)
        others = elements if inside is None else (inside,) * len(elements)
    else:
        return None
    if len(others) != len(elements):
        return None
    met = all_known(
        meet(as_constraint(left), as_constraint(right))
        for left, right in zip(elements, others, strict=True)
    )
    return None if met is None else build("tuples", elements=tuple(met))


def _meet_same(first: Constraint, second: Constraint) -> Constraint | None:
    given = dict(first.arguments)
    for name, value in second.arguments:
        if name not in given:
            given[name] = value
            continue
        met = _MEETING.get(name, _meet_argument)(given[name], value)
        if met is None:
            return None
        given[name] = met
    if first.kind in ARRAYS or first.kind == "strings":
        bounds = interval_of(first).meet(interval_of(second)).arguments()
        return build_if_possible(first.kind, **{**given, **bounds})
    arguments: dict[str, object] = dict(given)
    return build_if_possible(first.kind, **arguments)


def _meet_argument(first: Argument, second: Argument) -> Argument | None:
    if isinstance(first, Constraint) and isinstance(second, Constraint):
        return meet(first, second)
    return first


def _meet_dtypes(first: Argument, second: Argument) -> Argument | None:
    left, right = dtypes_of(first), dtypes_of(second)
    if not left or not right:
        return first
    common = [name for name in left if name in right]
    return dtypes(common) if common else None


def dtypes_of(given: Argument | None) -> list[str]:
    """The names of dtypes that an argument allows; none where it is no literal."""
    if isinstance(given, Constraint):
        given = given["values"] if given.kind == "froms" else None
    if not (isinstance(given, Expression) and given.literal):
        return []
    value = given.value
    return [str(each) for each in value] if isinstance(value, (list, tuple)) else [str(value)]


def dtypes(names: list[str]) -> Argument:
    """One dtype by its name, several as a choice."""
    return (
        Expression(f'"{names[0]}"', literal=True, value=names[0])
        if len(names) == 1
        else one_of(names)
    )


def _at_least(first: Argument, second: Argument) -> Argument:
    return first if _value(first) >= _value(second) else second


def _at_most(first: Argument, second: Argument) -> Argument:
    return first if _value(first) <= _value(second) else second


def _value(given: Argument) -> float:
    value = given.value if isinstance(given, Expression) else 0
    return value if isinstance(value, (int, float)) else 0


_MEETING: dict[str, Callable[[Argument, Argument], Argument | None]] = {
    "dtype": _meet_dtypes,
    "shape": meet_shapes,
    "min_len": _at_least,
    "max_len": _at_most,
    "min_dims": _at_least,
    "max_dims": _at_most,
    "min_side": _at_least,
    "max_side": _at_most,
}


def coerced(constraint: Constraint, kind: str) -> Constraint | None:
    """Return what a constraint of another kind says of values of ``kind``: bounds, a shape.

    ``None`` where it says nothing of them.
    """
    if constraint.kind == kind:
        return constraint
    if constraint.kind == "anys":
        parts = [as_constraint(part) for part in options_of(constraint)]
        same = [part for part in parts if part.kind == kind]
        met = [coerced(part, kind) for part in same or parts]
        found = [each for each in met if each is not None]
        return union_of(found) if found else None
    if constraint.kind in NUMBERS and kind in NUMBERS:
        both = interval_of(constraint)
        return both.ints() if kind == "ints" else both.floats()
    if constraint.kind in ARRAYS and kind in ARRAYS:
        said = dict(constraint.arguments)
        kept: dict[str, object] = {
            name: said[name]
            for name in ("dtype", "shape", "min", "max", "exclude_min", "exclude_max", "values")
            if name in said
        }
        return build(kind, **kept)
    return None


def join(first: Constraint, second: Constraint) -> Constraint:
    """The smallest constraint around both: a range around numbers, else a union."""
    if first.kind in NUMBERS and second.kind in NUMBERS:
        both = interval_of(first).join(interval_of(second))
        whole = first.kind == second.kind == "ints"
        found = both.ints() if whole else both.floats()
        return found if found is not None else union_of([first, second])
    if first.kind in ARRAYS and first.kind == second.kind:
        left, right = first["shape"], second["shape"]
        shape = join_shapes(left, right) if left is not None and right is not None else None
        if shape is None or dtypes_of(first["dtype"]) != dtypes_of(second["dtype"]):
            return union_of([first, second])
        bounds = interval_of(first).join(interval_of(second)).arguments()
        kept: dict[str, object] = {"dtype": first["dtype"], "shape": shape, **bounds}
        if first["values"] == second["values"]:
            kept["values"] = first["values"]
        return build(first.kind, **kept)
    if first.kind in _LISTS and first.kind == second.kind:
        left, right = elements_of(first), elements_of(second)
        lengths = _length(first).join(_length(second))
        elements = join(left, right) if left is not None and right is not None else None
        return sequence(elements, _whole(lengths.low), _whole(lengths.high))
    return union_of([first, second])
