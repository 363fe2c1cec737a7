"""The legal range of a parameter, and constraints between two, from what came of trying."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from .layer_trials import NEGATIVE, SOFT
from .survey_models import Bounds, Outcome

_SNUG = 0.01
_FEWEST = 4
_LESS = re.compile(r"\w+ < \w+")
_TEMPLATES: tuple[tuple[str, Callable[[int, int], bool]], ...] = (
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

    points: tuple[tuple[float, Outcome], ...]
    anchor: float
    whole: bool
    tied: bool

    def bad(self, outcome: Outcome) -> bool:
        """Whether an outcome tells that the value is illegal."""
        if self.tied:
            return outcome.stage == "construction"
        return bool(outcome.stage) or bool(hard(outcome, whole=self.whole))


def hard(outcome: Outcome, *, whole: bool) -> tuple[str, ...]:
    """The signs that make a value illegal by themselves."""
    soft = SOFT if whole else SOFT | {NEGATIVE}
    return tuple(sign for sign in outcome.signs if sign not in soft)


def line(outcomes: Outcomes, anchor: float | None, *, whole: bool) -> Line | None:
    """What was tried of a number, if one of its values is fine."""
    points = tuple(sorted((float(value), outcome) for value, outcome in outcomes.items()))
    tied = _is_tied(points, anchor) if whole else False
    free = Line(points, anchor or 0.0, whole, tied)
    fine = [value for value, outcome in points if not free.bad(outcome)]
    if not fine:
        return None
    nearest = min(fine, key=lambda value: abs(value - (1.0 if anchor is None else anchor)))
    return Line(points, nearest, whole, tied)


def bounds(found: Line) -> Bounds | None:
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


def constraint(one: str, other: str, outcomes: Sequence[tuple[int, int, bool]]) -> str | None:
    """The one template that tells exactly which pairs of values are taken."""
    refused = sum(not taken for _, _, taken in outcomes)
    if refused < _FEWEST or len(outcomes) - refused < _FEWEST:
        return None
    for template, holds in _TEMPLATES:
        if all(holds(a, b) is taken for a, b, taken in outcomes):
            return template.format(a=one, b=other)
    return None


def merged(constraints: Sequence[str]) -> tuple[str, ...]:
    """Constraints of pairs, those to be less than one or the other value in one.

    Were less than both needed, neither pair alone would tell exactly what is taken.
    """
    sides = [each.split(" < ") for each in constraints if _LESS.fullmatch(each)]
    greater: dict[str, list[str]] = {}
    for less, other in sides:
        greater.setdefault(less, []).append(other)
    found = [each for each in constraints if not _LESS.fullmatch(each)]
    for less, others in greater.items():
        most = others[0] if len(others) == 1 else f"max({', '.join(sorted(others))})"
        found.append(f"{less} < {most}")
    return tuple(sorted(found))


@dataclass(frozen=True)
class _End:
    value: float
    is_open: bool
    quote: str


def _end(outward: list[tuple[float, Outcome]], found: Line) -> _End | None:
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


def _between(fine: float, bad: float, outcome: Outcome, found: Line) -> _End | None:
    quote = outcome.error or "; ".join(hard(outcome, whole=found.whole)[:1])
    if found.whole:
        of_input = bad > 0 and outcome.stage != "construction"
        is_next = bad == 0 or fine - bad == 1
        return _End(bad + 1, is_open=False, quote=quote) if is_next and not of_input else None
    if abs(fine - bad) > _SNUG:
        return None
    round_fine = fine == int(fine)
    return (
        _End(fine, is_open=False, quote=quote)
        if round_fine
        else _End(bad, is_open=True, quote=quote)
    )


def _is_tied(points: Sequence[tuple[float, Outcome]], anchor: float | None) -> bool:
    """Whether calls of the layer refuse other values that its constructor takes.

    All others, or the smallest ones: an index of the input lies beyond so few.
    """
    others = [outcome for value, outcome in points if value > 0 and value != anchor]
    called = [each for each in others if each.stage != "construction"]
    if not anchor or anchor < 0 or not called:
        return False
    if all(each.stage == "forward" for each in called):
        return True
    return any(value in (1, 2) and each.stage == "forward" for value, each in points)


def tied(outcomes: Outcomes, anchor: float | None) -> bool:
    """Whether what the layer is called with has to change with a count."""
    return _is_tied(sorted((float(value), each) for value, each in outcomes.items()), anchor)
