"""Argument matching (DeepREL, section 4.2): a template from two parameter lists."""

from __future__ import annotations

import keyword
import math
from dataclasses import replace
from functools import lru_cache
from typing import Any, Iterable, Mapping, Optional, Sequence

from ...inputs.recipes import BadRecipe, evaluate
from ..relation_types import LAYER, ApiParameter, Library, LibraryApi, LiveCall, Namespace

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
    """Return a parameter's name without the stars of ``*args``."""
    return name.lstrip("*")


@lru_cache(maxsize=65536)
def of_names(first: str, second: str) -> float:
    """Return equation 11; names that mean the same (``dim``, ``axis``) are equal."""
    if first == second or any(first in same and second in same for same in _SAME):
        return 1.0
    return 1.0 - _levenshtein(first, second) / max(len(first), len(second), 1)


def _levenshtein(first: str, second: str) -> int:
    row: list[int] = list(range(len(second) + 1))
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


def bind_arguments(source: LibraryApi, live: LiveCall) -> dict[str, Any]:
    """Return values by parameter, sizes as one tuple; raises :class:`TemplateInapplicable`."""
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


def _sizes(given: Sequence[Any]) -> tuple[Any, ...]:
    """Return sizes given one by one, or as one sequence."""
    found = given[0] if len(given) == 1 and isinstance(given[0], (tuple, list)) else given
    if not all(hasattr(item, "__index__") for item in found):
        raise TemplateInapplicable("these are no sizes")
    return tuple(found)


def _positional(parameters: Sequence[ApiParameter], given: Sequence[Any]) -> dict[str, Any]:
    values: dict[str, Any] = {}
    rest: list[Any] = list(given)
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
    """Return whether a value is what the parameter has when it is not given."""
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


def types_of(api: LibraryApi, live: LiveCall, library: Library) -> dict[str, str]:
    """The types that a call gives, by the parameters' bare names; none where it does not fit."""
    try:
        values = bind_arguments(api, live)
    except TemplateInapplicable:
        return {}
    return {name: type_of(value, library) for name, value in values.items()}


def with_types(api: LibraryApi, types: Mapping[str, Iterable[str]]) -> LibraryApi:
    """Return the API with more types for its parameters, by their bare names."""
    taken = tuple(
        replace(item, types=item.types.union(types.get(bare(item.name), ())))
        for item in api.parameters
    )
    return replace(api, parameters=taken)


def type_of(value: Any, library: Library) -> str:
    """Return the name of a value's type; that of arrays is the same for all libraries."""
    if library.is_array(value):
        return "tensor"
    return "None" if value is None else type(value).__name__


def assignment(weights: Sequence[Sequence[float]]) -> list[Optional[int]]:
    """Return for each row its column in the heaviest full matching; ``None`` with more rows."""
    if not weights or not weights[0]:
        return [None] * len(weights)
    if len(weights) <= len(weights[0]):
        return list(_columns(weights))
    chosen: list[Optional[int]] = [None] * len(weights)
    for column, row in enumerate(_columns(list(zip(*weights)))):
        chosen[row] = column
    return chosen


def _columns(weights: Sequence[Sequence[float]]) -> list[int]:
    """Return the same for at most as many rows as columns (Kuhn and Munkres), rows from 1."""
    count = len(weights[0]) + 1
    of_row, of_column, owner = [0.0] * (len(weights) + 1), [0.0] * count, [0] * count
    for row in range(1, len(weights) + 1):
        slack, before, seen = [math.inf] * count, [0] * count, [False] * count
        here, owner[0] = 0, row
        while owner[here]:  # grow the tree of tight edges until it meets a free column
            seen[here] = True
            for at in range(1, count):
                reduced = -weights[owner[here] - 1][at - 1] - of_row[owner[here]] - of_column[at]
                if not seen[at] and reduced < slack[at]:
                    slack[at], before[at] = reduced, here
            here = min((at for at in range(1, count) if not seen[at]), key=slack.__getitem__)
            step = slack[here]
            for at, was_seen in enumerate(seen):
                if was_seen:
                    of_row[owner[at]] += step
                    of_column[at] -= step
                else:
                    slack[at] -= step
        while here:
            owner[here], here = owner[before[here]], before[here]
    return [owner.index(row, 1) - 1 for row in range(1, len(weights) + 1)]


_NEVER = -1000.0


def assignment_template(source: LibraryApi, target: LibraryApi) -> Optional[str]:
    """Return the target's call with the source's arguments, or ``None`` where one is left over.

    A template over the names of the source's parameters, such as
    ``torch.tensor_split(input, indices_or_sections)``,
    ``torch.nn.Softshrink(lambd=lambd)(input)`` or ``torch.Tensor.abs_(input)``.
    Required parameters of either are all matched; optional ones only where
    their names are alike, and otherwise keep their defaults.
    """
    matched = _matched(source.parameters, target.parameters)
    names = [bare(parameter.name) for parameter in (matched or {}).values()]
    if matched is None or any(not n.isidentifier() or keyword.iskeyword(n) for n in names):
        return None
    outer = [item for item in target.parameters if not item.is_input]
    made = f"{target.name}({', '.join(_arguments(outer, matched))})"
    if target.kind != LAYER:
        return made
    inputs = _inputs([item for item in target.parameters if item.is_input], matched)
    return None if inputs is None else f"{made}({', '.join(inputs)})"


def _matched(
    sources: Sequence[ApiParameter], targets: Sequence[ApiParameter]
) -> Optional[dict[str, ApiParameter]]:
    """Return the source's parameter for each matched one of the target, required ones first."""
    needed = {id(item) for item in (*sources, *targets) if item.required}
    for some in (False, True):
        pairs = _best(sources, targets, some)
        if needed <= {id(item) for pair in pairs for item in pair}:
            return {right.name: left for left, right in pairs}
    return None


def _best(
    sources: Sequence[ApiParameter], targets: Sequence[ApiParameter], only_required: bool
) -> list[tuple[ApiParameter, ApiParameter]]:
    longest = max(len(sources), len(targets), 1)

    def weight(row: int, column: int) -> float:
        """Return equation 10: names (11), shares of types (12) and positions (13)."""
        left, right = sources[row], targets[column]
        if _are_apart(left, right, only_required):
            return _NEVER
        types = len(left.types & right.types) / max(len(left.types), 1)
        names = of_names(bare(left.name), bare(right.name))
        return names + types + 1.0 - abs(row - column) / longest

    columns = range(len(targets))
    weights = [[weight(row, column) for column in columns] for row in range(len(sources))]
    chosen = assignment(weights)
    return [
        (sources[row], targets[column])
        for row, column in enumerate(chosen)
        if column is not None and weights[row][column] > _NEVER
    ]


def _are_apart(left: ApiParameter, right: ApiParameter, only_required: bool) -> bool:
    if right.name.startswith("**") or left.name.startswith("**"):
        return True
    alike = of_names(bare(left.name), bare(right.name)) >= ALIKE
    if left.required and right.required:
        return False
    if not left.required and not right.required:
        return not alike
    return only_required and not alike


def _arguments(parameters: Sequence[ApiParameter], matched: dict[str, ApiParameter]) -> list[str]:
    """Return what is required by position while nothing is left out, the rest by keyword."""
    positional: list[str] = []
    keywords: list[str] = []
    gap = False
    for parameter in parameters:
        given = matched.get(parameter.name)
        if given is not None and parameter.name.startswith("*"):
            known = given.types and not given.name.startswith("*")
            is_sequence = not known or not given.types.isdisjoint(("tuple", "list", "Size"))
            positional.append(("*" if is_sequence else "") + bare(given.name))
        elif given is not None and not gap and parameter.required and not parameter.keyword_only:
            positional.append(bare(given.name))
        elif given is not None:
            keywords.append(f"{bare(parameter.name)}={bare(given.name)}")
        gap = gap or given is None or not parameter.required
    return positional + keywords


def _inputs(
    parameters: Sequence[ApiParameter], matched: dict[str, ApiParameter]
) -> Optional[list[str]]:
    """Return inputs by position: nothing may follow one that is left out."""
    given = [matched.get(parameter.name) for parameter in parameters]
    while given and given[-1] is None:
        given.pop()
    if None in given:
        return None
    return [
        ("*" if parameter.name.startswith("*") else "") + bare(left.name)
        for parameter, left in zip(parameters, given)
        if left is not None
    ]
