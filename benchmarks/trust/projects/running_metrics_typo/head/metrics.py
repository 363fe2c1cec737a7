"""Metrics that are updated batch by batch."""

from __future__ import annotations

import torch
from torch import Tensor


def topk_accuracy(logits: Tensor, labels: Tensor, ks: tuple[int, ...] = (1, 5)) -> list[float]:
    """Accuracies for several k; logits (N, C), labels (N,)."""
    most = min(max(ks), logits.size(1))
    places = logits.topk(most, dim=1).indices
    right = places == label[:, None]
    return [right[:, : min(k, most)].any(dim=1).float().mean().item() for k in ks]
