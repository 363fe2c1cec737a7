"""Whole numbers that may be unknown: variables, and terms over them."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass


@dataclass(frozen=True, slots=True, eq=False)
class Var:
    """An unknown number, itself and no other; a ``rigid`` one is the caller's to choose."""

    name: str = ""
    rigid: bool = False


@dataclass(frozen=True, slots=True)
class Term:
    """An operation on sizes: ``+ * // %``, ``max`` or ``min``."""

    operator: str
    operands: tuple[Size, ...]


Size = int | Var | Term

_OPERATIONS: Mapping[str, Callable[[int, int], int]] = {
    "+": lambda a, b: a + b,
    "*": lambda a, b: a * b,
    "//": lambda a, b: a // b,
    "%": lambda a, b: a % b,
    "max": max,
    "min": min,
}


def evaluated(size: Size, chosen: Mapping[Var, int]) -> int:
    """The number, once all variables are chosen; raises ``KeyError``, ``ZeroDivisionError``."""
    if isinstance(size, int):
        return size
    if isinstance(size, Var):
        return chosen[size]
    first, *others = (evaluated(each, chosen) for each in size.operands)
    for other in others:
        first = _OPERATIONS[size.operator](first, other)
    return first


def variables(size: Size) -> Iterator[Var]:
    """The variables of a size, each as often as it stands there."""
    if isinstance(size, Var):
        yield size
    elif isinstance(size, Term):
        for each in size.operands:
            yield from variables(each)


def plus(left: Size, right: Size) -> Size:
    """The sum, constants gathered at the end."""
    terms, constant = _summands(left)
    others, more = _summands(right)
    summands = [*terms, *others]
    constant += more
    if not summands:
        return constant
    if constant:
        summands.append(constant)
    return summands[0] if len(summands) == 1 else Term("+", tuple(summands))


def _summands(size: Size) -> tuple[list[Size], int]:
    if isinstance(size, int):
        return [], size
    if isinstance(size, Term) and size.operator == "+":
        constant = size.operands[-1]
        if isinstance(constant, int):
            return list(size.operands[:-1]), constant
        return list(size.operands), 0
    return [size], 0


def minus(left: Size, right: Size) -> Size:
    """The difference; what is equal goes."""
    terms, constant = _summands(left)
    others, less = _summands(right)
    for other in list(others):
        if other in terms:
            terms.remove(other)
            others.remove(other)
    negative = [product([-1, other]) for other in others]
    found: Size = constant - less
    for each in [*terms, *negative]:
        found = plus(found, each)
    return found


def product(sizes: Iterable[Size]) -> Size:
    """The product, the constant first."""
    constant, found = 1, list[Size]()
    for size in sizes:
        number, factors = factors_of(size)
        constant *= number
        found += factors
    if constant == 0 or not found:
        return constant
    if constant != 1:
        found.insert(0, constant)
    return found[0] if len(found) == 1 else Term("*", tuple(found))


def factors_of(size: Size) -> tuple[int, list[Size]]:
    """A size as a number times factors that are none."""
    if isinstance(size, int):
        return size, []
    if isinstance(size, Term) and size.operator == "*":
        numbers = [each for each in size.operands if isinstance(each, int)]
        return math.prod(numbers), [each for each in size.operands if not isinstance(each, int)]
    return 1, [size]


def cancelled(left: Size, right: Size) -> tuple[Size, Size]:
    """Both without the factors that they share."""
    number, factors = factors_of(left)
    other, others = factors_of(right)
    for factor in list(others):
        if factor in factors:
            factors.remove(factor)
            others.remove(factor)
    common = math.gcd(number, other) or 1
    return product([number // common, *factors]), product([other // common, *others])


def quotient(left: Size, right: Size) -> Size:
    """The floor of a quotient, shared factors cancelled."""
    left, right = cancelled(left, right)
    if right == 1:
        return left
    if isinstance(left, int) and isinstance(right, int) and right:
        return left // right
    return Term("//", (left, right))


def combined(operator: str, left: Size, right: Size) -> Size:
    """Two sizes under an operator of Python's, ``-`` among them."""
    if operator == "+":
        return plus(left, right)
    if operator == "-":
        return minus(left, right)
    if operator == "*":
        return product([left, right])
    if operator == "//":
        return quotient(left, right)
    if isinstance(left, int) and isinstance(right, int):
        return _OPERATIONS[operator](left, right)
    return left if left == right and operator != "%" else Term(operator, (left, right))


def substituted(size: Size, bound: Mapping[Var, Size]) -> Size:
    """A size with what is known of its variables."""
    if isinstance(size, Var):
        return substituted(bound[size], bound) if size in bound else size
    if isinstance(size, int) or not any(each in bound for each in variables(size)):
        return size
    first, *others = (substituted(each, bound) for each in size.operands)
    for other in others:
        first = combined(size.operator, first, other)
    return first


def source(size: Size, names: Mapping[Var, str]) -> str:
    """A size as Python; raises ``KeyError`` for a variable without a name."""
    if isinstance(size, int):
        return str(size)
    if isinstance(size, Var):
        return names[size]
    parts = [source(each, names) for each in size.operands]
    if size.operator in ("max", "min"):
        return f"{size.operator}({', '.join(parts)})"
    parts = [
        f"({part})" if isinstance(each, Term) and each.operator not in ("max", "min") else part
        for part, each in zip(parts, size.operands, strict=True)
    ]
    return size.operator.join(parts).replace("+-", "-")
