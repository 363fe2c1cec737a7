"""Torch as it runs by default: float32 on the CPU, one kernel after another."""

from __future__ import annotations

from contextlib import contextmanager
from typing import Any, Callable, Generator, Optional

from ..nouns import Model
from .leaves import mapped

EPS32 = 2.0**-23
EPS64 = 2.0**-52


class Eager:
    """The model as its author calls it."""

    name = "eager"
    eps = EPS32
    framework = "torch"
    foreign = False

    def unavailable(self) -> Optional[str]:
        """It is there."""
        return None

    def prepared(self, model: Model) -> Callable[..., Any]:
        """The module itself."""
        return called(model.module)


def called(module: Any) -> Callable[..., Any]:
    """A module's call without gradients, on copies of the tensors that it is given."""

    def call(*inputs: Any, **keywords: Any) -> Any:
        with seeded():
            return module(*mapped(inputs, _copied), **mapped(keywords, _copied))

    return call


@contextmanager
def seeded(seed: int = 0) -> Generator[None, None, None]:
    """Without gradients, drawing the same random numbers at each call."""
    import torch

    state = torch.random.get_rng_state()
    torch.default_generator.manual_seed(seed)
    try:
        with torch.no_grad():
            yield
    finally:
        torch.random.set_rng_state(state)


def _copied(tensor: Any) -> Any:
    return tensor.detach().clone()
