"""Ranges of parameters that the documentation states in so many words.

Data to be read and judged by people.  A row holds only while the installed
version's documentation still says what it quotes.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import inf
from typing import Dict, Tuple


@dataclass(frozen=True)
class Stated:
    """That a parameter is from ``low`` to ``high``, as ``quote`` says; ``strict`` without low."""

    api: str
    parameter: str
    low: float
    high: float
    quote: str
    strict: bool = False

    def admits(self, value: float) -> bool:
        """Whether a number is in the range; NaN is in none."""
        return (value > self.low if self.strict else value >= self.low) and value <= self.high


_F = "torch.nn.functional."
_SMOOTHING = "A float in [0.0, 1.0]"
_POSITIVE = "The value must be positive"
_BETWEEN = "with values between 0 and 1"
_WINDOW = "must be > 0"

RANGES: Tuple[Stated, ...] = (
    Stated(_F + "cross_entropy", "label_smoothing", 0, 1, _SMOOTHING),
    Stated("torch.nn.CrossEntropyLoss", "label_smoothing", 0, 1, _SMOOTHING),
    Stated(_F + "linear_cross_entropy", "label_smoothing", 0, 1, _SMOOTHING),
    Stated("torch.nn.LinearCrossEntropyLoss", "label_smoothing", 0, 1, _SMOOTHING),
    Stated("torch.nn.HuberLoss", "delta", 0, inf, _POSITIVE, strict=True),
    Stated("torch.nn.SmoothL1Loss", "beta", 0, inf, "The value must be non-negative"),
    Stated(_F + "gumbel_softmax", "tau", 0, inf, "non-negative scalar temperature"),
    Stated(_F + "binary_cross_entropy", "target", 0, 1, _BETWEEN),
    Stated(_F + "binary_cross_entropy_with_logits", "target", 0, 1, _BETWEEN),
    Stated("torch.nn.BCELoss", "target", 0, 1, "should be numbers between 0 and 1"),
    Stated("torch.svd_lowrank", "niter", 0, inf, "niter must be a nonnegative"),
    Stated("torch.pca_lowrank", "niter", 0, inf, "niter must be a nonnegative"),
    Stated(_F + "max_pool1d", "dilation", 0, inf, _WINDOW, strict=True),
    Stated(_F + "max_pool2d", "dilation", 0, inf, _WINDOW, strict=True),
    Stated(_F + "max_pool3d", "dilation", 0, inf, _WINDOW, strict=True),
    Stated("torch.nn.MaxPool1d", "dilation", 0, inf, _WINDOW, strict=True),
    Stated("torch.unravel_index", "indices", 0, inf, "All elements must be non-negative"),
    Stated("torch.nonzero_static", "size", 0, inf, "must be a non-negative integer"),
    Stated("torch.cdist", "p", 0, inf, r"\in [0, \infty]"),
)


def stated_for(api: str) -> Tuple[Stated, ...]:
    """The ranges of an API's parameters."""
    return _BY_API.get(api, ())


_BY_API: Dict[str, Tuple[Stated, ...]] = {
    api: tuple(row for row in RANGES if row.api == api) for api in {row.api for row in RANGES}
}
