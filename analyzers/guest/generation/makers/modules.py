"""Small torch modules whose outputs have the shapes asked for, and optimizers of one."""

from __future__ import annotations

from typing import Any, List, Sequence


def module(inputs: Sequence[int], outputs: Sequence[int], seed: int = 0) -> Any:
    """A ``torch.nn.Sequential`` from ``(*batch, *inputs)`` to ``(*batch, *outputs)``.

    Made of standard layers, without any that behave otherwise in training.
    Pictures ``(c, h, w)`` of any height and width are taken, and sequences
    ``(t, d)`` of any length where ``outputs`` keeps theirs.  ``()`` is a number
    for each element of the batch, which may not be missing then.  The weights
    depend on ``seed`` alone; the global generator stays as it is.
    """
    import torch

    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(seed)
        return torch.nn.Sequential(*_layers(list(inputs), list(outputs)))


def optimizer(name: str = "SGD") -> Any:
    """The optimizer ``torch.optim.<name>`` of a small linear module's parameters."""
    import torch

    network = torch.nn.Linear(4, 2, bias=name != "Muon")
    return getattr(torch.optim, name)(network.parameters(), lr=0.01)


def _layers(inputs: List[int], outputs: List[int]) -> List[Any]:
    from torch import nn

    if len(inputs) == 3 and len(outputs) in (1, 3):
        return _convolutions(inputs, outputs)
    if inputs and outputs and inputs[:-1] == outputs[:-1]:
        return [nn.Linear(inputs[-1], outputs[-1])]
    return _dense(inputs, outputs)


def _convolutions(inputs: List[int], outputs: List[int]) -> List[Any]:
    from torch import nn

    if len(outputs) == 3 and inputs[1:] == outputs[1:]:
        return [nn.Conv2d(inputs[0], outputs[0], 3, padding=1)]
    if len(outputs) == 3:
        return [nn.Conv2d(inputs[0], outputs[0], 1), nn.AdaptiveAvgPool2d(tuple(outputs[1:]))]
    return [
        nn.Conv2d(inputs[0], 4, 3, padding=1),
        nn.ReLU(),
        nn.AdaptiveAvgPool2d(1),
        nn.Flatten(-3),
        nn.Linear(4, outputs[0]),
    ]


def _dense(inputs: List[int], outputs: List[int]) -> List[Any]:
    """Through one vector: any shape to any other."""
    from math import prod

    from torch import nn

    opening: List[Any] = []
    if len(inputs) != 1:
        opening = [nn.Flatten(-len(inputs))] if inputs else [nn.Unflatten(-1, (-1, 1))]
    closing: List[Any] = []
    if len(outputs) != 1:
        closing = [nn.Unflatten(-1, tuple(outputs))] if outputs else [nn.Flatten(-2)]
    return [*opening, nn.Linear(prod(inputs), prod(outputs)), *closing]
