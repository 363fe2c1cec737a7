"""Trains a new head on a frozen backbone."""

from __future__ import annotations

import logging

import torch
from torch import nn

try:
    import timm
except ImportError:
    timm = None

log = logging.getLogger(__name__)


def device() -> torch.device:
    if torch.cuda.is_available():
        return torch.device("cuda")
    return torch.device("cpu")


def small_backbone() -> nn.Module:
    return nn.Sequential(
        nn.Conv2d(3, 8, 3, stride=2, padding=1), nn.ReLU(), nn.AdaptiveAvgPool2d(1), nn.Flatten()
    )


def backbone(name: str = "resnet18") -> tuple[nn.Module, int]:
    """A network and the width of its features; a small one where timm is not installed."""
    if timm is None:
        log.warning("timm is not installed, a small backbone takes its place")
        return small_backbone(), 8
    model = timm.create_model(name, pretrained=True, num_classes=0)
    return model, model.num_features


def freeze(model: nn.Module) -> nn.Module:
    for parameter in model.parameters():
        parameter.requires_grad = False
    return model.eval()


class FineTuned(nn.Module):
    def __init__(self, classes: int = 5) -> None:
        super().__init__()
        features, width = small_backbone(), 8
        self.features = freeze(features)
        self.head = nn.Linear(width, classes)

    def train(self, mode: bool = True) -> "FineTuned":
        super().train(mode)
        self.features.eval()
        return self

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        """Scores of pictures of shape (N, 3, H, W)."""
        with torch.no_grad():
            features = self.features(x)
        return self.head(features)
