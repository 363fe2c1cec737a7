import torch
from torch import nn


def to_lists(features: torch.Tensor) -> list[list[float]]:
    """Features (n, d) as rows of numbers for a JSON file."""
    return features.cpu().numpy().round(4).tolist()
