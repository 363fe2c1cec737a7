"""Relative position biases."""

import math

import torch
from torch import nn


def bucket(distance: torch.Tensor, buckets: int = 16, longest: int = 64) -> torch.Tensor:
    """Buckets of signed distances: near ones each their own, far ones by logarithm."""
    if buckets < 4 or buckets % 2:
        raise ValueError("buckets must be even and at least 4")
    half = buckets // 2
    side = (distance > 0).long() * half
    distance = distance.abs()
    exact = half // 2
    scale = (half - exact) / math.log(max(longest / exact, 1.0 + 1e-6))
    far = exact + (torch.log(distance.clamp(min=1).float() / exact) * scale).long()
    return side + torch.where(distance < exact, distance, far.clamp(max=half - 1))


class RelativeBias(nn.Module):
    def __init__(self, heads: int = 2, buckets: int = 16) -> None:
        super().__init__()
        self.buckets = buckets
        self.table = nn.Embedding(buckets, heads)

    def forward(self, queries: int, keys: int) -> torch.Tensor:
        """Biases of shape (1, heads, queries, keys)."""
        distance = torch.arange(keys)[None, :] - torch.arange(queries)[:, None]
        return self.table(bucket(distance, self.buckets)).permute(2, 0, 1)[None]
