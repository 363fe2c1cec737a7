"""What is said of a layer in the end: sources weighed, and each with its words.

Its own code says most, then documentation, then torch's own error inputs, then what came
of trying; a noun alone (a *number* of channels) says nothing that trying does not bear out.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from . import probed_ranges
from .described_ranges import bounds as documented_bounds
from .layer_trials import NONSENSE
from .survey_models import Argument, Bounds, Outcome, Subject, Tried
from .trial_calls import written

NOTHING = "nothing to be seen"
Row = dict[str, Any]
Errors = Mapping[str, Sequence[tuple[float, str]]]


def row(subject: Subject, tried: Tried, errors: Errors) -> Row:
    """A layer as its file has it; ``errors``: what torch's own tests say of parameters."""
    example = subject.example
    requires = _requires(subject, tried)
    return {
        "name": subject.name,
        "describes": subject.describes,
        "container": subject.container,
        "keeps_shape": bool(example and example.keeps_shape),
        "example": written(subject.name, example.arguments) if example else "",
        "inputs": list(example.inputs) if example else [],
        "requires": list(requires),
        "parameters": [
            _parameter(_About(subject, each, tried.outcomes.get(each.name, {}), requires, errors))
            for each in subject.arguments
        ],
    }


@dataclass(frozen=True)
class _About:
    """All that is known of a parameter of a layer."""

    subject: Subject
    argument: Argument
    outcomes: Mapping[str, Outcome]
    requires: tuple[str, ...]
    errors: Errors


def _parameter(about: _About) -> Row:
    subject, argument, outcomes = about.subject, about.argument, about.outcomes
    anchor = _anchor(subject, argument)
    limits = _limits(about) or Bounds(said_by="signature")
    edges = _edges(limits, outcomes)
    unchecked = [edge for edge in edges if not edge["refused"]]
    is_tied = argument.numeric == "int" and probed_ranges.tied(outcomes, anchor)
    told: Row = {
        "name": argument.name,
        "kinds": list(argument.kinds),
        "default": argument.default,
        "low": limits.low,
        "high": limits.high,
        "open_low": limits.open_low,
        "open_high": limits.open_high,
        "choices": list(limits.choices),
        "length": argument.length,
        "said_by": limits.said_by,
        "quote": limits.quote,
        "checked": not unchecked,
        "consequence": unchecked[0]["consequence"] if unchecked else "",
        "edges": edges,
        "tied": is_tied,
    }
    always = ("name", "kinds")
    return {key: value for key, value in told.items() if key in always or _tells(key, value)}


def _tells(key: str, value: object) -> bool:
    """Whether a field says something that its absence does not."""
    if key == "checked":
        return value is False
    return value not in ("", None, False, []) or (value == 0 and value is not False)


def _limits(about: _About) -> Bounds | None:
    argument = about.argument
    code = about.subject.checks.get(argument.name)
    if argument.choices and set(argument.kinds) <= {"str", "none"}:
        return code if code and code.choices else _listing(argument)
    if not argument.numeric:
        return code if code and set(argument.kinds) & {"ints", "floats"} else None
    told = documented_bounds(argument.text, argument.numeric)
    tried = _of_trying(about)
    if code is not None:
        return _whole(code, argument)
    if told is not None and told.firm:
        return told
    return None if tried is None else _whole(tried, argument)


def _listing(argument: Argument) -> Bounds:
    """The choices of the annotation or the documentation, with the words that list them."""
    words = argument.text.partition(". ")[0][:200]
    listed = f"Literal[{', '.join(argument.choices)}]"
    source = "documentation" if words else "signature"
    return Bounds(choices=argument.choices, said_by=source, quote=words or listed)


def _of_trying(about: _About) -> Bounds | None:
    argument, errors = about.argument, about.errors
    whole = argument.numeric == "int"
    anchor = _anchor(about.subject, argument)
    found = probed_ranges.line(_allowed(about), anchor, whole=whole)
    limits = probed_ranges.bounds(found) if found else None
    if limits is None:
        return None
    for value, text in errors.get(argument.name, ()):
        if not limits.holds(value):
            return replace(limits, said_by="error", quote=text)
    return limits


def _allowed(about: _About) -> dict[str, Outcome]:
    """The outcomes of values that no constraint with the other arguments forbids."""
    name = about.argument.name
    given = {each.name: _anchor(about.subject, each) for each in about.subject.arguments}
    conditions = [each for each in about.requires if re.search(rf"\b{name}\b", each)]
    return {
        value: outcome
        for value, outcome in about.outcomes.items()
        if float(value) <= 0
        or all(_holds(each, {**given, name: float(value)}) for each in conditions)
    }


def _holds(condition: str, values: Mapping[str, float | None]) -> bool:
    try:
        return bool(eval(condition, {"max": max}, dict(values)))
    except (TypeError, ZeroDivisionError):
        return True


def _whole(limits: Bounds, argument: Argument) -> Bounds:
    """Bounds on integers are within the range."""
    if argument.numeric != "int":
        return limits
    low, high = limits.low, limits.high
    return replace(
        limits,
        low=low + 1 if low is not None and limits.open_low else low,
        high=high - 1 if high is not None and limits.open_high else high,
        open_low=False,
        open_high=False,
    )


def _edges(limits: Bounds, outcomes: Mapping[str, Outcome]) -> list[Row]:
    """What came of values outside, the nearest first that is not a rounding away."""
    if limits.choices:
        outside = [NONSENSE] if NONSENSE in outcomes else []
    else:
        outside = [*_side(_below(limits, outcomes), outcomes)]
        outside += _side(_above(limits, outcomes), outcomes)
    same = {outcomes[end].digest: end for end in _ends(limits, outcomes)}
    return [_edge(value, outcomes[value], same) for value in outside]


def _ends(limits: Bounds, outcomes: Mapping[str, Outcome]) -> list[str]:
    """The sources of the ends of a range that were tried and taken."""
    ends = (limits.low, limits.high)
    return [
        value
        for value, outcome in outcomes.items()
        if outcome.digest and value != NONSENSE and float(value) in ends
    ]


def _side(outward: Sequence[str], outcomes: Mapping[str, Outcome]) -> list[str]:
    """The nearest value, and the nearest that is taken where that is another."""
    taken = [value for value in outward if not outcomes[value].stage]
    return list(dict.fromkeys([*outward[:1], *taken[:1]]))


def _edge(value: str, outcome: Outcome, same: Mapping[str, str]) -> Row:
    if outcome.stage:
        return {"value": value, "refused": outcome.stage, "consequence": outcome.error}
    quiet = f"taken as {same[outcome.digest]}" if outcome.digest in same else NOTHING
    consequence = outcome.signs[0] if outcome.signs else quiet
    return {"value": value, "refused": "", "consequence": consequence}


def _below(limits: Bounds, outcomes: Mapping[str, Outcome]) -> list[str]:
    """The values tried below a range, that nearest to it first."""
    low = limits.low
    if low is None:
        return []
    return sorted((each for each in outcomes if float(each) <= low - 1), key=float, reverse=True)


def _above(limits: Bounds, outcomes: Mapping[str, Outcome]) -> list[str]:
    """The values tried above a range, that nearest to it first."""
    high = limits.high
    if high is None:
        return []
    return sorted((each for each in outcomes if float(each) >= high + 1), key=float)


def _anchor(subject: Subject, argument: Argument) -> float | None:
    """The value that the example works with."""
    given = subject.example.arguments if subject.example else {}
    source = given.get(argument.name, argument.default)
    numbers = re.findall(r"-?\d+\.?\d*(?:e-?\d+)?", source)
    return float(numbers[0]) if numbers else None


def _requires(subject: Subject, tried: Tried) -> tuple[str, ...]:
    """Constraints between parameters, of the code and of trying pairs."""
    found: list[str] = []
    for (one, other), outcomes in tried.pairs.items():
        is_tied = any(_is_tied(subject, tried, name) for name in (one, other))
        stages = ("construction",) if is_tied else ("construction", "forward")
        taken = [(a, b, outcome.stage not in stages) for a, b, outcome in outcomes]
        constraint = probed_ranges.constraint(one, other, taken)
        found += [constraint] if constraint else []
    return tuple(sorted({*subject.requires, *probed_ranges.merged(found)}))


def _is_tied(subject: Subject, tried: Tried, name: str) -> bool:
    argument = subject.argument(name)
    outcomes = tried.outcomes.get(name, {})
    return argument is not None and probed_ranges.tied(outcomes, _anchor(subject, argument))
