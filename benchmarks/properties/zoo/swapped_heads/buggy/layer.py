import torch
from torch import nn

from mha import merge_heads, split_heads


class SelfAttention(nn.Module):
    def __init__(self, width: int = 32, heads: int = 4):
        super().__init__()
        self.heads = heads
        self.qkv = nn.Linear(width, 3 * width)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        q, k, v = (split_heads(part, self.heads) for part in self.qkv(x).chunk(3, dim=-1))
        scores = (q @ k.transpose(-1, -2)).softmax(dim=-1)
        return merge_heads(scores @ v)
