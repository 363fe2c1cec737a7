import torch
from torch import nn

from zoo.registry import register


@register("linear")
class LinearHead(nn.Module):
    def __init__(self, inputs: int = 16, classes: int = 3):
        super().__init__()
        self.fc = nn.Linear(inputs, classes)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        """Scores of features of shape (N, 16)."""
        return self.fc(x)


@register("mlp")
class MlpHead(nn.Module):
    def __init__(self, inputs: int = 16, classes: int = 3, hidden: int = 0, dropout: float = 0.0):
        super().__init__()
        hidden = hidden or 2 * inputs
        self.layers = nn.Sequential(
            nn.Linear(inputs, hidden), nn.GELU(), nn.Dropout(dropout), nn.Linear(hidden, classes)
        )

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        """Scores of features of shape (N, 16)."""
        return self.layers(x)
