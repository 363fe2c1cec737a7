import torch
from torch import nn


def add_noise(model: nn.Module, std: float = 0.01) -> None:
    """Disturb every parameter by normal noise, as in parameter-space exploration."""
    if std < 0:
        raise ValueError("std is not negative")
    for parameter in model.parameters():
        parameter.data.add_(torch.randn_like(parameter), alpha=std)
