from typing import Optional

import torch
from torch import Tensor


def attention(q: Tensor, k: Tensor, v: Tensor, scale: Optional[float] = None) -> Tensor:
    """Attention over the last two axes.

    Args:
        q: queries, (..., n, d)
        k: keys, (..., m, d)
        v: values, (..., m, e)
        scale: what scores are multiplied by, default 1 / sqrt(d)
    """
    if scale is None:
        scale = q.shape[-1] ** -0.5
    scores = torch.matmul(q, k.transpose(-1, -2)) * scale
    return torch.matmul(scores.softmax(dim=-1), v)
