"""The legal range of a parameter, and constraints between two, from what came of trying."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Callable, Dict, List, Mapping, Optional, Sequence, Tuple

from .nouns import Bounds, Outcome
from .trying import NEGATIVE, SOFT

_SNUG = 0.01
_FEWEST = 4
_TEMPLATES: Tuple[Tuple[str, Callable[[int, int], bool]], ...] = (
    ("{a} % {b} == 0", lambda a, b: a % b == 0),
    ("{b} % {a} == 0", lambda a, b: b % a == 0),
    ("{a} * 2 <= {b}", lambda a, b: a * 2 <= b),
    ("{b} * 2 <= {a}", lambda a, b: b * 2 <= a),
    ("{a} < {b}", lambda a, b: a < b),
    ("{b} < {a}", lambda a, b: b < a),
    ("{a} <= {b}", lambda a, b: a <= b),
    ("{b} <= {a}", lambda a, b: b <= a),
)
Outcomes = Mapping[str, Outcome]


@dataclass(frozen=True)
class Line:
    """A parameter's outcomes in the order of its values; ``tied``: its calls fix the value."""

    points: Tuple[Tuple[float, Outcome], ...]
    anchor: float
    whole: bool
    tied: bool

    def bad(self, outcome: Outcome) -> bool:
        """Whether an outcome tells that the value is illegal."""
        if self.tied:
            return outcome.stage == "construction"
        return bool(outcome.stage) or bool(hard(outcome, whole=self.whole))


def hard(outcome: Outcome, *, whole: bool) -> Tuple[str, ...]:
    """The signs that make a value illegal by themselves."""
    soft = SOFT if whole else SOFT | {NEGATIVE}
    return tuple(sign for sign in outcome.signs if sign not in soft)


def line(outcomes: Outcomes, anchor: Optional[float], *, whole: bool) -> Optional[Line]:
    """What was tried of a number, if one of its values is fine."""
    points = tuple(sorted((float(value), outcome) for value, outcome in outcomes.items()))
    tied = _is_tied(points, anchor) if whole else False
    free = Line(points, anchor or 0.0, whole, tied)
    fine = [value for value, outcome in points if not free.bad(outcome)]
    if not fine:
        return None
    nearest = min(fine, key=lambda value: abs(value - (1.0 if anchor is None else anchor)))
    return Line(points, nearest, whole, tied)


def bounds(found: Line) -> Optional[Bounds]:
    """The ends around the anchor beyond which every value tried is illegal."""
    low = _end([point for point in reversed(found.points) if point[0] < found.anchor], found)
    high = None
    if not found.whole:
        high = _end([point for point in found.points if point[0] > found.anchor], found)
    if low is None and high is None:
        return None
    quote = " and ".join(dict.fromkeys(end.quote for end in (low, high) if end and end.quote))
    return Bounds(
        low.value if low else None,
        high.value if high else None,
        bool(low and low.is_open),
        bool(high and high.is_open),
        (),
        "probing",
        quote,
    )


def constraint(one: str, other: str, outcomes: Sequence[Tuple[int, int, bool]]) -> Optional[str]:
    """The one template that tells exactly which pairs of values are taken."""
    refused = sum(not taken for _, _, taken in outcomes)
    if refused < _FEWEST or len(outcomes) - refused < _FEWEST:
        return None
    for template, holds in _TEMPLATES:
        if all(holds(a, b) is taken for a, b, taken in outcomes):
            return template.format(a=one, b=other)
    return None


@dataclass(frozen=True)
class _End:
    value: float
    is_open: bool
    quote: str


def _end(outward: List[Tuple[float, Outcome]], found: Line) -> Optional[_End]:
    """The end of the fine values, walking outward from the anchor."""
    last = found.anchor
    for index, (value, outcome) in enumerate(outward):
        if not found.bad(outcome):
            last = value
            continue
        if not all(found.bad(each) for _, each in outward[index:]):
            return None
        return _between(last, value, outward[index][1], found)
    return None


def _between(fine: float, bad: float, outcome: Outcome, found: Line) -> Optional[_End]:
    quote = outcome.error or "; ".join(hard(outcome, whole=found.whole)[:1])
    if found.whole:
        return _End(fine, False, quote) if abs(fine - bad) == 1 else None
    if abs(fine - bad) > _SNUG:
        return None
    round_fine = fine == int(fine)
    return _End(fine, False, quote) if round_fine else _End(bad, True, quote)


def _is_tied(points: Sequence[Tuple[float, Outcome]], anchor: Optional[float]) -> bool:
    """Whether calls of the layer refuse every other value that its constructor takes."""
    others = [outcome for value, outcome in points if value > 0 and value != anchor]
    called = [each for each in others if each.stage != "construction"]
    return anchor is not None and bool(called) and all(each.stage == "forward" for each in called)


def tied(outcomes: Outcomes, anchor: Optional[float]) -> bool:
    """Whether what the layer is called with has to change with a count."""
    return _is_tied(sorted((float(value), each) for value, each in outcomes.items()), anchor)


Pairs = Dict[Tuple[str, str], List[Tuple[int, int, Outcome]]]
