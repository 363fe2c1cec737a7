"""What the comparisons of one expression with constants say together."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace

_OPERATORS: dict[type[ast.cmpop], str] = {
    ast.Eq: "==",
    ast.NotEq: "!=",
    ast.Lt: "<",
    ast.LtE: "<=",
    ast.Gt: ">",
    ast.GtE: ">=",
    ast.In: "contains",
    ast.NotIn: "lacks",
}
_FLIPPED = {"<": ">", "<=": ">=", ">": "<", ">=": "<=", "==": "==", "!=": "!="}
_NEGATED = {
    "==": "!=",
    "!=": "==",
    "<": ">=",
    "<=": ">",
    ">": "<=",
    ">=": "<",
    "contains": "lacks",
    "lacks": "contains",
}
_TEXT_METHODS = frozenset({"lower", "upper", "casefold", "strip", "title"})
_TEXT_FIELDS = frozenset({"description", "text", "transcript"})


@dataclass(frozen=True, slots=True)
class Fact:
    """``subject operator value``; ``contains`` and ``lacks`` are of a text."""

    subject: str
    operator: str
    value: str | float

    def negated(self) -> Fact:
        """Return what holds when this does not."""
        return replace(self, operator=_NEGATED[self.operator])


def facts(node: ast.expr, texts: frozenset[str] = frozenset()) -> tuple[Fact, ...] | None:
    """Return the facts that a comparison states together.

    ``texts`` are names that always hold a text.  ``None`` when it says
    anything else: then nothing may be concluded from its being false.
    """
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not):
        inner = facts(node.operand, texts)
        return (inner[0].negated(),) if inner is not None and len(inner) == 1 else None
    if not isinstance(node, ast.Compare):
        return None
    operands = [node.left, *node.comparators]
    stated = [
        _fact(left, type(operator), right, texts)
        for left, operator, right in zip(operands, node.ops, operands[1:], strict=False)
    ]
    known = tuple(fact for fact in stated if fact is not None)
    return known if len(known) == len(stated) else None


def contradict(known: Iterable[Fact]) -> bool:
    """Whether facts cannot hold together, whatever their subjects are."""
    by_subject: dict[str, list[Fact]] = {}
    for fact in known:
        by_subject.setdefault(fact.subject, []).append(fact)
    return any(_clash(group) for group in by_subject.values())


def misses_case(left: ast.expr, operator: ast.cmpop, right: ast.expr) -> bool:
    """Whether a literal is sought in a text that was brought to the other case."""
    sides = [(left, right)]
    if isinstance(operator, ast.Eq):
        sides.append((right, left))
    elif not isinstance(operator, ast.In):
        return False
    return any(
        isinstance(literal, ast.Constant)
        and isinstance(literal.value, str)
        and isinstance(text, ast.Call)
        and isinstance(text.func, ast.Attribute)
        and text.func.attr in ("lower", "upper")
        and not text.args
        and getattr(literal.value, text.func.attr)() != literal.value
        for literal, text in sides
    )


def constant(node: ast.expr) -> str | float | None:
    """Return the text or number that an expression is; ``None`` if neither."""
    match node:
        case ast.Constant(value=bool()):
            return None
        case ast.Constant(value=str() | int() | float() as value):
            return value
        case ast.UnaryOp(op=ast.USub(), operand=ast.Constant(value=int() | float() as value)):
            return None if isinstance(value, bool) else -value
        case _:
            return None


def _fact(
    left: ast.expr, operator: type[ast.cmpop], right: ast.expr, texts: frozenset[str]
) -> Fact | None:
    name = _OPERATORS.get(operator)
    if name is None:
        return None
    if name in ("contains", "lacks"):
        value = constant(left)
        if isinstance(value, str) and value and is_text(right, texts):
            return Fact(ast.unparse(right), name, value)
        return None
    value, subject = constant(right), left
    if value is None:
        value, subject, name = constant(left), right, _FLIPPED[name]
    if value is None or not is_steady(subject):
        return None
    return Fact(ast.unparse(subject), name, value)


def is_steady(node: ast.expr) -> bool:
    """Whether an expression means the same thing twice in one condition."""
    match node:
        case ast.Name():
            return True
        case ast.Attribute(value=value):
            return is_steady(value)
        case ast.Subscript(value=value, slice=ast.Constant() | ast.Name()):
            return is_steady(value)
        case ast.Call(func=ast.Attribute(value=value, attr=name), args=[], keywords=[]):
            return name in _TEXT_METHODS and is_steady(value)
        case _:
            return False


def is_text(node: ast.expr, texts: frozenset[str] = frozenset()) -> bool:
    """Whether an expression is evidently one text, not a collection of them."""
    match node:
        case ast.Name(id=name):
            return name in texts
        case ast.Attribute(attr=name):
            return name in _TEXT_FIELDS and is_steady(node)
        case ast.Call(func=ast.Attribute(attr=name)):
            return name in _TEXT_METHODS and is_steady(node)
        case _:
            return False


def text_names(tree: ast.AST) -> frozenset[str]:
    """Return the names that are assigned nothing but texts, wherever they are."""
    assigned = {
        target
        for node in ast.walk(tree)
        if isinstance(node, ast.Assign) and is_text(node.value)
        for target in node.targets
        if isinstance(target, ast.Name)
    }
    others = {
        node.id
        for node in ast.walk(tree)
        if isinstance(node, ast.Name)
        and not isinstance(node.ctx, ast.Load)
        and node not in assigned
    }
    others |= {node.arg for node in ast.walk(tree) if isinstance(node, ast.arg)}
    return frozenset(target.id for target in assigned) - others


def _clash(group: list[Fact]) -> bool:
    pairs = ((one, other) for one in group for other in group)
    return any(_excludes(one, other) for one, other in pairs)


def _excludes(one: Fact, other: Fact) -> bool:
    """Whether ``one`` makes ``other`` impossible."""
    if isinstance(one.value, str) != isinstance(other.value, str):
        return False
    if one.operator == "==":
        return not _holds(one.value, other)
    if one.operator == "contains" and isinstance(one.value, str):
        return other.operator == "lacks" and str(other.value) in one.value
    return _bounds_clash(one, other)


def _holds(value: str | float, fact: Fact) -> bool:
    """Whether ``fact`` is true of a subject that equals ``value``."""
    if isinstance(value, str) and isinstance(fact.value, str):
        order = (value > fact.value) - (value < fact.value)
        contained = fact.value in value
    else:
        order = (float(value) > float(fact.value)) - (float(value) < float(fact.value))
        contained = False
    outcomes: dict[str, bool] = dict(_by_order(order))
    return {**outcomes, "contains": contained, "lacks": not contained}[fact.operator]


def _by_order(order: int) -> Iterator[tuple[str, bool]]:
    yield "==", order == 0
    yield "!=", order != 0
    yield "<", order < 0
    yield "<=", order <= 0
    yield ">", order > 0
    yield ">=", order >= 0


def _bounds_clash(one: Fact, other: Fact) -> bool:
    """Whether a lower bound lies above an upper one."""
    if not (one.operator in (">", ">=") and other.operator in ("<", "<=")):
        return False
    if isinstance(one.value, str) or isinstance(other.value, str):
        return False
    strict = one.operator == ">" or other.operator == "<"
    return one.value >= other.value if strict else one.value > other.value
