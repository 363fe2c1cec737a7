import torch
import torch.nn.functional as F


def smooth(x: torch.Tensor, radius: int = 1) -> torch.Tensor:
    """Moving average of signals of shape (N, C, T)."""
    size = 2 * radius + 1
    weight = torch.full((x.size(1), 1, size), 1.0 / size)
    return F.conv1d(x, weight, padding=radius, groups=x.size(1))


def denoise(x):
    return x - smooth(x, 2)
