from __future__ import annotations

import torch


#@arg(x): tensors(dtype="float32", shape=("n", "c", "h", "w"), min=-4, max=4)
#@arg(weight): tensors(dtype="float32", shape=("c",), min=0.5, max=2)
def channel_norm(x: torch.Tensor, weight: torch.Tensor, eps: float = 1e-6) -> torch.Tensor:
    """Layer norm over channels, as in ConvNeXt.  x (n, c, h, w), weight (c,)."""
    y = x.permute(0, 2, 3, 1)
    y = y - y.mean(dim=-1, keepdim=True)
    y = y / torch.sqrt(y.pow(2).mean(dim=-1, keepdim=True) + eps)
    y = y * weight.view(1, 1, 1, -1).expand(y.shape)
    return y.permute(0, 3, 1, 2)
