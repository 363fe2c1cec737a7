import torch
import torch.nn.functional as F


def pyramid_pool(features: torch.Tensor, levels: int = 3) -> torch.Tensor:
    """Spatial pyramid pooling of (n, c, h, w): (n, c * (1 + 4 + 9 + ...))."""
    assert features.dim() == 4

    def pool(level):
        side = level + 1
        pooled = F.adaptive_max_pool2d(features, side)
        return pooled.flatten(2)

    return torch.cat([pool(level) for level in range(levels)], dim=1)
