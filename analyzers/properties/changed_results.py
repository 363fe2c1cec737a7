"""Comparison of the results that the same inputs have on base and on head.

Base is the oracle of a change: what differs is told with a condition that holds on
base and does not on head, so that it can be run again by itself.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, cast

from analyzers.vocabulary import JsonObject

MOST_NUMBERS = 64
"""As many elements of an array the guest describes, at even steps (observation.py)."""
_TOLERANCES: Mapping[str, tuple[float, float]] = {
    "float64": (1e-7, 1e-9),
    "float32": (1e-3, 1e-5),
    "float16": (2e-2, 1e-2),
    "bfloat16": (1e-1, 5e-2),
}
"""The relative and the absolute difference that rounding in another order may make."""
STRUCTURE = frozenset({"type", "shape", "dtype", "device", "size"})
NON_FINITE = "non-finite"
Described = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class ResultDifference:
    """One difference between two observations of a call.

    ``condition`` holds on base and not on head; ``before`` and ``after`` say what is at
    ``place``, an expression over ``result`` and the parameters, or at its ``element``.
    ``amount`` is the largest absolute difference of numbers.
    """

    kind: str
    place: str
    condition: str
    before: str
    after: str
    amount: float = 0.0
    element: str = ""


def result_difference(base: JsonObject, head: JsonObject) -> ResultDifference | None:
    """Return the most telling difference of two observations; ``None`` where they agree.

    Values are compared only where both calls, constructors included, drew the same
    random numbers, or none.
    """
    drew = bool(base["random"] or head["random"]) and not base.get("state")
    drew = drew or base.get("state") != head.get("state")
    pairs = [("result", base["result"], head["result"])]
    before, after = cast("Described", base["arguments"]), cast("Described", head["arguments"])
    pairs += [(name, each, after[name]) for name, each in before.items() if name in after]
    found = [
        difference
        for place, ours, theirs in pairs
        for difference in _differences(place, cast("Described", ours), cast("Described", theirs))
        if not drew or difference.kind in STRUCTURE
    ]
    return min(found, key=_rank, default=None)


def _rank(difference: ResultDifference) -> int:
    if difference.kind == NON_FINITE:
        return 0
    return 1 if difference.kind in STRUCTURE else 2


def _differences(place: str, base: Described, head: Described) -> Iterator[ResultDifference]:
    if (base["kind"], base["type"]) != (head["kind"], head["type"]):
        if "object" in (base["kind"], head["kind"]) and base["type"] == head["type"]:
            return
        condition = f"type({place}).__name__ == {base['type']!r}"
        yield ResultDifference("type", place, condition, described(base), described(head))
    elif base["kind"] == "array":
        yield from _array_differences(place, base, head)
    elif base["kind"] == "number":
        yield from _number_difference(place, base, head)
    elif base["kind"] == "text" and base["text"] != head["text"]:
        condition = f"repr({place}) == {base['text']!r}"
        yield ResultDifference("value", place, condition, base["text"], head["text"])
    elif base["kind"] == "parts":
        yield from _part_differences(place, base, head)


def _array_differences(place: str, base: Described, head: Described) -> Iterator[ResultDifference]:
    size, theirs = math.prod(base["shape"]), math.prod(head["shape"])
    if base.get("finite") == size and head.get("finite", theirs) < theirs:
        yield ResultDifference(
            NON_FINITE, place, f"finite({place})", "finite numbers", "NaN or infinity"
        )
        return
    conditions = {
        "shape": f"tuple({place}.shape) == {tuple(base['shape'])!r}",
        "dtype": f"str({place}.dtype) == {base['dtype']!r}",
        "device": f"str({place}.device) == {base['device']!r}",
    }
    for kind, condition in conditions.items():
        if base[kind] != head[kind]:
            yield ResultDifference(kind, place, condition, described(base), described(head))
            return
    worst = _worst_element(base, head)
    if worst is not None:
        yield _element_difference(place, base, head, worst)
    elif base.get("finite") == head.get("finite") and _sums_differ(base, head):
        relative, absolute = _tolerance(base)
        limit = absolute * size + relative * base["absolute"]
        yield ResultDifference(
            "value",
            place,
            f"abs(float({place}.sum()) - {base['sum']!r}) <= {limit:.3g}",
            _short(base["sum"]),
            _short(head["sum"]),
            abs(base["sum"] - head["sum"]),
            f"{place}.sum()",
        )


def _worst_element(base: Described, head: Described) -> int | None:
    """Return the number of the described element that differs most beyond rounding."""
    relative, absolute = _tolerance(base)
    pairs = list(zip(base["numbers"], head["numbers"], strict=True))
    finite = [each for each in base["numbers"] if isinstance(each, float | int)]
    scale = sum(map(abs, finite)) / len(finite) if finite else 0.0
    excess = {
        number: abs(ours - theirs) / (absolute + relative * (abs(ours) + scale))
        for number, (ours, theirs) in enumerate(pairs)
        if isinstance(ours, float | int) and isinstance(theirs, float | int)
    }
    worst = max(excess, key=lambda number: excess[number], default=None)
    return worst if worst is not None and excess[worst] > 1 else None


def _element_difference(
    place: str, base: Described, head: Described, number: int
) -> ResultDifference:
    shape = tuple(base["shape"])
    step = max(1, -(-math.prod(shape) // MOST_NUMBERS))
    index = _unraveled(number * step, shape)
    element = f"{place}[{', '.join(map(str, index))}]" if index else place
    ours, theirs = base["numbers"][number], head["numbers"][number]
    limit = abs(ours - theirs) / 2
    amount = max(
        abs(a - b)
        for a, b in zip(base["numbers"], head["numbers"], strict=True)
        if isinstance(a, float | int) and isinstance(b, float | int)
    )
    return ResultDifference(
        "value",
        place,
        f"abs(float({element}) - {ours!r}) < {limit:.3g}",
        _short(ours),
        _short(theirs),
        amount,
        element,
    )


def _unraveled(flat: int, shape: tuple[int, ...]) -> list[int]:
    """Return the indices of a flat index (row-major)."""
    found: list[int] = []
    for side in reversed(shape):
        flat, index = divmod(flat, side)
        found.insert(0, index)
    return found


def _sums_differ(base: Described, head: Described) -> bool:
    numbers = base["sum"], head["sum"], base["absolute"]
    if not all(isinstance(each, float | int) for each in numbers):
        return False
    relative, absolute = _tolerance(base)
    limit = absolute * math.prod(base["shape"]) + relative * base["absolute"]
    return bool(abs(base["sum"] - head["sum"]) > limit)


def _tolerance(array: Described) -> tuple[float, float]:
    return _TOLERANCES.get(str(array["dtype"]).rpartition(".")[2], (0.0, 1e-12))


def _number_difference(place: str, base: Described, head: Described) -> Iterator[ResultDifference]:
    ours, theirs = base["number"], head["number"]
    if ours == theirs or isinstance(ours, str):
        return
    if isinstance(theirs, str):
        yield ResultDifference(NON_FINITE, place, f"finite({place})", _short(ours), theirs)
        return
    relative, absolute = _TOLERANCES["float64"]
    if abs(ours - theirs) > absolute + relative * abs(ours):
        limit = abs(ours - theirs) / 2
        condition = f"abs({place} - {ours!r}) < {limit:.3g}"
        yield ResultDifference(
            "value", place, condition, _short(ours), _short(theirs), abs(ours - theirs)
        )


def _part_differences(place: str, base: Described, head: Described) -> Iterator[ResultDifference]:
    access = base["access"]
    container = f"{place}.state_dict()" if access == "state" else place
    if access in ("index", "key") and base["size"] != head["size"]:
        condition = f"len({place}) == {base['size']}"
        yield ResultDifference("size", place, condition, described(base), described(head))
        return
    for key, ours in base["parts"].items():
        part = f"{container}.{key}" if access == "attribute" else f"{container}[{key}]"
        if key in head["parts"]:
            yield from _differences(part, ours, head["parts"][key])
        elif access in ("key", "state"):
            yield ResultDifference(
                "size", place, f"{key} in {container}", f"has {key}", f"has no {key}"
            )


def _short(number: float | str) -> str:
    return number if isinstance(number, str) else f"{number:.6g}"


def described(value: Described) -> str:
    """Return a value in a few words."""
    match value["kind"]:
        case "array":
            dtype = str(value["dtype"]).rpartition(".")[2]
            device = value["device"]
            where = f" on {device}" if device not in ("", "cpu") else ""
            return f"a {dtype} {value['type']} of shape {tuple(value['shape'])}{where}"
        case "number":
            return f"the {value['type']} {_short(value['number'])}"
        case "text":
            return str(value["text"])
        case "parts" if value["access"] in ("index", "key"):
            return f"a {value['type']} of {value['size']}"
        case _:
            return f"a {value['type']}"
