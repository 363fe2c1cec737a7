"""Models that are small enough to be run a hundred times."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import torch

from analyzers.guest.models.model_types import ModelUnderTest


class Function(torch.nn.Module):
    """A function of tensors as a module."""

    def __init__(self, function: Callable[..., Any]) -> None:
        super().__init__()
        self.function = function

    def forward(self, *inputs: Any, **keywords: Any) -> Any:
        return self.function(*inputs, **keywords)


def numbers(*shape: int, seed: int = 1) -> torch.Tensor:
    """Normal random numbers, always the same."""
    return torch.randn(shape, generator=torch.Generator().manual_seed(seed))


def model_of(function: Callable[..., Any], *inputs: Any, **keywords: Any) -> ModelUnderTest:
    """A model that is one function."""
    return ModelUnderTest(Function(function).eval(), inputs, keywords)


def small_network() -> ModelUnderTest:
    """A convolution, a normalisation and a linear layer."""
    torch.manual_seed(0)
    network = torch.nn.Sequential(
        torch.nn.Conv2d(2, 3, 3),
        torch.nn.BatchNorm2d(3),
        torch.nn.ReLU(),
        torch.nn.Flatten(),
        torch.nn.Linear(3 * 4 * 4, 5),
    )
    return ModelUnderTest(network.eval(), (numbers(2, 2, 6, 6),))
