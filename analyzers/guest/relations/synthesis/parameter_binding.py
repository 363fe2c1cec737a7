"""What a live call gives to each parameter of its API."""

from __future__ import annotations

from dataclasses import replace
from functools import lru_cache
from typing import Any, Dict, Iterable, List, Mapping, Sequence, Set, Tuple

from ...inputs.recipes import BadRecipe, evaluate
from ..relation_types import ApiParameter, Library, LibraryApi, LiveCall, Namespace

ALIKE = 0.5
"""From which name similarity on optional parameters may stand for each other."""

_SAME = (
    {"dim", "axis", "dims", "axes"},
    {"keepdim", "keepdims"},
    {"input", "self", "x", "a", "tensor", "inputs"},
    {"other", "x2", "y", "b"},
    {"tensors", "arrays", "xs", "seq"},
)


def bare(name: str) -> str:
    """A parameter's name without the stars of ``*args``."""
    return name.lstrip("*")


def of_parameters(source: ApiParameter, target: ApiParameter, positions: float) -> float:
    """Equation 10: name + types + position (already computed), each of 0 to 1."""
    return of_names(bare(source.name), bare(target.name)) + of_types(source, target) + positions


@lru_cache(maxsize=65536)
def of_names(first: str, second: str) -> float:
    """Equation 11, where names that mean the same by convention (``dim``, ``axis``) are equal."""
    if first == second or any(first in same and second in same for same in _SAME):
        return 1.0
    return 1.0 - _levenshtein(first, second) / max(len(first), len(second), 1)


def of_types(source: ApiParameter, target: ApiParameter) -> float:
    """Equation 12: the part of the source's types that the target takes; 0 where none is known."""
    if not source.types:
        return 0.0
    return len(source.types & target.types) / len(source.types)


def of_positions(first: int, second: int, longest: int) -> float:
    """Equation 13."""
    return 1.0 - abs(first - second) / max(longest, 1)


def _levenshtein(first: str, second: str) -> int:
    row: List[int] = list(range(len(second) + 1))
    for count, left in enumerate(first, 1):
        corner, row[0] = row[0], count
        for index, right in enumerate(second, 1):
            corner, row[index] = (
                row[index],
                min(row[index] + 1, row[index - 1] + 1, corner + (left != right)),
            )
    return row[-1]


class TemplateInapplicable(BadRecipe):
    """A call of which a template says nothing: the relation neither holds nor fails there."""


def bind_arguments(source: LibraryApi, live: LiveCall) -> Dict[str, Any]:
    """The values by the parameters' names without stars; those not given are left out.

    ``*args`` becomes a tuple, and so do sizes, however they are given.  Raises
    :class:`Inapplicable` for a call that does not fit the parameters.
    """
    outer = [item for item in source.parameters if not item.is_input]
    values = _positional([item for item in outer if not item.keyword_only], live.arguments)
    sizes = {bare(item.name) for item in outer if (item.name.startswith("*") and item.required)}
    names = {bare(item.name) for item in outer if not item.name.startswith("*")} | sizes
    for name, value in live.keywords.items():
        if name not in names or values.get(name, ()) != ():
            raise TemplateInapplicable(f"{source.name} is not known to take {name!r} here")
        values[name] = (value,) if name in sizes else value
    values.update((name, _sizes(values[name])) for name in sizes & set(values))
    inputs = [item for item in source.parameters if item.is_input]
    values.update(_positional(inputs, live.inputs or []))
    return values


def _sizes(given: Sequence[Any]) -> Tuple[Any, ...]:
    """Sizes given one by one, or as one sequence."""
    found = given[0] if len(given) == 1 and isinstance(given[0], (tuple, list)) else given
    if not all(hasattr(item, "__index__") for item in found):
        raise TemplateInapplicable("these are no sizes")
    return tuple(found)


def _positional(parameters: Sequence[ApiParameter], given: Sequence[Any]) -> Dict[str, Any]:
    values: Dict[str, Any] = {}
    rest: List[Any] = list(given)
    for parameter in parameters:
        if parameter.name.startswith("**"):
            continue
        if parameter.name.startswith("*"):
            values[bare(parameter.name)] = tuple(rest)
            rest = []
        elif rest:
            values[parameter.name] = rest.pop(0)
    if rest:
        raise TemplateInapplicable(f"{len(rest)} arguments more than parameters are known")
    return values


def is_default(parameter: ApiParameter, value: Any, namespace: Namespace) -> bool:
    """Whether a value is what the parameter has when it is not given."""
    if parameter.name.startswith("*") and value == ():
        return True
    if value is None and not parameter.required and parameter.default is None:
        return True
    if parameter.default is None or isinstance(value, complex):
        return False
    default = evaluate(parameter.default, namespace)
    if default is value:
        return True
    plain = (bool, int, float, str, tuple)
    return (
        type(default) is type(value) and isinstance(value, plain) and repr(default) == repr(value)
    )


def with_seen_types(api: LibraryApi, lives: Iterable[LiveCall], library: Library) -> LibraryApi:
    """The API with the types that these calls of it give to its parameters."""
    seen: Dict[str, Set[str]] = {}
    for live in lives:
        for name, kind in types_of(api, live, library).items():
            seen.setdefault(name, set()).add(kind)
    return with_types(api, seen)


def types_of(api: LibraryApi, live: LiveCall, library: Library) -> Dict[str, str]:
    """The types that a call gives, by the parameters' bare names; none where it does not fit."""
    try:
        values = bind_arguments(api, live)
    except TemplateInapplicable:
        return {}
    return {name: type_of(value, library) for name, value in values.items()}


def with_types(api: LibraryApi, types: Mapping[str, Iterable[str]]) -> LibraryApi:
    """The API with more types for its parameters, by their bare names."""
    taken = tuple(
        replace(item, types=item.types.union(types.get(bare(item.name), ())))
        for item in api.parameters
    )
    return replace(api, parameters=taken)


def type_of(value: Any, library: Library) -> str:
    """The name of a value's type; that of arrays is the same for all libraries."""
    if library.is_array(value):
        return "tensor"
    return "None" if value is None else type(value).__name__
