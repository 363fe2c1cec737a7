import math

import torch


def with_positions(x: torch.Tensor) -> torch.Tensor:
    """Add sinusoidal positions.  x: (batch, time, dim) with an even dim."""
    batch, time, dim = x.shape
    assert dim % 2 == 0, "dim must be even"
    places = torch.arange(time, device=x.get_device())[:, None]
    rates = torch.exp(torch.arange(0, dim, 2, device=x.device) * (-math.log(10000.0) / dim))
    table = torch.zeros(time, dim, device=x.device)
    table[:, 0::2] = torch.sin(places * rates)
    table[:, 1::2] = torch.cos(places * rates)
    return x + table
