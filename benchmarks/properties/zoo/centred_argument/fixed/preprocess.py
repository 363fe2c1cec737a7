from __future__ import annotations

import torch
from assayer_annotations import arg, ensure, tensors


@arg("x", tensors(dtype="float32", shape="n c", min=-100, max=100))
@ensure("unchanged(x)")
def centred(x: torch.Tensor) -> torch.Tensor:
    """x less the mean of each column. (n, c) -> (n, c)"""
    mean = x.mean(dim=0, keepdim=True)
    return x - mean


def covariance(x: torch.Tensor) -> torch.Tensor:
    """The covariance of the columns of x. (n, c) -> (c, c)"""
    y = centred(x)
    return y.T @ y / max(1, len(x) - 1)
