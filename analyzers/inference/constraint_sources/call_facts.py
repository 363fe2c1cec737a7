"""From several calls to what they have in common."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from analyzers.guest.annotations.constraints import Constraint, Expression
from analyzers.guest.annotations.syntax import render
from analyzers.vocabulary import ObservedCall

from ..constraints.constraint_builders import array_text, ints_text, parse_constraint
from ..facts import (
    Confidence,
    ConstraintSource,
    Fact,
    FunctionContext,
    InferredConstraint,
    InferredRequirement,
)
from .call_sites import ProjectCallSite, project_call_sites

_FEW = 8
ARRAYS = ("tensors", "np_arrays", "jax_arrays")
_PLAIN = (bool, int, float, str, type(None), list, tuple, dict)
Call = Mapping[str, Constraint]


def exact_values(constraints: Sequence[Constraint]) -> Constraint | None:
    """One of the values that were seen; ``None`` where one is no plain value."""
    texts: dict[str, None] = {}
    for each in constraints:
        values = each.value("values") if each.kind == "froms" else None
        if not isinstance(values, list | tuple):
            return None
        for value in values:
            texts[repr(value)] = None
    return parse_constraint(f"froms([{', '.join(texts)}])") if texts else None


def generalized(calls: Sequence[Call]) -> Iterator[tuple[str, Constraint, bool]]:
    """For each parameter a constraint that all calls meet; whether it says more than they do."""
    dims = _dimensions(calls)
    for name in dict.fromkeys(name for call in calls for name in call):
        seen = [call[name] for call in calls if name in call]
        found = _one(name, seen, dims)
        if found is not None:
            yield name, found, any(render(each) != render(found) for each in seen)


def _one(
    name: str, seen: Sequence[Constraint], dims: Mapping[tuple[str, int], str]
) -> Constraint | None:
    kinds = {each.kind for each in seen}
    if len(kinds) == 1 and seen[0].kind in ARRAYS:
        return _arrays(name, seen, dims) or _each_of(seen)
    if kinds <= {"froms", "ints"}:
        return _numbers(seen)
    texts = {render(each) for each in seen}
    return seen[0] if len(texts) == 1 else None


def _each_of(seen: Sequence[Constraint]) -> Constraint | None:
    """One of a few arrays that have nothing in common but their kind."""
    texts = list(dict.fromkeys(render(each) for each in seen))
    return parse_constraint(f"anys({', '.join(texts)})") if len(texts) <= _FEW else None


def _numbers(seen: Sequence[Constraint]) -> Constraint | None:
    values: list[Any] = []
    for each in seen:
        if each.kind == "ints":
            values += [each.value("min"), each.value("max")]
        else:
            values += each.value("values", [])
    kinds = {type(each) for each in values}
    if not kinds or not kinds <= set(_PLAIN):
        return None
    if kinds == {int} and len(set(values)) > 1:
        return parse_constraint(ints_text(min(values), max(values)))
    if kinds <= {int, float} and float in kinds and len(set(values)) > 1:
        return parse_constraint(f"floats(min={float(min(values))!r}, max={float(max(values))!r})")
    if kinds == {bool} and len(set(values)) > 1:
        return parse_constraint("bools()")
    return exact_values(seen) if all(each.kind == "froms" for each in seen) else None


def shape_of(found: Constraint) -> tuple[Any, ...] | None:
    """The sizes of an array, as far as they are written as numbers or words."""
    given = found["shape"]
    if not isinstance(given, tuple):
        return None
    return tuple(
        each.value if isinstance(each, Expression) and each.literal else None for each in given
    )


def _dimensions(calls: Sequence[Call]) -> dict[tuple[str, int], str]:
    vectors: dict[tuple[str, int], tuple[Any, ...]] = {}
    for name in dict.fromkeys(name for call in calls for name in call):
        shapes = [shape_of(call[name]) if name in call else None for call in calls]
        known = [shape for shape in shapes if shape is not None]
        if len({len(shape) for shape in known}) != 1 or len(known) != len(calls):
            continue
        for index in range(len(known[0])):
            vectors[name, index] = tuple(shape[index] for shape in known)
    return {place: _word(sizes, vectors) for place, sizes in vectors.items()}


def _word(
    sizes: tuple[Any, ...],
    vectors: Mapping[tuple[str, int], tuple[Any, ...]],
) -> str:
    if len(set(sizes)) == 1:
        return repr(sizes[0])
    alike = [each for each, other in vectors.items() if other == sizes]
    if len(alike) > 1 or not all(isinstance(each, int) for each in sizes):
        names = list(dict.fromkeys(vectors.values()))
        return repr(f"n{names.index(sizes)}")
    return ints_text(min(sizes), max(sizes))


def _arrays(
    name: str, seen: Sequence[Constraint], dims: Mapping[tuple[str, int], str]
) -> Constraint | None:
    shapes = [shape_of(each) for each in seen]
    dtypes = {each.value("dtype") for each in seen}
    words = _words(name, shapes, dims)
    if words is None or len(dtypes) != 1:
        return None
    lows, highs = [e.value("min") for e in seen], [e.value("max") for e in seen]
    more: dict[str, object] = {"dtype": dtypes.pop()}
    if None not in lows and None not in highs:
        more |= {"min": min(lows), "max": max(highs)}
    return parse_constraint(array_text(seen[0].kind, words, more))


def _words(
    name: str, shapes: Sequence[tuple[Any, ...] | None], dims: Mapping[tuple[str, int], str]
) -> list[str] | None:
    first = shapes[0]
    if first is None or any(each is None or len(each) != len(first) for each in shapes):
        return None
    if all((name, index) in dims for index in range(len(first))):
        return [dims[name, index] for index in range(len(first))]
    return [repr(size) for size in first] if len(set(shapes)) == 1 else None


def facts(subject: FunctionContext) -> Iterator[Fact]:
    """The values that calls give, and what they have in common."""
    found = list(project_call_sites(subject))
    yield from _shared_sizes(found)
    for source in (ConstraintSource.TEST, ConstraintSource.CALL, ConstraintSource.DOCUMENT):
        yield from _facts([each for each in found if each.source is source], source)


def _shared_sizes(found: Sequence[ProjectCallSite]) -> Iterator[InferredRequirement]:
    """Yield the numbers that are the size of an array in all calls that give both."""
    pairs: dict[tuple[str, str, int], list[tuple[int, int]]] = {}
    for site in found:
        numbers, shapes = _numbers_and_shapes(site.arguments)
        for number, value in numbers.items():
            for name, shape in shapes.items():
                for place, size in enumerate(shape):
                    pairs.setdefault((number, name, place), []).append((value, size))
    for (number, name, place), values in pairs.items():
        if len(set(values)) > 1 and all(value == size for value, size in values):
            condition = f"{number} is None or {name}.shape[{place}] == {number}"
            where = next(each.where for each in found if number in each.arguments)
            yield InferredRequirement(condition, found[0].source, Confidence.LIKELY, where)


def _numbers_and_shapes(call: Call) -> tuple[dict[str, int], dict[str, tuple[Any, ...]]]:
    values = {name: each.value("values") for name, each in call.items() if each.kind == "froms"}
    numbers = {
        name: each[0]
        for name, each in values.items()
        if isinstance(each, list) and len(each) == 1 and type(each[0]) is int
    }
    shapes = {name: shape_of(each) for name, each in call.items() if each.kind in ARRAYS}
    return numbers, {name: each for name, each in shapes.items() if each is not None}


def _facts(found: Sequence[ProjectCallSite], source: ConstraintSource) -> Iterator[Fact]:
    calls = [each.arguments for each in found]
    names = dict.fromkeys(name for call in calls for name in call)
    for name in names:
        seen = [each for each in found if name in each.arguments]
        values = exact_values([each.arguments[name] for each in seen])
        if values is not None:
            yield InferredConstraint(name, values, source, Confidence.STRONG, seen[0].where)
    for name, found_, more in generalized(calls):
        if exact_values([found_]) is None:
            where = next(each.where for each in found if name in each.arguments)
            sure = Confidence.LIKELY if more else Confidence.STRONG
            yield InferredConstraint(name, found_, source, sure, where)


def recorded_call_facts(subject: FunctionContext, calls: Sequence[ObservedCall]) -> Iterator[Fact]:
    """Constraints that hold of what was recorded; calls that raised say nothing."""
    good = [each for each in calls if each.function == subject.function and not each.raised]
    distinct = list(_recorded(subject, good))
    if not distinct:
        return
    where = good[0].test
    for name in dict.fromkeys(name for call in distinct for name in call):
        values = exact_values([call[name] for call in distinct if name in call])
        if values is not None:
            yield InferredConstraint(name, values, ConstraintSource.TEST, Confidence.STRONG, where)
    for name, found, _ in generalized(distinct):
        if exact_values([found]) is None:
            yield InferredConstraint(
                name, found, ConstraintSource.TEST, _sure(name, found, distinct), where
            )


def known_calls(subject: FunctionContext, recorded: Sequence[ObservedCall]) -> Iterator[Call]:
    """Yield the arguments of calls that were recorded, or are written; none that raised."""
    good = [each for each in recorded if each.function == subject.function and not each.raised]
    yield from _recorded(subject, good)
    yield from (each.arguments for each in project_call_sites(subject))


def _recorded(
    subject: FunctionContext, calls: Sequence[ObservedCall]
) -> Iterator[dict[str, Constraint]]:
    names = {each.arg for each in subject.parameters}
    different: dict[str, dict[str, Constraint]] = {}
    for each in calls:
        read = {name: parse_constraint(text) for name, text in each.arguments.items()}
        known = {name: found for name, found in read.items() if found and name in names}
        different[repr([(name, render(found)) for name, found in known.items()])] = known
    yield from (call for call in different.values() if call)


def _sure(name: str, found: Constraint, calls: Sequence[dict[str, Constraint]]) -> Confidence:
    """Two calls that differ say that what lies between them is valid; numbers less so."""
    texts = {render(call[name]) for call in calls if name in call}
    if texts == {render(found)} or (found.kind not in ("ints", "floats") and len(texts) > 1):
        return Confidence.STRONG
    return Confidence.LIKELY
