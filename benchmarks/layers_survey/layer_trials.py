"""What comes of a layer with one or two of its arguments changed: forwards, backwards, in eval.

Inputs are scaled as well: what is wrong of a variance shows on small or on large ones.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from itertools import combinations
from typing import Any

import torch

from . import trial_calls
from .described_ranges import bounds
from .survey_models import Argument, Bounds, Outcome, Subject
from .trial_calls import Refused

NAN = "NaN"
INFINITE = "infinity"
NEGATIVE = "negative output of a positive input"
NEGATIVE_LOSS = "negative loss"
SOFT = frozenset({NEGATIVE_LOSS})
"""Signs that make nothing illegal by themselves."""
_SCALES = (1.0, 0.01, 100.0)
_INTEGERS = tuple(str(value) for value in (-7, -3, -2, -1, 0, 1, 2, 3, 4, 5, 6))
_FLOATS = tuple(
    repr(value)
    for value in (
        *(-100.0, -2.0, -1.001, -1.0, -0.5, -0.001, 0.0, 0.001),
        *(0.5, 1.0, 1.001, 2.0, 100.0),
    )
)
_PAIRED = ("1", "2", "3", "4", "6")
_MOST_PAIRED = 8
NONSENSE = "'nonsense'"


@dataclass(frozen=True)
class Trial:
    """Arguments of a layer that are changed, as sources by name."""

    changed: tuple[tuple[str, str], ...]

    @property
    def text(self) -> str:
        """What is changed, in words."""
        return ", ".join(f"{name}={value}" for name, value in self.changed)


def trials(subject: Subject) -> list[Trial]:
    """Everything that is tried of a layer: single values, values outside what is told, pairs."""
    if subject.example is None:
        return []
    singles = [
        Trial(((argument.name, value),))
        for argument in subject.arguments
        for value in values(argument, subject.checks.get(argument.name))
    ]
    counts = [each.name for each in subject.arguments if each.numeric == "int"]
    pairs = combinations(counts if len(counts) <= _MOST_PAIRED else (), 2)
    return singles + [
        Trial(((one, left), (other, right)))
        for one, other in pairs
        for left in _PAIRED
        for right in _PAIRED
    ]


def values(argument: Argument, checked: Bounds | None) -> tuple[str, ...]:
    """The sources that are tried of a parameter."""
    if not argument.numeric:
        return (NONSENSE,) if argument.choices and "str" in argument.kinds else ()
    told = [checked, bounds(argument.text, argument.numeric)]
    outside = [value for each in told if each for value in beyond(each, argument.numeric)]
    grid = _INTEGERS if argument.numeric == "int" else _FLOATS
    return tuple(sorted({*grid, *outside}, key=lambda value: (float(value), value)))


def beyond(limits: Bounds, numeric: str) -> tuple[str, ...]:
    """Sources of values outside a range: the nearest that a person would write."""
    found: list[float] = []
    if limits.low is not None and math.isfinite(limits.low):
        found.append(limits.low - 1)
    if limits.high is not None and math.isfinite(limits.high):
        found.append(limits.high + 1)
    whole = numeric == "int"
    return tuple(str(int(value)) if whole else repr(float(value)) for value in found)


def tried(subject: Subject, trial: Trial) -> Outcome:
    """What came of a trial; pairs are made and called only."""
    changed = dict(trial.changed)
    if len(changed) > 1:
        return _called(subject, changed)
    try:
        layer = trial_calls.constructed(subject.name, _arguments(subject, changed))
    except Refused as refused:
        return refused.outcome
    signs: list[str] = []
    for scale, sound in zip(_SCALES, _sound(subject), strict=False):
        if not sound:
            continue
        try:
            signs += _signs(subject, layer, scale, sound)
            layer = trial_calls.constructed(subject.name, _arguments(subject, changed))
        except Refused as refused:
            return refused.outcome
    ordered = tuple(dict.fromkeys(sorted(signs, key=_rank)))
    try:
        return Outcome(signs=ordered, digest=trial_calls.digest(layer, _inputs(subject)))
    except Refused as refused:
        return refused.outcome


def _inputs(subject: Subject) -> tuple[Any, ...]:
    assert subject.example is not None
    return trial_calls.inputs(subject.example.inputs)


def _called(subject: Subject, changed: dict[str, str]) -> Outcome:
    try:
        layer = trial_calls.constructed(subject.name, _arguments(subject, changed))
        trial_calls.forwarded(layer, _inputs(subject))
    except Refused as refused:
        return refused.outcome
    return Outcome()


def _arguments(subject: Subject, changed: dict[str, str]) -> dict[str, str]:
    assert subject.example is not None
    return {**subject.example.arguments, **changed}


@dataclass(frozen=True)
class _Sound:
    """What can be seen of the unchanged layer at a scale, so that it is no sign of a change."""

    signs: tuple[str, ...]


@cache
def _sound_of(name: str, arguments: tuple[tuple[str, str], ...], given: tuple[str, ...]) -> Any:
    """By scale: the signs of the unchanged layer, ``None`` where it cannot be called."""
    found: list[_Sound | None] = []
    for scale in _SCALES:
        try:
            layer = trial_calls.constructed(name, dict(arguments))
            found.append(_Sound(tuple(_seen(name, layer, given, scale))))
        except Refused:
            found.append(None)
    return found


def _sound(subject: Subject) -> Sequence[_Sound | None]:
    assert subject.example is not None
    arguments = tuple(sorted(subject.example.arguments.items()))
    found: Sequence[_Sound | None] = _sound_of(subject.name, arguments, subject.example.inputs)
    return found


def _signs(subject: Subject, layer: Any, scale: float, sound: _Sound) -> list[str]:
    assert subject.example is not None
    seen = _seen(subject.name, layer, subject.example.inputs, scale)
    return [sign for sign in seen if sign not in sound.signs]


def _seen(name: str, layer: Any, sources: Sequence[str], scale: float) -> list[str]:
    """What is wrong, or may be, of a layer: trained on an input, and then in eval."""
    given = _scaled(trial_calls.inputs(sources), scale)
    result = trial_calls.forwarded(layer, given)
    trial_calls.backwarded(result)
    found = [*_unfinite(trial_calls.floats(result), "")]
    found += _unfinite(trial_calls.gradients(layer, given), " gradient")
    if name.endswith("Loss") and any(bool((each < 0).any()) for each in trial_calls.floats(result)):
        found.append(NEGATIVE_LOSS)
    found += _variances(layer)
    if hasattr(layer, "eval"):
        later = trial_calls.forwarded(layer.eval(), _scaled(trial_calls.inputs(sources), scale))
        found += _unfinite(trial_calls.floats(later), " in eval")
        found += _turned(layer, sources, scale)
    return found


def _turned(layer: Any, sources: Sequence[str], scale: float) -> list[str]:
    """Whether what is positive comes out negative."""
    given = [_positive(each) for each in _scaled(trial_calls.inputs(sources), scale)]
    try:
        found = trial_calls.floats(trial_calls.forwarded(layer, given))
    except Refused:
        return []
    return [NEGATIVE] if any(bool((each < 0).any()) for each in found) else []


def _positive(value: Any) -> Any:
    return value.abs() if trial_calls.floats(value) else value


def _scaled(given: Sequence[Any], scale: float) -> tuple[Any, ...]:
    if scale == 1.0:
        return tuple(given)
    return tuple(
        (each.detach() * scale).requires_grad_() if trial_calls.floats(each) else each
        for each in given
    )


def _unfinite(tensors: Sequence[Any], where: str) -> list[str]:
    found = [NAN + where] if any(bool(torch.isnan(each).any()) for each in tensors) else []
    if any(bool(torch.isinf(each).any()) for each in tensors):
        found.append(INFINITE + where)
    return found


def _variances(layer: Any) -> list[str]:
    named = list(getattr(layer, "named_buffers", list)())
    return [
        f"negative {name}"
        for name, value in named
        if "var" in name and value is not None and bool((value < 0).any())
    ]


def _rank(sign: str) -> tuple[int, str]:
    order = (NAN, "negative running_var", NAN + " in eval", INFINITE, NAN + " gradient", NEGATIVE)
    return (order.index(sign) if sign in order else len(order), sign)
