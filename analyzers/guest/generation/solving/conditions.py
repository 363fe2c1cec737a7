"""Conditions taken apart: alternatives, each of parts that must hold together."""

from __future__ import annotations

import ast
from dataclasses import dataclass
from functools import lru_cache
from types import CodeType
from typing import Any, Callable, Dict, FrozenSet, List, Mapping, Tuple

MOST_ALTERNATIVES = 24

_OPPOSITE: Dict[type, Callable[[], ast.cmpop]] = {
    ast.Lt: ast.GtE,
    ast.GtE: ast.Lt,
    ast.Gt: ast.LtE,
    ast.LtE: ast.Gt,
    ast.Eq: ast.NotEq,
    ast.NotEq: ast.Eq,
    ast.In: ast.NotIn,
    ast.NotIn: ast.In,
    ast.Is: ast.IsNot,
    ast.IsNot: ast.Is,
}


@dataclass(frozen=True)
class Part:
    """A condition without ``and``, ``or``: its expression, code, and the names that it reads."""

    source: str
    node: ast.expr
    code: CodeType
    names: FrozenSet[str]

    def holds(self, environment: Mapping[str, Any]) -> bool:
        """Whether it is true of these values; what it raises makes it false."""
        return is_true(self.code, environment)


Branch = Tuple[Part, ...]


def is_true(code: CodeType, environment: Mapping[str, Any]) -> bool:
    """Whether a compiled condition holds; one that cannot be evaluated does not."""
    try:
        return bool(eval(code, dict(environment)))
    except Exception:
        return False


@lru_cache(maxsize=256)
def compiled(source: str) -> CodeType:
    """A condition's code; raises ``SyntaxError``."""
    return compile(source.strip(), "<condition>", "eval")


@lru_cache(maxsize=256)
def alternatives(source: str) -> Tuple[Branch, ...]:
    """The ways to meet a condition (disjunctive normal form, each comparison by itself).

    The whole condition as one part where there are more than
    :data:`MOST_ALTERNATIVES`.
    """
    node = ast.parse(source.strip(), mode="eval").body
    try:
        found = _ways(node, wanted=True)
    except _TooMany:
        found = [[node]]
    return tuple(tuple(part(each) for each in branch) for branch in found)


def part(node: ast.expr) -> Part:
    """The part of a condition that an expression is."""
    source = ast.unparse(node)
    names = frozenset(each.id for each in ast.walk(node) if isinstance(each, ast.Name))
    return Part(source, ast.parse(source, mode="eval").body, compiled(source), names)


class _TooMany(Exception):  # noqa: N818
    """More alternatives than are worth their time."""


_Ways = List[List[ast.expr]]


def _ways(node: ast.expr, wanted: bool) -> _Ways:
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not):
        return _ways(node.operand, not wanted)
    if isinstance(node, ast.BoolOp):
        together = isinstance(node.op, ast.And) is wanted
        ways = [_ways(each, wanted) for each in node.values]
        return _product(ways) if together else _few([way for each in ways for way in each])
    if isinstance(node, ast.IfExp):
        met = _product([_ways(node.test, wanted=True), _ways(node.body, wanted)])
        unmet = _product([_ways(node.test, wanted=False), _ways(node.orelse, wanted)])
        return _few(met + unmet)
    if isinstance(node, ast.Compare):
        return _comparisons(node, wanted)
    return [[node if wanted else ast.UnaryOp(ast.Not(), node)]]


def _comparisons(node: ast.Compare, wanted: bool) -> _Ways:
    """``a < b < c`` as two comparisons, and their opposites where it shall not hold."""
    terms = [node.left, *node.comparators]
    pairs = zip(terms, node.ops, terms[1:])
    if wanted:
        return [[ast.Compare(left, [op], [right]) for left, op, right in pairs]]
    return [[ast.Compare(left, [_OPPOSITE[type(op)]()], [right])] for left, op, right in pairs]


def _product(ways: List[_Ways]) -> _Ways:
    found: _Ways = [[]]
    for each in ways:
        found = _few([before + after for before in found for after in each])
    return found


def _few(ways: _Ways) -> _Ways:
    if len(ways) > MOST_ALTERNATIVES:
        raise _TooMany
    return ways
