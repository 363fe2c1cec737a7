"""Losses of the registration network."""

import torch
from torch import nn


def reconstruction(out, img1, img2):
    """Distance of the warped pair: all of shape (N, C, H, W)."""
    return torch.mean(torch.abs(out - img1)) + torch.mean(torch.abs(out - img2))


def photometric(out, img):
    return ((out - img) ** 2).mean()


LOSSES = {"reconstruction": reconstruction, "photometric": photometric}


def apply_loss(name, out, *args, **kwargs):
    """Evaluate the loss called ``name``; what follows ``out`` is handed through."""
    if name not in LOSSES:
        raise KeyError(f"unknown loss {name!r}")
    return LOSSES[name](out, *args, **kwargs)


class Weighted(nn.Module):
    """A loss times a weight."""

    def __init__(self, weight: float = 1.0, name: str = "reconstruction"):
        super().__init__()
        self.weight = weight
        self.name = name

    def forward(self, out, *args):
        return self.weight * apply_loss(self.name, out, *args)
