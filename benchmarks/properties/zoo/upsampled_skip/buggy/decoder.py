import torch
import torch.nn.functional as F
from torch import Tensor


def up_and_join(small: Tensor, skip: Tensor) -> Tensor:
    """Double the size of small and lay it beside skip.

    small: (N, C, H // 2, W // 2), skip: (N, D, H, W); returns (N, C + D, H, W)
    """
    large = F.interpolate(small, scale_factor=2.0, mode="nearest")
    return torch.cat([large, skip], dim=1)
