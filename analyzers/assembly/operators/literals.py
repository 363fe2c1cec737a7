"""Values of sources, as far as they are literals, and conditions over them.

Nothing is executed: sources are parsed, and only arithmetic is computed.
"""

from __future__ import annotations

import ast
import operator
from collections.abc import Callable, Mapping
from functools import lru_cache
from typing import Any

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
    """The value of a literal; raises :class:`UnknownError` for any other source."""
    if len(source) > LONGEST:
        raise UnknownError(source[:LONGEST])
    try:
        return ast.literal_eval(source.strip())
    except (ValueError, SyntaxError, TypeError, MemoryError, RecursionError) as error:
        raise UnknownError(source) from error


def is_known(source: str) -> bool:
    """Whether a source is a literal."""
    try:
        value_of(source)
    except UnknownError:
        return False
    return True


def holds(condition: str, sources: Mapping[str, str]) -> bool | None:
    """Whether a condition holds of parameters with these sources; ``None``: nobody can tell."""
    try:
        return bool(_value(_parsed(condition), sources))
    except (UnknownError, ArithmeticError, TypeError, ValueError, LookupError, AttributeError):
        return None


def names(condition: str) -> frozenset[str]:
    """The names in a condition."""
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
