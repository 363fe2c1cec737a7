"""Sets of numbers: an interval, open or closed, some multiples of it, some taken out."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import FrozenSet, Iterator, Optional, Sequence, Tuple, Union

Number = Union[int, float]
INFINITY = math.inf
_MOST_SPAN = 4096


class EmptyDomain(Exception):  # noqa: N818 - a fact about the conditions
    """Nothing is left that could meet a condition."""


@dataclass(frozen=True)
class NumberSet:
    """The numbers from ``low`` to ``high`` of remainder ``offset`` by ``step``, not ``without``."""

    low: Number = -INFINITY
    high: Number = INFINITY
    open_low: bool = False
    open_high: bool = False
    step: int = 1
    offset: int = 0
    without: FrozenSet[Number] = frozenset()

    @property
    def exact(self) -> Optional[Number]:
        """The only number of the set; ``None`` where there are more, or none."""
        return self.low if self.low == self.high and not self.is_empty else None

    @property
    def is_empty(self) -> bool:
        """Return whether its interval has no number."""
        return self.low > self.high or (
            self.low == self.high and (self.open_low or self.open_high or self.low in self.without)
        )

    @property
    def plain(self) -> bool:
        """Return whether it is an interval, with nothing taken out of it."""
        return self.step == 1 and not self.without

    def meet(self, other: NumberSet) -> NumberSet:
        """Return what is in both; raises :class:`EmptyDomain`."""
        low, open_low = max((self.low, self.open_low), (other.low, other.open_low))
        high, shut = min((self.high, not self.open_high), (other.high, not other.open_high))
        step, offset = _common(self, other)
        found = NumberSet(low, high, open_low, not shut, step, offset, self.without | other.without)
        if found.is_empty:
            raise EmptyDomain
        return found

    def whole(self) -> NumberSet:
        """Its integers, with closed ends that are in it; raises :class:`EmptyDomain`."""
        low, high = self.low, self.high
        if math.isfinite(low):
            low = self._up(math.floor(low) + 1 if self.open_low else math.ceil(low))
        if math.isfinite(high):
            high = self._down(math.ceil(high) - 1 if self.open_high else math.floor(high))
        if low > high:
            raise EmptyDomain
        return replace(self, low=low, high=high, open_low=False, open_high=False)

    def _up(self, value: int) -> int:
        value += (self.offset - value) % self.step
        while value in self.without:
            value += self.step
        return value

    def _down(self, value: int) -> int:
        value -= (value - self.offset) % self.step
        while value in self.without:
            value -= self.step
        return value

    def count(self) -> Number:
        """About how many integers there are, infinite where an end is."""
        if not (math.isfinite(self.low) and math.isfinite(self.high)):
            return INFINITY
        return (self.high - self.low) // self.step + 1

    def integers(self, most: int) -> Iterator[int]:
        """Its integers, those next to 0 first, at most so many; none where it has no end there."""
        whole = self.whole()
        up = whole._up(int(max(whole.low, 0))) if whole.low < INFINITY else 0
        down = whole._down(int(min(whole.high, up - 1)))
        for _ in range(most):
            if up <= whole.high and (abs(up) <= abs(down) or down < whole.low):
                yield up
                up = whole._up(up + whole.step)
            elif down >= whole.low:
                yield down
                down = whole._down(down - whole.step)
            else:
                return

    def holds(self, value: Number) -> bool:
        """Return whether a number is in it."""
        if value in self.without or (self.step != 1 and value % self.step != self.offset):
            return False
        above = value > self.low or (value == self.low and not self.open_low)
        return above and (value < self.high or (value == self.high and not self.open_high))

    def plus(self, other: NumberSet) -> NumberSet:
        """The interval of sums."""
        return NumberSet(
            self.low + other.low,
            self.high + other.high,
            self.open_low or other.open_low,
            self.open_high or other.open_high,
        )

    def negated(self) -> NumberSet:
        """The interval of what is opposite."""
        return NumberSet(-self.high, -self.low, self.open_high, self.open_low)

    def minus(self, other: NumberSet) -> NumberSet:
        """The interval of differences."""
        return self.plus(other.negated())

    def times(self, other: NumberSet) -> NumberSet:
        """The interval of products, closed."""
        corners = [_product(a, b) for a in (self.low, self.high) for b in (other.low, other.high)]
        return NumberSet(min(corners), max(corners))

    def scaled(self, factor: Number) -> NumberSet:
        """The interval times a number that is not 0, as open as it was."""
        if factor < 0:
            return self.negated().scaled(-factor)
        return NumberSet(
            _product(self.low, factor), _product(self.high, factor), self.open_low, self.open_high
        )

    def divided(self, divisor: Number) -> NumberSet:
        """The interval by a number that is not 0, as open as it was."""
        if divisor < 0:
            return self.negated().divided(-divisor)
        low, high = _quotient(self.low, divisor), _quotient(self.high, divisor)
        return NumberSet(low, high, self.open_low, self.open_high)


def exactly(value: Number) -> NumberSet:
    """The set of one number."""
    return NumberSet(value, value)


def at_least(value: Number, open_: bool = False) -> NumberSet:
    """Those from a number on; without it where ``open_``."""
    return NumberSet(low=value, open_low=open_)


def at_most(value: Number, open_: bool = False) -> NumberSet:
    """Those up to a number; without it where ``open_``."""
    return NumberSet(high=value, open_high=open_)


def those(numbers: Sequence[Number]) -> NumberSet:
    """Some numbers; of those that are not whole, or far apart, the interval; raises Empty."""
    if not numbers:
        raise EmptyDomain
    low, high = min(numbers), max(numbers)
    if low == high:
        return exactly(low)
    whole = all(number == int(number) for number in numbers) and high - low <= _MOST_SPAN
    between = frozenset(range(int(low), int(high))) - set(numbers) if whole else frozenset()
    return NumberSet(low, high, without=frozenset(between))


def _product(a: Number, b: Number) -> Number:
    return 0 if a == 0 or b == 0 else a * b


def _quotient(a: Number, b: Number) -> Number:
    if isinstance(a, int) and isinstance(b, int) and a % b == 0:
        return a // b
    return a / b


def _common(one: NumberSet, other: NumberSet) -> Tuple[int, int]:
    """The remainder that both ask for (Chinese remainder theorem, by trial); raises Empty."""
    if other.step == 1 or one.step == 1:
        coarse = one if other.step == 1 else other
        return coarse.step, coarse.offset
    step = one.step * other.step // math.gcd(one.step, other.step)
    wide, narrow = (one, other) if one.step >= other.step else (other, one)
    for offset in range(wide.offset, step, wide.step):
        if offset % narrow.step == narrow.offset:
            return step, offset
    raise EmptyDomain
