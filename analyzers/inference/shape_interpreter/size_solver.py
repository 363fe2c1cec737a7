"""Finds the sizes under which all conditions hold: by trying them.

A condition that was found on one of several ways only (``soft``) is met where
that is possible, and let go where not.
"""

from __future__ import annotations

import itertools
import random
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from .sizes import SizeCondition, SizeConstraints, SizeVariable, evaluated, variables

_SIDES = (32, 28, 64, 224, 128, 256, 96, 48, 56, 112, 160, 192, 227, 299, 512)
_LARGEST = 640
_WINDOW = 96
_STEPS = 20_000
_RIGID = (8, 12, 16, 4)
Chosen = dict[SizeVariable, int]


@dataclass(frozen=True, slots=True)
class Range:
    """Sizes from ``low`` to ``high`` (open where ``None``) that are multiples of a number."""

    low: int = 1
    high: int | None = None
    multiple: int = 1

    @property
    def only(self) -> int | None:
        """The one size, where there is but one."""
        return self.low if self.low == self.high else None

    def some(self) -> range:
        """All of the sizes, or the first where there is no end of them."""
        high = self.low + 24 * self.multiple if self.high is None else self.high
        return range(self.low, high + 1, self.multiple)


@dataclass(frozen=True, slots=True)
class Solution:
    """The ranges of variables by which all conditions hold; those that were ``failed``."""

    ranges: Mapping[SizeVariable, Range]
    failed: frozenset[SizeVariable] = frozenset()


def solve(ledger: SizeConstraints) -> Solution:
    """Return what the conditions of a ledger leave of each variable."""
    ranges: dict[SizeVariable, Range] = {}
    failed: set[SizeVariable] = set()
    for group in _groups([each for each in ledger.conditions() if _mentioned(each)]):
        found = _group(group)
        if found is None:
            failed |= {each for condition in group for each in _mentioned(condition)}
        else:
            ranges |= found
    return Solution(ranges, frozenset(failed))


def _mentioned(condition: SizeCondition) -> set[SizeVariable]:
    return {*variables(condition.left), *variables(condition.right)}


def _groups(conditions: Sequence[SizeCondition]) -> list[list[SizeCondition]]:
    groups: list[tuple[set[SizeVariable], list[SizeCondition]]] = []
    for condition in conditions:
        mine, together = _mentioned(condition), [condition]
        others: list[tuple[set[SizeVariable], list[SizeCondition]]] = []
        for names, group in groups:
            if names & mine:
                mine, together = mine | names, group + together
            else:
                others.append((names, group))
        groups = [*others, (mine, together)]
    return [group for _, group in groups]


def _group(conditions: Sequence[SizeCondition]) -> dict[SizeVariable, Range] | None:
    for asked in (conditions, [each for each in conditions if not each.soft]):
        named = dict.fromkeys(
            var for each in conditions for var in (*variables(each.left), *variables(each.right))
        )
        rigid = [each for each in named if each.rigid]
        free = [each for each in named if not each.rigid]
        found = [
            _under(asked, free, dict.fromkeys(rigid, size))
            for size in _RIGID[: 1 + 3 * bool(rigid)]
        ]
        known = [each for each in found if each is not None]
        if known and all(each == known[0] for each in known):
            return known[0]
    return None


def _under(
    conditions: Sequence[SizeCondition], free: list[SizeVariable], rigid: Chosen
) -> dict[SizeVariable, Range] | None:
    base = _base(conditions, free, rigid)
    if base is None:
        return None
    ranges = {each: _slice(conditions, each, base) for each in free}
    while not _independent(conditions, ranges, base):
        tight = min(
            (each for each in free if ranges[each].only is None),
            key=lambda each: (ranges[each].high or _LARGEST + ranges[each].low) - ranges[each].low,
        )
        ranges[tight] = Range(base[tight], base[tight])
        ranges |= {
            each: _slice(conditions, each, base) for each in free if ranges[each].only is None
        }
    return ranges


def _base(
    conditions: Sequence[SizeCondition], free: list[SizeVariable], rigid: Chosen
) -> Chosen | None:
    """Sizes that meet the conditions, alike where they can be; then each as small as can be."""
    found = next((each for each in _candidates(free) if holds(conditions, {**rigid, **each})), None)
    if found is None:
        return None
    base = {**rigid, **found}
    for each in sorted(free, key=lambda var: var.name != "b"):
        for smaller in (2, *range(1, base[each])):
            if smaller < base[each] and holds(conditions, {**base, each: smaller}):
                base[each] = smaller
                break
    sides = [each for each in free if each.name in ("h", "w") and base[each] > 8]
    if not sides or all(each.relation != "==" for each in conditions):
        return base
    low = max(base[each] for each in sides)
    near = [size for size in _SIDES if low <= size <= low + 40]
    near += [size for size in range(low, low + 40) if size % 4 == 0]
    for size in near:
        chosen = {**base, **dict.fromkeys(sides, size)}
        if holds(conditions, chosen):
            return chosen
    return base


def _candidates(free: list[SizeVariable]) -> Iterable[Chosen]:
    batches = [each for each in free if each.name == "b"]
    sides = [each for each in free if each.name != "b"]
    for size in range(1, _LARGEST):
        yield {**dict.fromkeys(batches, 2), **dict.fromkeys(sides, size)}
    for size in range(1, _LARGEST):
        yield dict.fromkeys(free, size)
    if len(sides) in (2, 3):
        most = 72 if len(sides) == 2 else 24
        for sizes in itertools.product(range(1, most), repeat=len(sides)):
            yield {**dict.fromkeys(batches, 2), **dict(zip(sides, sizes, strict=True))}


def _slice(conditions: Sequence[SizeCondition], variable: SizeVariable, base: Chosen) -> Range:
    start = base[variable]
    mine = [each for each in conditions if variable in _mentioned(each)]
    valid = [t for t in range(start, start + _WINDOW) if holds(mine, {**base, variable: t})]
    if len(valid) == _WINDOW:
        return Range(start)
    equation = any(each.relation == "==" for each in mine)
    run = next((n for n, t in enumerate(valid) if t != start + n), len(valid))
    if run > 1:
        return Range(start, start) if equation and run < 40 else Range(start, start + run - 1)
    step = valid[1] - start if len(valid) > 1 else 0
    if step and start % step == 0 and valid == list(range(start, start + _WINDOW, step)):
        return Range(start, None, step)
    return Range(start, start)


def _independent(
    conditions: Sequence[SizeCondition], ranges: Mapping[SizeVariable, Range], base: Chosen
) -> bool:
    wide = [each for each in ranges if ranges[each].only is None]
    if not wide:
        return True
    choose = random.Random(0)  # noqa: S311 - trials that repeat
    for _ in range(60 if len(wide) > 1 else 4):
        chosen = {**base, **{each: choose.choice(ranges[each].some()) for each in wide}}
        if not holds(conditions, chosen):
            return False
    return True


def holds(conditions: Iterable[SizeCondition], chosen: Mapping[SizeVariable, int]) -> bool:
    """Return whether conditions hold of sizes."""
    try:
        return all(_holds(each, chosen) for each in conditions)
    except (ZeroDivisionError, KeyError):
        return False


def _holds(condition: SizeCondition, chosen: Mapping[SizeVariable, int]) -> bool:
    left, right = evaluated(condition.left, chosen), evaluated(condition.right, chosen)
    if condition.relation == "==":
        return left == right
    return left >= right if condition.relation == ">=" else left % right == 0
