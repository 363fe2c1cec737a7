"""Legal values of a parameter, and those just outside."""

from __future__ import annotations

import math
import random

from analyzers.assembly.constraints import Parameter
from analyzers.assembly.operators.literals import UnknownError, value_of

NEAR = 16
_OPAQUE = frozenset({"module", "dtype", "device", "other"})


def is_drawable(parameter: Parameter) -> bool:
    """Whether legal values of a parameter can be made up."""
    if parameter.choices:
        return True
    return bool(set(parameter.kinds) & {"int", "float", "bool", "ints"})


def drawn(parameter: Parameter, current: str, rng: random.Random) -> str | None:
    """The source of a legal value other than the current; ``None`` where none is found."""
    for _ in range(8):
        value = _drawn(parameter, current, rng)
        if value is not None and value != current and not _equal(value, current):
            return value
    return None


def _drawn(parameter: Parameter, current: str, rng: random.Random) -> str | None:
    if parameter.choices:
        return rng.choice(parameter.choices)
    kinds = [each for each in parameter.kinds if each in {"int", "float", "bool", "ints"}]
    if not kinds:
        return None
    if "none" in parameter.kinds and rng.random() < 0.1:
        return "None"
    return _of_kind(rng.choice(kinds), parameter, current, rng)


def _of_kind(kind: str, parameter: Parameter, current: str, rng: random.Random) -> str:
    if kind == "bool":
        return rng.choice(("True", "False"))
    if kind == "float":
        return _float(parameter, rng)
    if kind == "int":
        return str(_int(parameter, current, rng))
    length = parameter.length or _length(current)
    return _tuple([str(_int(parameter, current, rng)) for _ in range(length)])


def _tuple(members: list[str]) -> str:
    return f"({', '.join(members)}{',' * (len(members) == 1)})"


def _length(current: str) -> int:
    try:
        value = value_of(current)
    except UnknownError:
        return 1
    return len(value) if isinstance(value, tuple | list) and value else 1


def _number(current: str) -> int:
    try:
        value = value_of(current)
    except UnknownError:
        return 1
    if isinstance(value, tuple | list):
        value = value[0] if value else 1
    return value if isinstance(value, int) and not isinstance(value, bool) else 1


def _int(parameter: Parameter, current: str, rng: random.Random) -> int:
    low, high = integers(parameter)
    now = _number(current)
    near = [low, low + 1, now - 1, now + 1, now * 2, now // 2, rng.randint(low, low + NEAR)]
    legal = [each for each in near if low <= each and (high is None or each <= high)]
    return rng.choice(legal) if legal else low


def integers(parameter: Parameter) -> tuple[int, int | None]:
    """The least and the greatest legal integer; 1 and none where nothing is known."""
    low, high = parameter.low, parameter.high
    least = 1 if low is None else math.floor(low) + 1 if parameter.open_low else math.ceil(low)
    if low is None and high is not None:
        least = min(least, math.floor(high))
    if high is None or math.isinf(high):
        return least, None
    return least, math.ceil(high) - 1 if parameter.open_high else math.floor(high)


def _float(parameter: Parameter, rng: random.Random) -> str:
    low = parameter.low if parameter.low is not None else 0.0
    high = parameter.high if parameter.high is not None else low + 1.0
    high = min(high, low + 1.0)
    ends = [low] * (not parameter.open_low) + [high] * (not parameter.open_high)
    inside = round(rng.uniform(low, high), 3)
    if not low < inside < high:
        inside = (low + high) / 2
    return repr(float(rng.choice([*ends, inside, inside])))


def group(parameter: Parameter, value: str) -> str:
    """The equivalence class of a legal value: a choice, or a boundary or inside of a range."""
    if parameter.choices or value in {"None", "True", "False"}:
        return value
    try:
        number = value_of(value)
    except UnknownError:
        return "other"
    members = number if isinstance(number, tuple | list) else (number,)
    ends = {parameter.low, parameter.high, *integers(parameter)}
    return "boundary" if any(each in ends for each in members) else "inside"


def outside(parameter: Parameter) -> tuple[str, ...]:
    """The sources of values just outside of what is legal, one for each end; no bool has any.

    Where the library was tried with such values, those are taken.
    """
    kinds = set(parameter.kinds)
    if "bool" in kinds or kinds & _OPAQUE:
        return ()
    if parameter.edges:
        return tuple(dict.fromkeys(each.value for each in parameter.edges))
    if parameter.choices:
        return _no_choice(parameter)
    if not kinds & {"int", "float", "ints"}:
        return ()
    ends = (_below(parameter), _above(parameter))
    return tuple(_shaped(parameter, each) for each in ends if each is not None)


def _no_choice(parameter: Parameter) -> tuple[str, ...]:
    texts = [_text(each) for each in parameter.choices]
    known = next((text for text in texts if text), None)
    return () if known is None else (repr(f"{known}_"),)


def _text(source: str) -> str | None:
    try:
        value = value_of(source)
    except UnknownError:
        return None
    return value if isinstance(value, str) else None


def _below(parameter: Parameter) -> float | None:
    low = parameter.low
    if low is None or math.isinf(low):
        return None
    return low if parameter.open_low else low - _step(parameter)


def _above(parameter: Parameter) -> float | None:
    high = parameter.high
    if high is None or math.isinf(high):
        return None
    return high if parameter.open_high else high + _step(parameter)


def _step(parameter: Parameter) -> float:
    if "float" not in parameter.kinds:
        return 1
    bounded = parameter.low is not None and parameter.high is not None
    return 0.1 if bounded else 1.0


def _shaped(parameter: Parameter, end: float) -> str:
    if "float" in parameter.kinds:
        return repr(round(float(end), 6))
    whole = str(math.floor(end))
    return whole if "int" in parameter.kinds else _tuple([whole] * (parameter.length or 1))


def _equal(one: str, other: str) -> bool:
    try:
        return bool(value_of(one) == value_of(other))
    except UnknownError:
        return False
