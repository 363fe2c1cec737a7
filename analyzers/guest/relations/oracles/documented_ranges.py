"""Ranges of parameters quoted from the documentation; a row holds while it still says so."""

from __future__ import annotations

import inspect
from dataclasses import dataclass
from math import inf, isnan
from typing import Any, Iterator

from ..library_calls import success_outcome
from ..relation_types import EXCEPTION, STATUS, CallOutcome, Disagreement
from .call_under_test import CallUnderTest
from .call_values import leaves


@dataclass(frozen=True)
class StatedRange:
    """Range of a parameter from ``low`` to ``high``, as ``quote`` says; ``strict`` without low."""

    api: str
    parameter: str
    low: float
    high: float
    quote: str
    strict: bool = False

    def admits(self, value: float) -> bool:
        """Return whether a number is in the range; NaN is in none."""
        return (value > self.low if self.strict else value >= self.low) and value <= self.high


_F = "torch.nn.functional."
_SMOOTHING = "A float in [0.0, 1.0]"
_POSITIVE = "The value must be positive"
_BETWEEN = "with values between 0 and 1"
_WINDOW = "must be > 0"

RANGES: tuple[StatedRange, ...] = (
    StatedRange(_F + "cross_entropy", "label_smoothing", 0, 1, _SMOOTHING),
    StatedRange("torch.nn.CrossEntropyLoss", "label_smoothing", 0, 1, _SMOOTHING),
    StatedRange(_F + "linear_cross_entropy", "label_smoothing", 0, 1, _SMOOTHING),
    StatedRange("torch.nn.LinearCrossEntropyLoss", "label_smoothing", 0, 1, _SMOOTHING),
    StatedRange("torch.nn.HuberLoss", "delta", 0, inf, _POSITIVE, strict=True),
    StatedRange("torch.nn.SmoothL1Loss", "beta", 0, inf, "The value must be non-negative"),
    StatedRange(_F + "gumbel_softmax", "tau", 0, inf, "non-negative scalar temperature"),
    StatedRange(_F + "binary_cross_entropy", "target", 0, 1, _BETWEEN),
    StatedRange(_F + "binary_cross_entropy_with_logits", "target", 0, 1, _BETWEEN),
    StatedRange("torch.nn.BCELoss", "target", 0, 1, "should be numbers between 0 and 1"),
    StatedRange("torch.svd_lowrank", "niter", 0, inf, "niter must be a nonnegative"),
    StatedRange("torch.pca_lowrank", "niter", 0, inf, "niter must be a nonnegative"),
    StatedRange(_F + "max_pool1d", "dilation", 0, inf, _WINDOW, strict=True),
    StatedRange(_F + "max_pool2d", "dilation", 0, inf, _WINDOW, strict=True),
    StatedRange(_F + "max_pool3d", "dilation", 0, inf, _WINDOW, strict=True),
    StatedRange("torch.nn.MaxPool1d", "dilation", 0, inf, _WINDOW, strict=True),
    StatedRange("torch.unravel_index", "indices", 0, inf, "All elements must be non-negative"),
    StatedRange("torch.nonzero_static", "size", 0, inf, "must be a non-negative integer"),
    StatedRange("torch.cdist", "p", 0, inf, r"\in [0, \infty]"),
)


_BY_API: dict[str, tuple[StatedRange, ...]] = {
    api: tuple(row for row in RANGES if row.api == api) for api in {row.api for row in RANGES}
}

NAME = "documentation"


def judge(trial: CallUnderTest) -> Iterator[Disagreement]:
    """Yield each stated range that a call which returned does not keep."""
    rows = _BY_API.get(trial.live.api, ())
    documentation = " ".join(str(trial.live.function.__doc__).split()) if rows else ""
    given = _bound(trial.live.function, trial.live.arguments, trial.live.keywords) if rows else {}
    if rows and trial.live.inputs is not None:
        forward = getattr(trial.live.function, "forward", None)
        given.update(_bound(forward, [None, *trial.live.inputs], {}))
    for row in rows:
        numbers = (number for leaf in leaves(given.get(row.parameter)) for number in _numbers(leaf))
        is_outside = any(not isnan(number) and not row.admits(number) for number in numbers)
        if row.quote in documentation and is_outside:
            related = f"its documentation: {row.parameter} is {row.quote!r}"
            text = f"an exception, for {row.parameter} is out of its stated range"
            outcome, expected = success_outcome(trial.value), CallOutcome(EXCEPTION, text)
            yield Disagreement(trial.live.api, related, NAME, STATUS, outcome, expected)


def _bound(function: Any, arguments: list[Any], keywords: dict[str, Any]) -> dict[str, Any]:
    try:
        return dict(inspect.signature(function).bind(*arguments, **keywords).arguments)
    except (TypeError, ValueError):
        return dict(keywords)


def _numbers(leaf: Any) -> list[float]:
    if type(leaf) in (int, float):
        return [float(leaf)]
    if not hasattr(leaf, "detach") or not leaf.numel() or leaf.is_complex():
        return []
    return [float(leaf.min()), float(leaf.max())]
