"""Relations between results that hold on base for all inputs tried, and not on head.

They make another result than on base more than a notice: an argument that made a
difference makes none, rows of a batch depend on each other, half precision is another
function, or what was never negative is.
"""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, cast

from analyzers.properties import messages
from analyzers.properties.base_search import ComparedRun
from analyzers.properties.call_variants import KnownCall, one_row, with_dtype
from analyzers.properties.changed_results import MOST_NUMBERS
from analyzers.vocabulary import JsonObject, Returned, Run

LEAST_PAIRS, LEAST_RUNS = 2, 20
_CLOSE = {"float16": 5e-2, "float64": 1e-3}
_Described = Mapping[str, Any]
_Pair = tuple[ComparedRun, ComparedRun]
_Sides = Callable[[ComparedRun], Run]


def broken_relations(runs: Sequence[ComparedRun]) -> Iterator[str]:
    """Yield a sentence on each relation that holds on base and fails on head."""
    usual = [each for each in runs if each.call is not None and _both_returned(each)]
    for name in _ignored(usual):
        yield messages.ignored_argument(name)
    if _breaks(list(_pairs(usual, one_row)), _is_row):
        yield messages.DEPENDENT_ROWS
    for dtype, tolerance in _CLOSE.items():
        pairs = [
            (one, other)
            for one, other in _pairs(usual, lambda call: with_dtype(call, "float32"))
            if f"dtype='{dtype}'" in str(one.call)
        ]

        def close(one: JsonObject, other: JsonObject, tolerance: float = tolerance) -> bool | None:
            return _is_close(one, other, tolerance)

        if _breaks(pairs, close):
            yield messages.other_precision(dtype)
    if _turns_negative([each for each in usual if not each.guessed]):
        yield messages.NEGATIVE
    for sentence, holds in _INVARIANTS.items():
        if _loses(usual, holds):
            yield sentence


def _both_returned(run: ComparedRun) -> bool:
    return all(_result(each) is not None for each in (run.base, run.head))


def _result(run: Run) -> JsonObject | None:
    ending = run.ending
    seen = ending.observation if isinstance(ending, Returned) else None
    return None if seen is None else cast("JsonObject", seen["result"])


# ------------------------------------------------------------- ignored arguments


def _ignored(runs: Sequence[ComparedRun]) -> Iterator[str]:
    """Yield the arguments that change results on base, and none on head."""
    names = {name for each in runs if each.call for name in each.call.given}
    for name in sorted(names):
        pairs = list(_differing_in(name, runs))
        effects = [(_differ(pair, _base), _differ(pair, _head)) for pair in pairs]
        on_base = sum(base for base, _ in effects)
        if on_base >= LEAST_PAIRS and not any(head for _, head in effects):
            yield name


def _differing_in(name: str, runs: Sequence[ComparedRun]) -> Iterator[_Pair]:
    groups: dict[str, list[ComparedRun]] = defaultdict(list)
    for each in runs:
        given = dict(each.call.given) if each.call else {}
        given.pop(name, None)
        groups[str(sorted(given.items()))].append(each)
    for group in groups.values():
        for other in group[1:]:
            yield group[0], other


def _base(run: ComparedRun) -> Run:
    return run.base


def _head(run: ComparedRun) -> Run:
    return run.head


def _differ(pair: _Pair, side: _Sides) -> bool:
    return _result(side(pair[0])) != _result(side(pair[1]))


# ------------------------------------------------------------- pairs of variants


def _pairs(
    runs: Sequence[ComparedRun], varied: Callable[[KnownCall], KnownCall]
) -> Iterator[_Pair]:
    """Yield the runs whose variant was run too, with that run."""
    known = {str(sorted(each.call.given.items())): each for each in runs if each.call}
    for each in runs:
        if each.call is not None:
            other = known.get(str(sorted(varied(each.call).given.items())))
            if other is not None and other is not each:
                yield each, other


def _breaks(pairs: Sequence[_Pair], holds: Callable[..., bool | None]) -> bool:
    """Return whether a relation holds for all pairs on base, and fails for one on head."""
    told = [_holds_for(pair, holds) for pair in pairs]
    known = [(base, head) for base, head in told if base is not None and head is not None]
    enough = len(known) >= LEAST_PAIRS
    return enough and all(base for base, _ in known) and not all(head for _, head in known)


def _holds_for(pair: _Pair, holds: Callable[..., bool | None]) -> tuple[bool | None, bool | None]:
    return (
        holds(_result(pair[0].base), _result(pair[1].base)),
        holds(_result(pair[0].head), _result(pair[1].head)),
    )


def _array(result: Mapping[str, Any]) -> Mapping[str, Any] | None:
    """Return the array that a result is, or the first of its parts."""
    if result["kind"] == "parts" and result["access"] == "index" and result["parts"]:
        return _array(next(iter(result["parts"].values())))
    known = result["kind"] == "array" and result["numbers"]
    return result if known else None


def _is_row(batch: JsonObject, row: JsonObject) -> bool | None:
    """Return whether a row alone gives the first row of the batch's result."""
    whole, one = _array(batch), _array(row)
    if whole is None or one is None or not one["shape"] or one["shape"][0] != 1:
        return None
    alike = whole["shape"][1:] == one["shape"][1:] and whole["shape"][:1] > [1]
    if not alike or math.prod(whole["shape"]) > MOST_NUMBERS:
        return None
    return _near(whole["numbers"][: len(one["numbers"])], one["numbers"], 1e-3)


def _is_close(one: JsonObject, other: JsonObject, tolerance: float) -> bool | None:
    ours, theirs = _array(one), _array(other)
    if ours is None or theirs is None or ours["shape"] != theirs["shape"]:
        return None
    return _near(ours["numbers"], theirs["numbers"], tolerance)


def _near(ours: Sequence[Any], theirs: Sequence[Any], tolerance: float) -> bool | None:
    pairs = list(zip(ours, theirs, strict=True))
    if any(isinstance(each, str) for pair in pairs for each in pair):
        return None
    scale = max((abs(b) for _, b in pairs), default=0.0)
    return all(abs(a - b) <= tolerance * (1 + abs(b) + scale) for a, b in pairs)


def _turns_negative(runs: Sequence[ComparedRun]) -> bool:
    """Return whether results are never negative on base, and some are on head."""
    sides = [(_least(_result(each.base)), _least(_result(each.head))) for each in runs]
    known = [(base, head) for base, head in sides if base is not None and head is not None]
    above = len(known) >= LEAST_RUNS and all(base >= 0 for base, _ in known)
    return above and any(base > 0 for base, _ in known) and any(head < 0 for _, head in known)


def _loses(runs: Sequence[ComparedRun], holds: Callable[[_Described], bool | None]) -> bool:
    """Return whether something holds of all results on base, and of some on head no more."""
    told = [(_told(each.base, holds), _told(each.head, holds), each) for each in runs]
    known = [(base, head, each) for base, head, each in told if None not in (base, head)]
    various = {str(_result(each.base)) for _, _, each in known}
    always = len(various) >= LEAST_RUNS and all(base for base, _, _ in known)
    return always and not all(head for _, head, _ in known)


def _told(run: Run, holds: Callable[[_Described], bool | None]) -> bool | None:
    result = _result(run)
    array = None if result is None else _array(result)
    return None if array is None else holds(array)


def _sums_to_one(array: _Described) -> bool | None:
    """Return whether what stands along the last dimension sums to one."""
    shape, numbers = array["shape"], array["numbers"]
    plain = all(isinstance(each, float | int) for each in numbers)
    if not shape or shape[-1] < 2 or math.prod(shape) != len(numbers) or not plain:
        return None
    rows = [numbers[at : at + shape[-1]] for at in range(0, len(numbers), shape[-1])]
    return all(abs(sum(row) - 1) < 1e-2 for row in rows)


_INVARIANTS = {messages.SUM: _sums_to_one}


def _least(result: Mapping[str, Any] | None) -> float | None:
    if result is None:
        return None
    if result["kind"] == "number" and not isinstance(result["number"], str):
        return float(result["number"])
    array = _array(result)
    numbers = [] if array is None else [e for e in array["numbers"] if not isinstance(e, str)]
    return min(numbers, default=None)
