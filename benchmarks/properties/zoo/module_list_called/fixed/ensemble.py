import torch
from torch import nn


class Ensemble(nn.Module):
    """The mean of several small networks."""

    def __init__(self, members: int, features: int, classes: int):
        super().__init__()
        self.features = features
        self.members = nn.ModuleList(nn.Linear(features, classes) for _ in range(members))

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        """x: (batch, features)"""
        if x.shape[-1] != self.features:
            raise ValueError(f"{self.features} features are needed, not {x.shape[-1]}")
        return torch.stack([member(x) for member in self.members]).mean(dim=0)
