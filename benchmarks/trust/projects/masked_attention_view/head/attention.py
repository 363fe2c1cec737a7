"""Heads of attention, split and merged."""

import torch
from torch import Tensor


def split_heads(x: Tensor, heads: int = 4) -> Tensor:
    """(B, T, D) to (B, heads, T, D / heads)."""
    b, t, d = x.shape
    if d % heads:
        raise ValueError("heads must divide the width")
    return x.view(b, t, heads, d // heads).transpose(1, 2)


def merge_heads(x: Tensor) -> Tensor:
    """Put the heads side by side again.

    Args:
        x (Tensor): float values of shape (B, H, T, D).
    """
    b, h, t, d = x.shape
    return x.transpose(1, 2).view(b, t, h * d)


def attend(query: Tensor, key: Tensor, value: Tensor) -> Tensor:
    scores = query @ key.transpose(-2, -1) / query.size(-1) ** 0.5
    return merge_heads(torch.softmax(scores, dim=-1) @ value)


def self_attention(x: Tensor) -> Tensor:
    heads = split_heads(x)
    return attend(heads, heads, heads)


if __name__ == "__main__":
    print(self_attention(torch.rand(2, 5, 32)).shape)
