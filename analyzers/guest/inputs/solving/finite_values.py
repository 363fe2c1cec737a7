"""Equality and membership: numbers, names, shapes and dtypes that are to be one of some."""

from __future__ import annotations

import ast
import sys
from typing import Any, Callable, Dict, List, Mapping, Optional, Sequence, Tuple

from ...annotations.constraints import Constraint, Expression
from . import constraint_narrowing, domains, expression_narrowing
from .condition_terms import ConditionPart, Quantity, quantity_of
from .domains import (
    DimensionSizes,
    SymbolicShape,
    Undecidable,
    any_of,
    expression,
    listed,
    options,
    shape_of,
)
from .domains import RemainingSteps as Way
from .expression_narrowing import SolverState
from .number_sets import EmptyDomain, NumberSet, exactly, those

MOST_LISTED = 1024
_SAMPLES: Mapping[str, Any] = {
    "ints": 1,
    "floats": 1.5,
    "bools": True,
    "strings": "a",
    "lists": [],
    "int_lists": [],
    "float_lists": [],
    "bool_lists": [],
    "string_lists": [],
    "tuples": (),
    "np_shapes": (1,),
    "dicts": {},
}
_ASKS_SORT = ("type", "isinstance", "callable")


def filter_options(
    constraint: Constraint, name: str, condition: ConditionPart, environment: Dict[str, Any]
) -> Constraint:
    """Return the options for which a condition may hold; raise :class:`EmptyDomain`."""
    by_sort = asks_sort(condition.node, name)
    kept: List[Constraint] = []
    for option in options(constraint):
        values = values_of(option, environment)
        if values is not None:
            kept += _listed(values, option, name, condition, environment)
        elif not by_sort or _may_hold(option, name, condition, environment):
            kept.append(option)
    if list(options(constraint)) == kept:
        return constraint
    return any_of(kept)


def _listed(
    values: Sequence[Expression],
    option: Constraint,
    name: str,
    condition: ConditionPart,
    environment: Dict[str, Any],
) -> List[Constraint]:
    kept = [value for value in values if _holds(condition, name, value.value, environment)]
    if len(kept) == len(values):
        return [option]
    return [_froms(kept)] if kept else []


def _froms(values: Sequence[Expression]) -> Constraint:
    if all(value.literal for value in values):
        return listed([value.value for value in values])
    source = ", ".join(value.source for value in values)
    return Constraint("froms", (("values", Expression(f"[{source}]")),))


def _holds(condition: ConditionPart, name: str, value: Any, environment: Dict[str, Any]) -> bool:
    environment[name] = value
    try:
        return condition.holds(environment)
    finally:
        del environment[name]


def values_of(constraint: Constraint, environment: Mapping[str, Any]) -> Optional[List[Expression]]:
    """The values of a constraint that has few; ``None`` where it has many, or any number."""
    if constraint.kind == "bools":
        return [_literal(value) for value in (False, True)]
    if constraint.kind == "froms":
        return _possible_constraint(constraint, environment)
    if constraint.kind != "ints":
        return None
    from .domains import DimensionSizes, RemainingSteps, extent

    numbers = extent(constraint, RemainingSteps((), DimensionSizes({}, None)))
    if numbers.count() > MOST_LISTED:
        return None
    return [_literal(value) for value in numbers.integers(MOST_LISTED)]


def _literal(value: Any) -> Expression:
    return Expression(repr(value), literal=True, value=value)


def _possible_constraint(
    constraint: Constraint, environment: Mapping[str, Any]
) -> Optional[List[Expression]]:
    given = constraint["values"]
    if not isinstance(given, Expression):
        return None
    if given.literal:
        return [_literal(value) for value in given.value]
    try:
        nodes = _items(given.source)
        sources = [ast.unparse(node) for node in nodes]
        return [Expression(source, value=eval(source, dict(environment))) for source in sources]
    except Exception:
        return None


def _items(source: str) -> Sequence[ast.expr]:
    node = ast.parse(source.strip(), mode="eval").body
    if not isinstance(node, (ast.List, ast.Tuple)):
        raise Undecidable
    return node.elts


def asks_sort(node: ast.expr, name: str) -> bool:
    """Return whether a condition asks of an argument only its type, or whether it is None."""
    asked = [each for each in ast.walk(node) if isinstance(each, ast.Name) and each.id == name]
    excused = {id(each) for call in ast.walk(node) for each in _asked_sort(call)}
    return bool(asked) and all(id(each) in excused for each in asked)


def _asked_sort(node: ast.AST) -> Sequence[ast.expr]:
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Name):
        return node.args[:1] if node.func.id in _ASKS_SORT else []
    if isinstance(node, ast.Compare) and isinstance(node.ops[0], (ast.Is, ast.IsNot)):
        plain = all(isinstance(each, ast.Constant) for each in node.comparators)
        return [node.left] if plain else []
    return []


def _may_hold(
    option: Constraint, name: str, condition: ConditionPart, environment: Dict[str, Any]
) -> bool:
    try:
        sample = _sample(option.kind)
    except EmptyDomain:
        return True
    return _holds(condition, name, sample, environment)


def _sample(kind: str) -> Any:
    if kind in _SAMPLES:
        return _SAMPLES[kind]
    torch, numpy = sys.modules.get("torch"), sys.modules.get("numpy")
    if kind == "tensors" and torch is not None:
        return torch.empty(0)
    if kind == "np_arrays" and numpy is not None:
        return numpy.empty(0)
    raise EmptyDomain


def refined(
    constraint: Constraint, possible: Callable[[Any], bool], environment: Mapping[str, Any]
) -> Constraint:
    """The constraint without listed values that are not possible; raises :class:`EmptyDomain`."""
    kept: List[Constraint] = []
    for option in options(constraint):
        values = values_of(option, environment)
        left = None if values is None else [value for value in values if possible(value.value)]
        if left is None:
            kept.append(option)
        elif left:
            kept.append(_froms(left))
    return any_of(kept)


def equal(state: SolverState, left: ast.expr, right: ast.expr) -> None:
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
            against = expression_narrowing.extent(state, other)
            expression_narrowing.narrow(state, one, against)


def member(state: SolverState, node: ast.expr, container: ast.expr) -> None:
    """Let an expression be worth one of a container that is known."""
    if state.free(container) or not state.free(node):
        return
    values = state.known(container)
    if isinstance(values, str):
        return
    try:
        among(state, node, list(values))
    except TypeError as error:
        raise EmptyDomain from error


def among(state: SolverState, node: ast.expr, values: Sequence[Any]) -> None:
    """Let an expression be worth one of these values; raises :class:`EmptyDomain`."""
    numbers = [each for each in map(_number, values) if each is not None]
    if len(numbers) == len(values):
        expression_narrowing.narrow(state, node, those(numbers))
    seen = quantity_of(node, frozenset(state.constraints))
    if seen is not None:
        way = Way(seen.steps, state.dims)
        constraint = state.constraints[seen.argument]
        state.narrow(seen.argument, chosen(constraint, way, list(values)))


def _number(value: Any) -> Any:
    value = value.item() if hasattr(value, "item") and getattr(value, "ndim", 1) == 0 else value
    return value if isinstance(value, (int, float)) else None


def _pairwise(state: SolverState, node: ast.expr, other: Any) -> None:
    """``x.shape == (n, 3)``: element by element."""
    seen = quantity_of(node, frozenset(state.constraints))
    if seen is None:
        return
    if seen.steps and seen.steps[-1] == ("sides", None):
        rank = Quantity(seen.argument, (*seen.steps[:-1], ("rank", None)))
        expression_narrowing.narrow_look(state, rank, exactly(len(other.elts)))
    for place, item in enumerate(other.elts):
        one = ast.Subscript(node, ast.Constant(place), ast.Load())
        equal(state, one, item)


def _unique(state: SolverState, left: ast.expr, right: ast.expr) -> bool:
    """``len(set(x)) == len(x)``: no element twice."""
    for one, other in ((left, right), (right, left)):
        seen = quantity_of(other, frozenset(state.constraints))
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
    except Undecidable:
        return constraint


def _chosen(constraint: Constraint, way: Way, values: Sequence[Any]) -> Constraint:
    if constraint.kind == "anys":
        return domains.any_of(
            constraint_narrowing.each(
                domains.options(constraint), lambda one: chosen(one, way, values)
            )
        )
    if way.step == "dtype":
        return _of_dtypes(constraint, [str(value).rpartition(".")[2] for value in values])
    if way.step == "sides":
        return _of_shape(constraint, way, values)
    if way.step in ("item", "field"):
        inside = domains.inside_of(constraint, way)
        inside = inside if isinstance(inside, Constraint) else domains.single(inside)
        return constraint_narrowing.with_inside(constraint, way, _chosen(inside, way.rest, values))
    return constraint if way.step else _of_values(constraint, values)


def _of_values(constraint: Constraint, values: Sequence[Any]) -> Constraint:
    if constraint.kind == "strings":
        words = [value for value in values if isinstance(value, str) and _fits(constraint, value)]
        return domains.listed(words)
    if constraint.kind == "floats":
        among_ = domains.extent(constraint, Way((), DimensionSizes({}, None)))
        numbers = [float(v) for v in values if isinstance(v, (int, float)) and among_.holds(v)]
        return domains.listed(numbers)
    if constraint.kind in ("ints", "bools") and not any(_number(v) is not None for v in values):
        raise EmptyDomain
    if constraint.kind in domains.SEQUENCES and all(isinstance(v, (list, tuple)) for v in values):
        lists = [value for value in values if isinstance(value, list)]
        sizes = domains.extent(constraint, Way((("length", None),), DimensionSizes({}, None)))
        if len(lists) != 1 or not sizes.holds(len(lists[0])):
            raise Undecidable
        return domains.listed(lists)
    return constraint


def _fits(constraint: Constraint, value: str) -> bool:
    if constraint["pattern"] is not None or constraint["alphabet"] is not None:
        raise Undecidable
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
        raise Undecidable
    present = given.value if isinstance(given.value, (list, tuple)) else [given.value]
    kept = [name for name in present if str(name).rpartition(".")[2] in names]
    if not kept:
        raise EmptyDomain
    return domains.replaced(constraint, dtype=_dtype(kept))


def _dtype(names: Sequence[str]) -> Any:
    return expression(names[0]) if len(names) == 1 else domains.listed(list(names))


def _of_shape(constraint: Constraint, way: Way, values: Sequence[Any]) -> Constraint:
    if constraint.kind not in domains.ARRAYS or len(values) != 1:
        raise Undecidable
    try:
        sides: Tuple[int, ...] = tuple(int(side) for side in values[0])
    except (TypeError, ValueError) as error:
        raise EmptyDomain from error
    if constraint["shape"] is None and way.index is None:
        return domains.replaced(constraint, shape=SymbolicShape(sides).argument())
    before = shape_of(constraint["shape"])
    shape = before if way.index else before.of_rank(exactly(len(sides)))
    places = _places(shape, way.index, len(sides))
    for place, side in zip(places, sides):
        shape = shape.limited(place, exactly(side), way.dims, _narrow(way))
    return constraint_narrowing.with_shape(constraint, before, shape)


def _narrow(way: Way) -> Callable[[Constraint, NumberSet], Constraint]:
    return lambda side, numbers: constraint_narrowing.limited(side, Way((), way.dims), numbers)


def _places(
    shape: SymbolicShape, ends: Optional[Tuple[Optional[int], Optional[int]]], count: int
) -> Sequence[int]:
    """The indices that a slice of a shape stands for; raises Unclear, Empty."""
    low, high = ends or (None, None)
    if shape.gap is None:
        places = range(*slice(low, high).indices(len(shape.sides)))
        if len(places) != count:
            raise EmptyDomain
        return places
    if low is not None and low < 0 and high is None and -low == count:
        return range(low, 0)
    if not low and high is not None and high == count:
        return range(high)
    raise Undecidable
