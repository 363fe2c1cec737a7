"""Small torch modules whose outputs have the shapes asked for, and optimizers of one."""

from __future__ import annotations

from typing import Any, Callable, Iterable, List, Sequence


def element(values: Iterable[Any], index: int) -> Any:
    """The element of ``values`` at ``index``, in the order in which they come."""
    return list(values)[index]


def function(*returns: Any) -> Callable[..., Any]:
    """A function of any arguments that returns ``returns``, or else the last array among them."""

    def made(*args: Any, **options: Any) -> Any:
        if returns:
            return returns[0]
        arrays = [each for each in (*args, *options.values()) if hasattr(each, "dtype")]
        return arrays[-1] if arrays else None

    return made


def coroutine(*returns: Any) -> Callable[..., Any]:
    """An asynchronous function of any arguments that returns what :func:`function` would."""
    plain = function(*returns)

    async def made(*args: Any, **options: Any) -> Any:
        return plain(*args, **options)

    return made


def config(of: Any = None, **fields: Any) -> Any:
    """Make a configuration: of the class ``of``, or read by attribute and key."""
    import argparse
    import types

    if of is not None:
        return (argparse.Namespace if of == "argparse" else of)(**fields)

    class Namespace(types.SimpleNamespace):
        def __getitem__(self, name: str) -> Any:
            return vars(self)[name]

        def __setitem__(self, name: str, value: Any) -> None:
            vars(self)[name] = value

        def __contains__(self, name: object) -> bool:
            return name in vars(self)

        def __iter__(self) -> Any:
            return iter(vars(self))

        def __len__(self) -> int:
            return len(vars(self))

        def __getattr__(self, name: str) -> Any:
            if name in ("keys", "items", "values", "get"):
                return getattr(vars(self), name)
            raise AttributeError(name)

    return Namespace(**fields)


def dataset(items: Sequence[Any]) -> Any:
    """A map-style ``torch.utils.data.Dataset`` whose element at ``i`` is ``items[i]``."""
    from torch.utils.data import Subset

    kept: Any = list(items)
    return Subset(kept, range(len(kept)))


def loader(items: Sequence[Any], batch_size: int = 1) -> Any:
    """A ``torch.utils.data.DataLoader`` over ``items`` in their order, with the default collate."""
    from torch.utils.data import DataLoader, Subset

    kept: Any = list(items)
    return DataLoader(Subset(kept, range(len(kept))), batch_size=batch_size)


def module(
    inputs: Sequence[int],
    outputs: Sequence[int],
    seed: int = 0,
    dtype: str = "float32",
    norm: bool = False,
) -> Any:
    """A ``torch.nn.Sequential`` from ``(*batch, *inputs)`` to ``(*batch, *outputs)``.

    Made of standard layers, without any that behave otherwise in training.
    Pictures ``(c, h, w)`` of any height and width are taken, and sequences
    ``(t, d)`` of any length where ``outputs`` keeps theirs.  ``()`` is a number
    for each element of the batch, which may not be missing then.  The weights
    depend on ``seed`` alone; the global generator stays as it is.  With ``norm`` a batch
    normalisation in evaluation mode, which has buffers, follows layers with channels.
    """
    import torch

    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(seed)
        layers = _layers(list(inputs), list(outputs))
    if norm:
        layers = [each for layer in layers for each in (layer, *_norm(layer))]
    return torch.nn.Sequential(*layers).to(getattr(torch, dtype))


def _norm(layer: Any) -> List[Any]:
    from torch import nn

    if isinstance(layer, nn.Conv2d):
        return [nn.BatchNorm2d(layer.out_channels).eval()]
    return [nn.BatchNorm1d(layer.out_features).eval()] if isinstance(layer, nn.Linear) else []


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
