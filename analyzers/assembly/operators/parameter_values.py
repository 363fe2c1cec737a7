"""Legal values of a parameter, and those just outside."""

from __future__ import annotations

import ast
import math
import operator
import random
from collections.abc import Callable, Mapping
from functools import lru_cache
from typing import Any

from analyzers.assembly.layer_tables import LayerParameter

LONGEST = 400


class UnknownError(Exception):
    """A value that the text alone does not tell."""


_BINARY: Mapping[type[ast.operator], Callable[[Any, Any], Any]] = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
    ast.Div: operator.truediv,
    ast.FloorDiv: operator.floordiv,
    ast.Mod: operator.mod,
}
_UNARY: Mapping[type[ast.unaryop], Callable[[Any], Any]] = {
    ast.Not: operator.not_,
    ast.USub: operator.neg,
}
_COMPARED: Mapping[type[ast.cmpop], Callable[[Any, Any], bool]] = {
    ast.Eq: operator.eq,
    ast.NotEq: operator.ne,
    ast.Lt: operator.lt,
    ast.LtE: operator.le,
    ast.Gt: operator.gt,
    ast.GtE: operator.ge,
    ast.Is: operator.is_,
    ast.IsNot: operator.is_not,
    ast.In: lambda one, other: one in other,
    ast.NotIn: lambda one, other: one not in other,
}
_CALLED: Mapping[str, Callable[..., Any]] = {
    "abs": abs,
    "all": all,
    "any": any,
    "len": len,
    "max": max,
    "min": min,
    "sum": sum,
}


def value_of(source: str) -> Any:
    """Return the value of a literal; raises :class:`UnknownError` for any other source."""
    if len(source) > LONGEST:
        raise UnknownError(source[:LONGEST])
    try:
        return ast.literal_eval(source.strip())
    except (ValueError, SyntaxError, TypeError, MemoryError, RecursionError) as error:
        raise UnknownError(source) from error


def is_known(source: str) -> bool:
    """Return whether a source is a literal."""
    try:
        value_of(source)
    except UnknownError:
        return False
    return True


def holds(condition: str, sources: Mapping[str, str]) -> bool | None:
    """Return whether a condition holds of parameters with these sources; ``None`` if unknown."""
    try:
        return bool(_value(_parsed(condition), sources))
    except (UnknownError, ArithmeticError, TypeError, ValueError, LookupError, AttributeError):
        return None


def names(condition: str) -> frozenset[str]:
    """Return the names in a condition."""
    return frozenset(each.id for each in ast.walk(_parsed(condition)) if isinstance(each, ast.Name))


@lru_cache(maxsize=4096)
def _parsed(condition: str) -> ast.expr:
    try:
        return ast.parse(condition, mode="eval").body
    except (SyntaxError, ValueError):
        return ast.Constant(value=True)


def _value(node: ast.expr, sources: Mapping[str, str]) -> Any:
    match node:
        case ast.Constant(value=value):
            return value
        case ast.Name(id=name) if name in sources:
            return value_of(sources[name])
        case ast.Tuple(elts=members) | ast.List(elts=members):
            return tuple(_value(each, sources) for each in members)
        case ast.BoolOp() | ast.UnaryOp() | ast.BinOp() | ast.Compare() | ast.IfExp():
            return _computed(node, sources)
        case ast.Subscript(value=inner, slice=index):
            return _value(inner, sources)[_value(index, sources)]
        case ast.Call(func=ast.Name(id=name), args=given, keywords=[]) if name in _CALLED:
            return _CALLED[name](*[_value(each, sources) for each in given])
        case _:
            raise UnknownError(ast.dump(node)[:LONGEST])


def _computed(node: ast.expr, sources: Mapping[str, str]) -> Any:
    match node:
        case ast.BoolOp(op=ast.And(), values=parts):
            return all(_value(each, sources) for each in parts)
        case ast.BoolOp(values=parts):
            return any(_value(each, sources) for each in parts)
        case ast.UnaryOp(op=op, operand=inner) if type(op) in _UNARY:
            return _UNARY[type(op)](_value(inner, sources))
        case ast.BinOp(left=left, op=op, right=right) if type(op) in _BINARY:
            return _BINARY[type(op)](_value(left, sources), _value(right, sources))
        case ast.IfExp(test=test, body=body, orelse=other):
            return _value(body if _value(test, sources) else other, sources)
        case ast.Compare():
            return _compared(node, sources)
        case _:
            raise UnknownError(ast.dump(node)[:LONGEST])


def _compared(node: ast.Compare, sources: Mapping[str, str]) -> bool:
    left = _value(node.left, sources)
    for op, right in zip(node.ops, node.comparators, strict=True):
        value = _value(right, sources)
        if not _COMPARED[type(op)](left, value):
            return False
        left = value
    return True


NEAR = 16
_OPAQUE = frozenset({"module", "dtype", "device", "other"})


def is_drawable(parameter: LayerParameter) -> bool:
    """Return whether legal values of a parameter can be made up."""
    if parameter.choices:
        return True
    return bool(set(parameter.kinds) & {"int", "float", "bool", "ints"})


def drawn(parameter: LayerParameter, current: str, rng: random.Random) -> str | None:
    """Return the source of a legal value other than the current; ``None`` where none is found."""
    for _ in range(8):
        value = _drawn(parameter, current, rng)
        if value is None or value == current:
            continue
        if bool(_known(value, object()) != _known(current, object())):
            return value
    return None


def _drawn(parameter: LayerParameter, current: str, rng: random.Random) -> str | None:
    if parameter.choices:
        return rng.choice(parameter.choices)
    kinds = [each for each in parameter.kinds if each in {"int", "float", "bool", "ints"}]
    if not kinds:
        return None
    if "none" in parameter.kinds and rng.random() < 0.1:
        return "None"
    return _of_kind(rng.choice(kinds), parameter, current, rng)


def _of_kind(kind: str, parameter: LayerParameter, current: str, rng: random.Random) -> str:
    if kind == "bool":
        return rng.choice(("True", "False"))
    if kind == "float":
        return _float(parameter, rng)
    if kind == "int":
        return str(_int(parameter, current, rng))
    value = _known(current, 1)
    length = len(value) if isinstance(value, tuple | list) and value else 1
    length = parameter.length or length
    return _tuple([str(_int(parameter, current, rng)) for _ in range(length)])


def _tuple(members: list[str]) -> str:
    return f"({', '.join(members)}{',' * (len(members) == 1)})"


def _known(source: str, otherwise: Any) -> Any:
    try:
        return value_of(source)
    except UnknownError:
        return otherwise


def _int(parameter: LayerParameter, current: str, rng: random.Random) -> int:
    low, high = integers(parameter)
    value = _known(current, 1)
    value = value[0] if isinstance(value, tuple | list) and value else value
    now = value if isinstance(value, int) and not isinstance(value, bool) else 1
    near = [low, low + 1, now - 1, now + 1, now * 2, now // 2, rng.randint(low, low + NEAR)]
    legal = [each for each in near if low <= each and (high is None or each <= high)]
    return rng.choice(legal) if legal else low


def integers(parameter: LayerParameter) -> tuple[int, int | None]:
    """Return the least and the greatest legal integer; 1 and none where nothing is known."""
    low, high = parameter.low, parameter.high
    least = 1 if low is None else math.floor(low) + 1 if parameter.open_low else math.ceil(low)
    if low is None and high is not None:
        least = min(least, math.floor(high))
    if high is None or math.isinf(high):
        return least, None
    return least, math.ceil(high) - 1 if parameter.open_high else math.floor(high)


def _float(parameter: LayerParameter, rng: random.Random) -> str:
    low = parameter.low if parameter.low is not None else 0.0
    high = parameter.high if parameter.high is not None else low + 1.0
    high = min(high, low + 1.0)
    ends = [low] * (not parameter.open_low) + [high] * (not parameter.open_high)
    inside = round(rng.uniform(low, high), 3)
    if not low < inside < high:
        inside = (low + high) / 2
    return repr(float(rng.choice([*ends, inside, inside])))


def group(parameter: LayerParameter, value: str) -> str:
    """Return the equivalence class of a legal value: a choice, or the place in a range."""
    if parameter.choices or value in {"None", "True", "False"}:
        return value
    number = _known(value, None)
    if number is None:
        return "other"
    members = number if isinstance(number, tuple | list) else (number,)
    ends = {parameter.low, parameter.high, *integers(parameter)}
    return "boundary" if any(each in ends for each in members) else "inside"


def outside(parameter: LayerParameter) -> tuple[str, ...]:
    """Return the sources of values just outside of each end, those tried with the library first."""
    kinds = set(parameter.kinds)
    if "bool" in kinds or kinds & _OPAQUE:
        return ()
    if parameter.edges:
        return tuple(dict.fromkeys(each.value for each in parameter.edges))
    if parameter.choices:
        texts = (_known(each, None) for each in parameter.choices)
        return tuple(repr(f"{text}_") for text in texts if text and isinstance(text, str))[:1]
    if not kinds & {"int", "float", "ints"}:
        return ()
    bounded = parameter.low is not None and parameter.high is not None
    step = 1 if "float" not in kinds else 0.1 if bounded else 1.0
    ends = (
        (parameter.low, parameter.open_low, -step),
        (parameter.high, parameter.open_high, step),
    )
    return tuple(
        _shaped(parameter, end if is_open else end + beyond)
        for end, is_open, beyond in ends
        if end is not None and not math.isinf(end)
    )


def _shaped(parameter: LayerParameter, end: float) -> str:
    if "float" in parameter.kinds:
        return repr(round(float(end), 6))
    whole = str(math.floor(end))
    return whole if "int" in parameter.kinds else _tuple([whole] * (parameter.length or 1))
