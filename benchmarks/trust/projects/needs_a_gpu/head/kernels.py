"""Operations for the inference server."""

import torch


def fused_scale(x: torch.Tensor, scale: float = 2.0) -> torch.Tensor:
    """Scale a tensor of shape (n, d) in place on the current stream."""
    x = x.to("cuda", non_blocking=True)
    stream = torch.cuda.current_stream()
    with torch.cuda.stream(stream):
        x.mul_(scale)
    return x
