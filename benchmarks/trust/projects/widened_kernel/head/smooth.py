import torch
import torch.nn.functional as F


def smooth(x: torch.Tensor, radius: int = 1) -> torch.Tensor:
    """Moving average of signals of shape (N, C, T).

    Args:
        x: the signals.
        radius: any number from 0 on; 0 changes nothing.
    """
    if radius < 0:
        raise ValueError("radius must not be negative")
    size = 2 * radius + 1
    weight = x.new_full((x.size(1), 1, size), 1.0 / size)
    return F.conv1d(x, weight, padding=radius, groups=x.size(1))


def denoise(x):
    return x - smooth(x, 2)
