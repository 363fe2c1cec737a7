import torch
from torch import nn


def linear_probe(pictures: torch.Tensor, classes: int = 10) -> torch.Tensor:
    """Logits of an untrained probe for square pictures (n, c, side, side), side at least 8."""
    n, c, side, _ = pictures.shape
    stem = nn.Sequential(
        nn.Conv2d(c, 8, 3, stride=2, padding=1), nn.ReLU(), nn.Conv2d(8, 8, 3, stride=2, padding=1)
    )
    head = nn.Linear(8 * (side // 4) ** 2, classes)
    return head(stem(pictures).flatten(1))
