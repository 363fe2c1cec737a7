"""Calls of layers: made from sources, forwards and backwards."""

from __future__ import annotations

import hashlib
from collections.abc import Generator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any

import torch

from .survey_models import Outcome

LONGEST_ERROR = 240
_STEPS = 4


class Refused(Exception):  # noqa: N818 - a fact about the call
    """A layer raised at a stage."""

    def __init__(self, stage: str, error: BaseException) -> None:
        super().__init__(stage)
        lines = str(error).strip().splitlines()
        text = lines[0] if lines else ""
        self.outcome = Outcome(stage, f"{type(error).__name__}: {text}"[:LONGEST_ERROR])


def written(name: str, arguments: Mapping[str, str]) -> str:
    """The call of a layer as source."""
    return f"{name}({', '.join(f'{key}={value}' for key, value in arguments.items())})"


def evaluated(source: str) -> Any:
    """The value of a source that we wrote."""
    return eval(source, {"torch": torch})


def inputs(sources: Sequence[str]) -> tuple[Any, ...]:
    """What a layer is called with, the same each time; its floats want gradients."""
    torch.manual_seed(0)
    return tuple(_given(source) for source in sources)


def constructed(name: str, arguments: Mapping[str, str]) -> Any:
    """The layer; raises :class:`Refused`."""
    values = {key: evaluated(value) for key, value in arguments.items()}
    torch.manual_seed(0)
    with at("construction"):
        return evaluated(name)(**values)


def forwarded(layer: Any, given: Sequence[Any]) -> Any:
    """What the layer gives; raises :class:`Refused`."""
    with at("forward"):
        return _stepped(layer) if hasattr(layer, "param_groups") else layer(*given)


def _stepped(optimizer: Any) -> Any:
    """The parameters of an optimizer after a few steps down a bowl."""
    parameters = [each for group in optimizer.param_groups for each in group["params"]]

    def loss() -> Any:
        optimizer.zero_grad()
        total: Any = sum((each**2).sum() for each in parameters)
        total.backward()
        return total

    for _ in range(_STEPS):
        optimizer.step(loss)
    return [each.detach() for each in parameters]


def backwarded(result: Any) -> None:
    """Gradients of all that the layer gave; raises :class:`Refused`."""
    total: Any = None
    for each in floats(result):
        if each.requires_grad:
            total = each.sum() if total is None else total + each.sum()
    if total is not None:
        with at("backward"):
            total.backward()


@contextmanager
def at(stage: str) -> Generator[None, None, None]:
    """Whatever is raised within is raised at a stage."""
    try:
        yield
    except (Exception, RecursionError) as error:
        raise Refused(stage, error) from error


def floats(value: Any) -> list[Any]:
    """The tensors of real numbers in a value, however nested."""
    if isinstance(value, torch.Tensor):
        return [value] if value.is_floating_point() else []
    if isinstance(value, dict):
        value = list(value.values())
    if isinstance(value, (tuple, list)):
        return [each for item in value for each in floats(item)]
    return []


def digest(layer: Any, given: Sequence[Any]) -> str:
    """The same text for the same outputs; raises :class:`Refused`."""
    result = forwarded(layer, given)
    told = hashlib.sha256()
    for each in floats(result):
        told.update(f"{tuple(each.shape)}".encode())
        told.update(each.detach().contiguous().numpy().tobytes())
    return told.hexdigest()[:16]


def gradients(layer: Any, given: Sequence[Any]) -> list[Any]:
    """The gradients of a layer's parameters and of what it was called with."""
    parameters = list(getattr(layer, "parameters", list)())
    return [each.grad for each in (*parameters, *floats(list(given))) if each.grad is not None]


def _given(source: str) -> Any:
    """The value of a source; what is random wants gradients, what is written out is a target."""
    value = evaluated(source)
    if source.startswith("torch.rand") and floats(value):
        value.requires_grad_()
    return value
