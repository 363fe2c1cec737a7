"""Multi-head attention."""

import math

import torch
from torch import Tensor, nn


class MultiHeadAttention(nn.Module):
    def __init__(self, dim: int = 32, heads: int = 4) -> None:
        super().__init__()
        self.heads = heads
        self.qkv = nn.Linear(dim, 3 * dim)
        self.out = nn.Linear(dim, dim)

    def forward(self, x: Tensor) -> Tensor:
        """Attend within sequences of shape (B, T, 32)."""
        b, t, d = x.shape
        query, key, value = self.qkv(x).view(b, t, 3, self.heads, d // self.heads).unbind(2)
        scores = torch.einsum("bthd,bshd->bhts", query, key) / math.sqrt(d // self.heads)
        attended = scores.softmax(-1) @ value.transpose(1, 2)
        return self.out(attended.transpose(1, 2).view(b, t, d))
