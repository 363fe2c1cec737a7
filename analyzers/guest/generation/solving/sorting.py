"""Values that can be listed, and sorts of values: tried one by one against a condition."""

from __future__ import annotations

import ast
import sys
from typing import Any, Callable, Dict, List, Mapping, Optional, Sequence

from ...annotations.nouns import Constraint, Expression
from .conditions import Part
from .domains import any_of, listed, options
from .numbers import Empty
from .shaping import Unclear

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


def sorted_out(
    constraint: Constraint, name: str, condition: Part, environment: Dict[str, Any]
) -> Constraint:
    """The options of which a condition on this argument alone may hold; raises :class:`Empty`."""
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
    condition: Part,
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


def _holds(condition: Part, name: str, value: Any, environment: Dict[str, Any]) -> bool:
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
        return _chosen(constraint, environment)
    if constraint.kind != "ints":
        return None
    from .domains import Look, extent
    from .shaping import Dims

    numbers = extent(constraint, Look((), Dims({}, None)))
    if numbers.count() > MOST_LISTED:
        return None
    return [_literal(value) for value in numbers.integers(MOST_LISTED)]


def _literal(value: Any) -> Expression:
    return Expression(repr(value), literal=True, value=value)


def _chosen(constraint: Constraint, environment: Mapping[str, Any]) -> Optional[List[Expression]]:
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
        raise Unclear
    return node.elts


def asks_sort(node: ast.expr, name: str) -> bool:
    """Whether a condition asks for nothing of an argument but its type, or whether it is None."""
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


def _may_hold(option: Constraint, name: str, condition: Part, environment: Dict[str, Any]) -> bool:
    """Whether a condition on the sort of a value holds of an option's; yes where in doubt."""
    try:
        sample = _sample(option.kind)
    except Empty:
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
    raise Empty


def refined(
    constraint: Constraint, possible: Callable[[Any], bool], environment: Mapping[str, Any]
) -> Constraint:
    """The constraint without listed values that are not possible; raises :class:`Empty`."""
    kept: List[Constraint] = []
    for option in options(constraint):
        values = values_of(option, environment)
        left = None if values is None else [value for value in values if possible(value.value)]
        if left is None:
            kept.append(option)
        elif left:
            kept.append(_froms(left))
    return any_of(kept)
