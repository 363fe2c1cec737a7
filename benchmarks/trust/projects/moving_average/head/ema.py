"""An exponential moving average of a model's weights."""

from __future__ import annotations

import copy
from typing import Iterable

import torch
from torch import nn


class ModelEma:
    """Keeps a smoothed copy of a model."""

    def __init__(self, model: nn.Module, decay: float = 0.99) -> None:
        if not 0.0 <= decay < 1.0:
            raise ValueError("decay must be in [0, 1)")
        self.decay = decay
        self.module = copy.deepcopy(model).eval()
        for parameter in self.module.parameters():
            parameter.requires_grad_(False)

    @torch.no_grad()
    def update(self, model: nn.Module) -> None:
        ours, theirs = self.module.state_dict(), model.state_dict()
        for name, value in ours.items():
            if value.dtype.is_floating_point:
                value.mul_(self.decay).add_(theirs[name], alpha=1 - self.decay)
            else:
                value.copy_(theirs[name])


def clip_gradients(parameters: Iterable[nn.Parameter], most: float = 1.0) -> float:
    """Scale gradients to a total norm of at most ``most``; the norm before."""
    gradients = [p.grad for p in parameters if p.grad is not None]
    if not gradients:
        return 0.0
    total = torch.linalg.vector_norm(torch.stack([g.norm() for g in gradients])).item()
    if total > most:
        for gradient in gradients:
            gradient.mul_(most / (total + 1e-6))
    return total


def count_parameters(model: nn.Module, trainable: bool = True) -> int:
    return sum(p.numel() for p in model.parameters() if p.requires_grad or not trainable)
