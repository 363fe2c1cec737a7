"""Whether construction that leaks, or gets slower, is told, and none of the ten models is.

    python -m benchmarks.models.growth

Every clean model is built and run as often as the word ``settles`` asks; then each leak is
seeded into the construction of LeNet, one at a time.  One line each: what is told, and the
seconds that it took.
"""

from __future__ import annotations

import importlib
import itertools
import time
from collections.abc import Callable, Iterator
from typing import Any

import torch

from analyzers.guest.models.resource_growth import growth_of_repeated_call
from benchmarks.models.zoo import MODELS, lenet

TIMES = 50
Construction = Callable[[], Any]


def clean(name: str) -> Construction:
    """Builds a model of the zoo and runs it once."""
    zoo = importlib.import_module(f"benchmarks.models.zoo.{name}")
    inputs = zoo.inputs()

    def construct() -> Any:
        with torch.no_grad():
            return zoo.build().eval()(*inputs)

    return construct


def leaking(leak: Callable[[Any], None]) -> Construction:
    """Builds LeNet, which a leak then takes."""

    def construct() -> Any:
        leak(lenet.build())

    return construct


def leaks() -> Iterator[tuple[str, Callable[[Any], None]]]:
    """Seeded leaks by name: what a constructor does with the model that it makes."""
    registry: list[Any] = []
    yield "model kept in a list", registry.append
    numbers: list[Any] = []
    yield "running statistic kept", lambda model: numbers.append(model.fc3.bias.mean())
    shared = torch.nn.Linear(2, 2)
    yield "hook on a shared layer", lambda model: _hooked(shared, model)
    cache: dict[int, Any] = {}
    keys = itertools.count()
    yield "cache without bound", lambda model: cache.setdefault(next(keys), model.conv1.weight)
    names: list[list[int]] = []
    yield "small objects kept", lambda model: names.append([id(model), 0])
    grown = [torch.zeros(1)]
    yield "buffer that gets longer", lambda model: _longer(grown, model)
    seen: list[int] = []
    yield "all earlier ones compared", lambda model: _compared(seen, model)
    texts: list[bytes] = []
    yield "native memory kept", lambda model: texts.append(_filled(model))
    parts: set[Any] = set()
    yield "layers kept in a set", lambda model: parts.update(model.children())
    chain: list[Any] = [torch.zeros(3)]
    yield "graph that goes on", lambda model: _chained(chain, model)


def _hooked(shared: Any, model: Any) -> None:
    def hook(*_: Any) -> None:
        model.eval()

    shared.register_forward_hook(hook)


def _longer(grown: list[Any], model: Any) -> None:
    grown[0] = torch.cat([grown[0], model.conv2.weight.detach().flatten(), torch.zeros(4096)])


def _compared(seen: list[int], model: Any) -> None:
    seen.append(id(model))
    sum(one == other for one in seen for other in seen)


def _filled(model: Any) -> bytes:
    return bytes([id(model) % 255 + 1]) * 300_000


def _chained(chain: list[Any], model: Any) -> None:
    chain[0] = chain[0] + model.fc3.bias[:3]


def told(kind: str, name: str, construct: Construction) -> str:
    """What is said of a construction, in a line."""
    began = time.monotonic()
    found = growth_of_repeated_call(construct, TIMES)
    return f"{kind:6} {name:26} {time.monotonic() - began:5.1f} s  {found or 'nothing'}"


def main() -> None:
    torch.set_num_threads(1)
    for name in MODELS:
        print(told("clean", name, clean(name)), flush=True)
    for name, leak in leaks():
        print(told("leak", name, leaking(leak)), flush=True)


if __name__ == "__main__":
    main()
