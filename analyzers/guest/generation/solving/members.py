"""Equality and membership: numbers, names, shapes and dtypes that are to be one of some."""

from __future__ import annotations

import ast
from typing import Any, Callable, List, Optional, Sequence, Tuple

from ...annotations.nouns import Constraint, Expression
from . import domains, limiting, narrowing
from .domains import Look as Way
from .looks import Look, look
from .numbers import Empty, Numbers, exactly, those
from .shaping import Dims, Shape, Unclear, expression, shape_of
from .state import State


def equal(state: State, left: ast.expr, right: ast.expr) -> None:
    """Narrow two sides that are to be equal."""
    if _unique(state, left, right):
        return
    for one, other in ((left, right), (right, left)):
        if not state.free(one):
            continue
        if not state.free(other):
            among(state, one, [state.known(other)])
        elif isinstance(other, (ast.Tuple, ast.List)):
            _pairwise(state, one, other)
        else:
            against = narrowing.extent(state, other)
            narrowing.narrow(state, one, against)


def member(state: State, node: ast.expr, container: ast.expr) -> None:
    """Let an expression be worth one of a container that is known."""
    if state.free(container) or not state.free(node):
        return
    values = state.known(container)
    if isinstance(values, str):
        return
    try:
        among(state, node, list(values))
    except TypeError as error:
        raise Empty from error


def among(state: State, node: ast.expr, values: Sequence[Any]) -> None:
    """Let an expression be worth one of these values; raises :class:`Empty`."""
    numbers = [each for each in map(_number, values) if each is not None]
    if len(numbers) == len(values):
        narrowing.narrow(state, node, those(numbers))
    seen = look(node, frozenset(state.constraints))
    if seen is not None:
        way = Way(seen.steps, state.dims)
        constraint = state.constraints[seen.argument]
        state.narrow(seen.argument, chosen(constraint, way, list(values)))


def _number(value: Any) -> Any:
    value = value.item() if hasattr(value, "item") and getattr(value, "ndim", 1) == 0 else value
    return value if isinstance(value, (int, float)) else None


def _pairwise(state: State, node: ast.expr, other: Any) -> None:
    """``x.shape == (n, 3)``: element by element."""
    seen = look(node, frozenset(state.constraints))
    if seen is None:
        return
    if seen.steps and seen.steps[-1] == ("sides", None):
        rank = Look(seen.argument, (*seen.steps[:-1], ("rank", None)))
        narrowing.narrow_look(state, rank, exactly(len(other.elts)))
    for place, item in enumerate(other.elts):
        one = ast.Subscript(node, ast.Constant(place), ast.Load())
        equal(state, one, item)


def _unique(state: State, left: ast.expr, right: ast.expr) -> bool:
    """``len(set(x)) == len(x)``: no element twice."""
    for one, other in ((left, right), (right, left)):
        seen = look(other, frozenset(state.constraints))
        if seen is None or seen.steps != (("length", None),):
            continue
        if ast.unparse(one) == f"len(set({seen.argument}))":
            constraint = state.constraints[seen.argument]
            state.narrow(seen.argument, _without_repeats(constraint))
            return True
    return False


def _without_repeats(constraint: Constraint) -> Constraint:
    if constraint.kind == "lists":
        return domains.replaced(constraint, unique=expression(value=True))
    if constraint.kind in ("int_lists", "float_lists"):
        return domains.replaced(domains.as_lists(constraint), unique=expression(value=True))
    return constraint


# -------------------------------------------------------- values of other sorts


def chosen(constraint: Constraint, way: Way, values: Sequence[Any]) -> Constraint:
    """The constraint where what is seen in it is one of these; as it is where that is unclear."""
    try:
        return _chosen(constraint, way, values)
    except Unclear:
        return constraint


def _chosen(constraint: Constraint, way: Way, values: Sequence[Any]) -> Constraint:
    if constraint.kind == "anys":
        return domains.any_of(
            limiting.each(domains.options(constraint), lambda one: chosen(one, way, values))
        )
    if way.step == "dtype":
        return _of_dtypes(constraint, [str(value).rpartition(".")[2] for value in values])
    if way.step == "sides":
        return _of_shape(constraint, way, values)
    if way.step in ("item", "field"):
        inside = domains.inside_of(constraint, way)
        inside = inside if isinstance(inside, Constraint) else domains.single(inside)
        return limiting.with_inside(constraint, way, _chosen(inside, way.rest, values))
    return constraint if way.step else _of_values(constraint, values)


def _of_values(constraint: Constraint, values: Sequence[Any]) -> Constraint:
    """Strings of these, or other literals among those listed."""
    if constraint.kind == "strings":
        words = [value for value in values if isinstance(value, str) and _fits(constraint, value)]
        return domains.listed(words)
    if constraint.kind == "floats":
        among_ = domains.extent(constraint, Way((), Dims({}, None)))
        numbers = [float(v) for v in values if isinstance(v, (int, float)) and among_.holds(v)]
        return domains.listed(numbers)
    if constraint.kind in ("ints", "bools") and not any(_number(v) is not None for v in values):
        raise Empty
    if constraint.kind in domains.SEQUENCES and all(isinstance(v, (list, tuple)) for v in values):
        return _of_length(constraint, values)
    return constraint


def _of_length(constraint: Constraint, values: Sequence[Any]) -> Constraint:
    lists = [value for value in values if isinstance(value, list)]
    sizes = domains.extent(constraint, Way((("length", None),), Dims({}, None)))
    if len(lists) != 1 or not sizes.holds(len(lists[0])):
        raise Unclear
    return domains.listed(lists)


def _fits(constraint: Constraint, value: str) -> bool:
    if constraint["pattern"] is not None or constraint["alphabet"] is not None:
        raise Unclear
    least = domains.bound(constraint, "min_len", 0)
    return bool(least <= len(value) <= domains.bound(constraint, "max_len", len(value)))


def _of_dtypes(constraint: Constraint, names: List[str]) -> Constraint:
    given = constraint["dtype"]
    if constraint.kind not in domains.ARRAYS:
        return constraint
    if given is None:
        return domains.replaced(constraint, dtype=_dtype(names))
    if isinstance(given, Constraint) and given.kind == "froms":
        given = given["values"]
    if not isinstance(given, Expression) or not given.literal:
        raise Unclear
    present = given.value if isinstance(given.value, (list, tuple)) else [given.value]
    kept = [name for name in present if str(name).rpartition(".")[2] in names]
    if not kept:
        raise Empty
    return domains.replaced(constraint, dtype=_dtype(kept))


def _dtype(names: Sequence[str]) -> Any:
    return expression(names[0]) if len(names) == 1 else domains.listed(list(names))


def _of_shape(constraint: Constraint, way: Way, values: Sequence[Any]) -> Constraint:
    """Of the one shape that is asked for, or with a slice of that."""
    if constraint.kind not in domains.ARRAYS or len(values) != 1:
        raise Unclear
    try:
        sides: Tuple[int, ...] = tuple(int(side) for side in values[0])
    except (TypeError, ValueError) as error:
        raise Empty from error
    if constraint["shape"] is None and way.index is None:
        return domains.replaced(constraint, shape=Shape(sides).argument())
    before = shape_of(constraint["shape"])
    shape = before if way.index else before.of_rank(exactly(len(sides)))
    places = _places(shape, way.index, len(sides))
    for place, side in zip(places, sides):
        shape = shape.limited(place, exactly(side), way.dims, _narrow(way))
    return limiting.with_shape(constraint, before, shape)


def _narrow(way: Way) -> Callable[[Constraint, Numbers], Constraint]:
    return lambda side, numbers: limiting.limited(side, Way((), way.dims), numbers)


def _places(
    shape: Shape, ends: Optional[Tuple[Optional[int], Optional[int]]], count: int
) -> Sequence[int]:
    """The indices that a slice of a shape stands for; raises Unclear, Empty."""
    low, high = ends or (None, None)
    if shape.gap is None:
        places = range(*slice(low, high).indices(len(shape.sides)))
        if len(places) != count:
            raise Empty
        return places
    if low is not None and low < 0 and high is None and -low == count:
        return range(low, 0)
    if not low and high is not None and high == count:
        return range(high)
    raise Unclear
