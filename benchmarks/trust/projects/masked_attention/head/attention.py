"""Multi-head attention with optional masks."""

import math
from typing import Optional

import torch
from torch import Tensor, nn


def causal_mask(size: int, device=None) -> Tensor:
    """A (size, size) mask, True where a position may be attended to."""
    return torch.ones(size, size, dtype=torch.bool, device=device).tril()


def padding_mask(lengths: Tensor, longest: Optional[int] = None) -> Tensor:
    """True for real tokens.

    Args:
        lengths (LongTensor): the lengths of the sequences, shape (B,), at least 1.
        longest (int, optional): width of the mask; the longest sequence by default.
    """
    longest = longest or int(lengths.max())
    return torch.arange(longest, device=lengths.device)[None, :] < lengths[:, None]


def scaled_dot_product(query: Tensor, key: Tensor, value: Tensor, mask: Optional[Tensor] = None) -> Tensor:
    """Attend.

    Args:
        query (Tensor): shape (B, h, Tq, d).
        key (Tensor): shape (B, h, Tk, d).
        value (Tensor): shape (B, h, Tk, d).
        mask (Tensor, optional): boolean, broadcastable to (B, h, Tq, Tk); True attends.
    """
    scores = query @ key.transpose(-2, -1) / math.sqrt(query.size(-1))
    if mask is not None:
        scores = scores.masked_fill(~mask, torch.finfo(scores.dtype).min)
    return scores.softmax(dim=-1) @ value


class MultiHeadAttention(nn.Module):
    def __init__(self, dim: int = 32, heads: int = 4, dropout: float = 0.0) -> None:
        super().__init__()
        assert dim % heads == 0, "dim must be divisible by heads"
        self.heads = heads
        self.query = nn.Linear(dim, dim)
        self.key = nn.Linear(dim, dim)
        self.value = nn.Linear(dim, dim)
        self.out = nn.Linear(dim, dim)
        self.dropout = nn.Dropout(dropout)

    def _split(self, x: Tensor) -> Tensor:
        b, t, d = x.shape
        return x.view(b, t, self.heads, d // self.heads).transpose(1, 2)

    def forward(self, x: Tensor, memory: Optional[Tensor] = None, mask: Optional[Tensor] = None) -> Tensor:
        """Attend from x (B, T, dim) to memory (B, S, dim), to x itself without memory.

        ``mask`` is boolean of shape (B, S), True for real tokens.
        """
        memory = x if memory is None else memory
        query, key, value = (self._split(layer(item)) for layer, item in
                             ((self.query, x), (self.key, memory), (self.value, memory)))
        if mask is not None:
            mask = mask[:, None, None, :]
        attended = scaled_dot_product(query, key, value, mask)
        b, h, t, d = attended.shape
        return self.dropout(self.out(attended.transpose(1, 2).reshape(b, t, h * d)))
