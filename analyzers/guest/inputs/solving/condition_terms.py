"""Terms of a condition: an argument's value, its length, a side of its shape."""

from __future__ import annotations

import ast
from dataclasses import dataclass
from functools import lru_cache
from types import CodeType
from typing import Any, Callable, Dict, FrozenSet, List, Mapping, Optional, Tuple

_NUMBERS = ("int", "float")
_SEQUENCES = ("list", "tuple")
_RANKS = ("ndim", "dim", "ndimension")
_EXTREMES = {"max": "highest", "amax": "highest", "min": "lowest", "amin": "lowest"}

Step = Tuple[str, Any]


@dataclass(frozen=True)
class Quantity:
    """A way into an argument: ``len(x[0])`` is ``(("item", 0), ("length", None))`` of ``x``.

    Steps are ``item``, ``field``, ``length``, ``rank``, ``side``, ``sides`` (the
    shape, or a slice of it), ``highest``, ``lowest``, ``dtype``, ``number`` (the
    value as a number) and ``each`` (every element).
    """

    argument: str
    steps: Tuple[Step, ...] = ()

    def then(self, kind: str, index: Any = None) -> Quantity:
        """One step further."""
        return Quantity(self.argument, (*self.steps, (kind, index)))


def quantity_of(node: ast.expr, arguments: FrozenSet[str]) -> Optional[Quantity]:
    """Return what a node looks at, ``None`` where that is no simple way into one argument."""
    reader = _READERS.get(type(node))
    return reader(node, arguments) if reader else None


def _name(node: Any, arguments: FrozenSet[str]) -> Optional[Quantity]:
    return Quantity(node.id) if node.id in arguments else None


def _attribute(node: Any, arguments: FrozenSet[str]) -> Optional[Quantity]:
    inside = quantity_of(node.value, arguments)
    if inside is None:
        return None
    if node.attr == "shape":
        return inside.then("sides")
    if node.attr == "ndim":
        return inside.then("rank")
    return inside.then("dtype" if node.attr == "dtype" else "field", node.attr)


def _subscript(node: Any, arguments: FrozenSet[str]) -> Optional[Quantity]:
    inside = quantity_of(node.value, arguments)
    if inside is None:
        return None
    if inside.steps and inside.steps[-1] == ("sides", None):
        return _side(Quantity(inside.argument, inside.steps[:-1]), node.slice)
    index = _constant(node.slice)
    return None if index is None else inside.then("item", index)


def _side(inside: Quantity, index: ast.expr) -> Optional[Quantity]:
    if isinstance(index, ast.Slice):
        ends = [_constant(end) if end else None for end in (index.lower, index.upper)]
        plain = index.step is None and all(isinstance(end, (int, type(None))) for end in ends)
        return inside.then("sides", tuple(ends)) if plain else None
    at = _constant(index)
    return inside.then("side", at) if isinstance(at, int) else None


def _constant(node: Any) -> Any:
    try:
        value = ast.literal_eval(node)
    except (ValueError, TypeError, SyntaxError):
        return None
    return value if isinstance(value, (int, str)) and not isinstance(value, bool) else None


def _call(node: Any, arguments: FrozenSet[str]) -> Optional[Quantity]:
    if isinstance(node.func, ast.Attribute):
        return None if node.keywords else _method(node, arguments)
    name = node.func.id if isinstance(node.func, ast.Name) else ""
    if len(node.args) != 1 or node.keywords:
        return None
    inside = quantity_of(node.args[0], arguments)
    if inside is None or name in _SEQUENCES:
        return inside
    if name in _NUMBERS:
        return inside.then("number")
    if name == "len":
        return _length(inside)
    return inside.then(_EXTREMES[name]) if name in ("max", "min") else None


def _length(inside: Quantity) -> Quantity:
    if inside.steps and inside.steps[-1] == ("sides", None):
        return Quantity(inside.argument, inside.steps[:-1]).then("rank")
    return inside.then("length")


def _method(node: Any, arguments: FrozenSet[str]) -> Optional[Quantity]:
    method = node.func.attr
    if isinstance(node.func.value, ast.Name) and node.func.value.id not in arguments:
        inside = quantity_of(node.args[0], arguments) if len(node.args) == 1 else None
        return _reduced(inside, method)
    inside = quantity_of(node.func.value, arguments)
    if inside is None:
        return None
    if method == "item" and not node.args:
        return inside
    if method == "size":
        if not node.args:
            return inside.then("sides")
        return _side(inside, node.args[0])
    return _reduced(inside, method) if not node.args else None


def _reduced(inside: Optional[Quantity], method: str) -> Optional[Quantity]:
    if inside is None:
        return None
    if method in _RANKS:
        return inside.then("rank")
    return inside.then(_EXTREMES[method]) if method in _EXTREMES else None


_READERS: Dict[type, Callable[[Any, FrozenSet[str]], Optional[Quantity]]] = {
    ast.Name: _name,
    ast.Attribute: _attribute,
    ast.Subscript: _subscript,
    ast.Call: _call,
}

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
class ConditionPart:
    """A condition without ``and``, ``or``: its expression, code, and the names that it reads."""

    source: str
    node: ast.expr
    code: CodeType
    names: FrozenSet[str]

    def holds(self, environment: Mapping[str, Any]) -> bool:
        """Return whether it is true of these values; what it raises makes it false."""
        return is_true(self.code, environment)


Branch = Tuple[ConditionPart, ...]


def is_true(code: CodeType, environment: Mapping[str, Any]) -> bool:
    """Return whether a compiled condition holds; one that cannot be evaluated does not."""
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
    """Return the disjunctive normal form of a condition; whole above :data:`MOST_ALTERNATIVES`."""
    node = ast.parse(source.strip(), mode="eval").body
    try:
        found = _ways(node, wanted=True)
    except _TooMany:
        found = [[node]]
    return tuple(tuple(part(each) for each in branch) for branch in found)


def part(node: ast.expr) -> ConditionPart:
    """The part of a condition that an expression is."""
    source = ast.unparse(node)
    names = frozenset(each.id for each in ast.walk(node) if isinstance(each, ast.Name))
    return ConditionPart(source, ast.parse(source, mode="eval").body, compiled(source), names)


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
        terms = [node.left, *node.comparators]
        pairs = zip(terms, node.ops, terms[1:])
        if wanted:
            return [[ast.Compare(left, [op], [right]) for left, op, right in pairs]]
        return [[ast.Compare(left, [_OPPOSITE[type(op)]()], [right])] for left, op, right in pairs]
    return [[node if wanted else ast.UnaryOp(ast.Not(), node)]]


def _product(ways: List[_Ways]) -> _Ways:
    found: _Ways = [[]]
    for each in ways:
        found = _few([before + after for before in found for after in each])
    return found


def _few(ways: _Ways) -> _Ways:
    if len(ways) > MOST_ALTERNATIVES:
        raise _TooMany
    return ways
