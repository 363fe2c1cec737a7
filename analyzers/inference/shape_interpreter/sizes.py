"""Whole numbers that may be unknown: variables, and terms over them."""

from __future__ import annotations

import math
from collections.abc import Callable, Generator, Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass


@dataclass(frozen=True, slots=True, eq=False)
class SizeVariable:
    """An unknown number, itself and no other; a ``rigid`` one is the caller's to choose."""

    name: str = ""
    rigid: bool = False


@dataclass(frozen=True, slots=True)
class SizeTerm:
    """An operation on sizes: ``+ * // %``, ``max`` or ``min``."""

    operator: str
    operands: tuple[Size, ...]


Size = int | SizeVariable | SizeTerm

_OPERATIONS: Mapping[str, Callable[[int, int], int]] = {
    "+": lambda a, b: a + b,
    "*": lambda a, b: a * b,
    "//": lambda a, b: a // b,
    "%": lambda a, b: a % b,
    "max": max,
    "min": min,
}


def evaluated(size: Size, chosen: Mapping[SizeVariable, int]) -> int:
    """The number, once all variables are chosen; raises ``KeyError``, ``ZeroDivisionError``."""
    if isinstance(size, int):
        return size
    if isinstance(size, SizeVariable):
        return chosen[size]
    first, *others = (evaluated(each, chosen) for each in size.operands)
    for other in others:
        first = _OPERATIONS[size.operator](first, other)
    return first


def variables(size: Size) -> Iterator[SizeVariable]:
    """The variables of a size, each as often as it stands there."""
    if isinstance(size, SizeVariable):
        yield size
    elif isinstance(size, SizeTerm):
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
    return summands[0] if len(summands) == 1 else SizeTerm("+", tuple(summands))


def _summands(size: Size) -> tuple[list[Size], int]:
    if isinstance(size, int):
        return [], size
    if isinstance(size, SizeTerm) and size.operator == "+":
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
    return found[0] if len(found) == 1 else SizeTerm("*", tuple(found))


def factors_of(size: Size) -> tuple[int, list[Size]]:
    """A size as a number times factors that are none."""
    if isinstance(size, int):
        return size, []
    if isinstance(size, SizeTerm) and size.operator == "*":
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
    return SizeTerm("//", (left, right))


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
    return left if left == right and operator != "%" else SizeTerm(operator, (left, right))


def substituted(size: Size, bound: Mapping[SizeVariable, Size]) -> Size:
    """A size with what is known of its variables."""
    if isinstance(size, SizeVariable):
        return substituted(bound[size], bound) if size in bound else size
    if isinstance(size, int) or not any(each in bound for each in variables(size)):
        return size
    first, *others = (substituted(each, bound) for each in size.operands)
    for other in others:
        first = combined(size.operator, first, other)
    return first


def source(size: Size, names: Mapping[SizeVariable, str]) -> str:
    """A size as Python; raises ``KeyError`` for a variable without a name."""
    if isinstance(size, int):
        return str(size)
    if isinstance(size, SizeVariable):
        return names[size]
    parts = [source(each, names) for each in size.operands]
    if size.operator in ("max", "min"):
        return f"{size.operator}({', '.join(parts)})"
    parts = [
        f"({part})" if isinstance(each, SizeTerm) and each.operator not in ("max", "min") else part
        for part, each in zip(parts, size.operands, strict=True)
    ]
    return size.operator.join(parts).replace("+-", "-")


@dataclass(frozen=True, slots=True)
class SizeCondition:
    """``left == right``, ``left >= right`` or ``left % right == 0``.

    ``soft``: it holds on one of several ways through the code.
    """

    relation: str
    left: Size
    right: Size
    soft: bool = False


class SizeConstraints:
    """Bindings of variables, conditions that are still open, and what cannot be.

    ``conflicts`` are equations between numbers that differ, whatever the input
    is; ``doubts`` counts operations on tensors that were not understood;
    ``unsized`` are sizes that a layer of unknown size takes only if they are its own;
    ``strict``: what is computed with something unknown is unknown, not what it
    usually is; ``guessed``: a rank was taken to be what it usually is.
    """

    def __init__(self) -> None:
        self.bound: dict[SizeVariable, Size] = {}
        self.open: list[SizeCondition] = []
        self.conflicts: list[str] = []
        self.doubts = 0
        self.unsized: list[Size] = []
        self.strict = False
        self.usual_rank = 2
        self.guessed = False
        self._soft = 0

    @contextmanager
    def uncertain(self) -> Generator[None]:
        """Mark all that is noted inside as possible only."""
        self._soft += 1
        try:
            yield
        finally:
            self._soft -= 1

    @property
    def is_certain(self) -> bool:
        """Return whether what runs now does so on every way through the code."""
        return self._soft == 0

    def resolved(self, size: Size) -> Size:
        """A size with all that is known."""
        return substituted(size, self.bound)

    def equal(self, left: Size, right: Size) -> None:
        """Both are the same number."""
        left, right = cancelled(self.resolved(left), self.resolved(right))
        if left == right:
            return
        if isinstance(left, int) and isinstance(right, int):
            self.conflict(f"{left} is not {right}")
        elif self._soft == 0 and (self._binds(left, right) or self._binds(right, left)):
            return
        else:
            self.open.append(SizeCondition("==", left, right, self._soft > 0))

    def fit(self, size: Size, wanted: Size | None) -> None:
        """A layer takes this size alone; ``None`` where its own is not known."""
        if wanted is None:
            self.unsized.append(size)
        else:
            self.equal(size, wanted)

    def _binds(self, variable: Size, to: Size) -> bool:
        if not isinstance(variable, SizeVariable) or variable.rigid or variable in variables(to):
            return False
        if isinstance(to, int) and to < 0:
            return False
        self.bound[variable] = to
        return True

    def least(self, size: Size, number: int) -> None:
        """It is not below a number."""
        size = self.resolved(size)
        if isinstance(size, int):
            if size < number:
                self.conflict(f"{size} is below {number}")
        else:
            self.open.append(SizeCondition(">=", size, number, self._soft > 0))

    def divides(self, divisor: Size, size: Size) -> None:
        """It is a multiple of a divisor."""
        size, divisor = cancelled(self.resolved(size), self.resolved(divisor))
        if divisor == 1:
            return
        if isinstance(size, int) and isinstance(divisor, int):
            if divisor == 0 or size % divisor:
                self.conflict(f"{size} is no multiple of {divisor}")
        else:
            self.open.append(SizeCondition("%", size, divisor, self._soft > 0))

    def guess(self) -> int:
        """The rank that indices usually have; noted, since it was guessed."""
        self.guessed = True
        return self.usual_rank

    def doubt(self) -> None:
        """Something was not understood."""
        self.doubts += 1

    def conflict(self, text: str) -> None:
        """Two things that cannot both be so were seen."""
        if self._soft == 0:
            self.conflicts.append(text)

    def conditions(self) -> list[SizeCondition]:
        """Those that are open, with all that is known by now."""
        return [
            SizeCondition(
                each.relation, self.resolved(each.left), self.resolved(each.right), each.soft
            )
            for each in self.open
        ]
