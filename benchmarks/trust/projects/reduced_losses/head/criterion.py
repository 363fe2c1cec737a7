"""Losses with the usual three reductions."""

from __future__ import annotations

from typing import Literal, Optional

import torch
import torch.nn as nn
import torch.nn.functional as F
from torch import Tensor

Reduction = Literal["none", "mean", "sum"]


def reduce_loss(loss: Tensor, reduction: Reduction = "mean", weight: Optional[Tensor] = None) -> Tensor:
    """Reduce an element-wise loss.

    Args:
        loss (Tensor): of any shape.
        reduction (str): 'none', 'mean' or 'sum'.
        weight (Tensor, optional): weights of the same shape as ``loss``.
    """
    if weight is not None:
        loss = loss * weight
    if reduction == "mean":
        return loss.mean()
    elif reduction == "sum":
        return loss.sum()
    return loss


def focal_loss(
    inputs: Tensor,
    targets: Tensor,
    alpha: float = 0.25,
    gamma: float = 2.0,
    reduction: Reduction = "none",
) -> Tensor:
    """Focal loss for dense detection.

    Args:
        inputs: float logits of arbitrary shape.
        targets: float labels with the same shape as inputs (0 or 1).
        alpha: weight of the positive class in (0, 1), or -1 to ignore.
        gamma: exponent of the modulating factor.
        reduction: 'none' | 'mean' | 'sum'.
    """
    probability = torch.sigmoid(inputs)
    entropy = F.binary_cross_entropy_with_logits(inputs, targets, reduction="none")
    correct = probability * targets + (1 - probability) * (1 - targets)
    loss = entropy * ((1 - correct) ** gamma)
    if alpha >= 0:
        loss = (alpha * targets + (1 - alpha) * (1 - targets)) * loss
    return reduce_loss(loss, reduction)


def huber(prediction: Tensor, target: Tensor, delta: float = 1.0, reduction: Reduction = "mean") -> Tensor:
    if delta <= 0:
        raise ValueError("delta must be positive")
    error = (prediction - target).abs()
    quadratic = error.clamp(max=delta)
    return reduce_loss(0.5 * quadratic**2 + delta * (error - quadratic), reduction)


class FocalLoss(nn.Module):
    def __init__(self, alpha: float = 0.25, gamma: float = 2.0, reduction: Reduction = "mean") -> None:
        super().__init__()
        if reduction not in ("none", "mean", "sum"):
            raise ValueError(f"invalid reduction: {reduction}")
        self.alpha, self.gamma, self.reduction = alpha, gamma, reduction

    def forward(self, inputs: Tensor, targets: Tensor) -> Tensor:
        return focal_loss(inputs, targets, self.alpha, self.gamma, self.reduction)
