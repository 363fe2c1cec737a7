"""Operations for the inference server."""

import torch
from torch import nn


def fused_scale(x: torch.Tensor, scale: float = 2.0) -> torch.Tensor:
    """Scale a tensor of shape (n, d) in place on the current stream."""
    x = x.to("cuda", non_blocking=True)
    stream = torch.cuda.current_stream()
    with torch.cuda.stream(stream):
        x.mul_(scale)
    return x


class Pinned(nn.Module):
    def __init__(self, width: int = 8) -> None:
        super().__init__()
        self.layer = nn.Linear(width, width)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        """Features of shape (N, 8)."""
        return self.layer.cuda()(x.cuda())
