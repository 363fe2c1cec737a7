"""Metrics that are updated batch by batch."""

from __future__ import annotations

import torch
from torch import Tensor


class Mean:
    def __init__(self) -> None:
        self.reset()

    def reset(self) -> None:
        self.total, self.count = 0.0, 0

    def update(self, values: Tensor) -> None:
        self.total += float(values.sum())
        self.count += values.numel()

    def compute(self) -> float:
        if not self.count:
            return float("nan")
        return self.total / self.count


class F1:
    """F1 of a binary classifier, from logits."""

    def __init__(self, threshold: float = 0.5) -> None:
        if not 0 < threshold < 1:
            raise ValueError("threshold must be between 0 and 1")
        self.threshold = threshold
        self.counts = None

    def update(self, logits: Tensor, labels: Tensor) -> None:
        """Count; both of shape (N,), labels 0 or 1."""
        said = logits.sigmoid() >= self.threshold
        true = labels.bool()
        now = torch.stack([(said & true).sum(), (said & ~true).sum(), (~said & true).sum()])
        self.counts = now if self.counts is None else self.counts + now

    def compute(self) -> float:
        if self.counts is None:
            raise RuntimeError("update() comes first")
        hits, false, missed = self.counts.tolist()
        return 2 * hits / (2 * hits + false + missed) if hits else 0.0


def topk_accuracy(logits: Tensor, labels: Tensor, ks: tuple[int, ...] = (1, 5)) -> list[float]:
    """Accuracies for several k; logits (N, C), labels (N,)."""
    most = min(max(ks), logits.size(1))
    places = logits.topk(most, dim=1).indices
    right = places == labels[:, None]
    return [right[:, : min(k, most)].any(dim=1).float().mean().item() for k in ks]
