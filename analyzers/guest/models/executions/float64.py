"""Torch in double precision: the reference that errors are measured against."""

from __future__ import annotations

import copy
import functools
from contextlib import contextmanager
from typing import Any, Callable, Generator, Optional, Type

from ..nouns import Model
from .eager import EPS64, seeded
from .leaves import mapped


class Float64:
    """Parameters, inputs and every ``float32`` that the model itself asks for in float64."""

    name = "float64"
    eps = EPS64
    framework = "torch"
    foreign = False

    def unavailable(self) -> Optional[str]:
        """It is there."""
        return None

    def prepared(self, model: Model) -> Callable[..., Any]:
        """A copy of the module in double precision."""
        module = copy.deepcopy(model.module).double()

        def call(*inputs: Any, **keywords: Any) -> Any:
            with seeded(), widening():
                return module(*mapped(inputs, widened), **mapped(keywords, widened))

        return call


def widened(tensor: Any) -> Any:
    """A copy of a tensor in double precision; integers stay as they are."""
    import torch

    if tensor.is_complex():
        return tensor.detach().to(torch.complex128, copy=True)
    return tensor.detach().double() if tensor.is_floating_point() else tensor.detach().clone()


@contextmanager
def widening() -> Generator[None, None, None]:
    """What asks for float32 gets float64."""
    import torch

    default = torch.get_default_dtype()
    torch.set_default_dtype(torch.float64)
    try:
        with _mode()():
            yield
    finally:
        torch.set_default_dtype(default)


@functools.cache
def _mode() -> Type[Any]:
    """The mode's class, made where torch is at hand."""
    import torch
    from torch.overrides import TorchFunctionMode

    wider = {torch.float32: torch.float64, torch.complex64: torch.complex128}
    float_, type_ = torch.Tensor.float, torch.Tensor.type

    def of(value: Any) -> Any:
        return wider.get(value, value) if isinstance(value, torch.dtype) else value

    class Widening(TorchFunctionMode):  # type: ignore[misc]
        def __torch_function__(
            self, func: Any, types: Any, args: Any = (), kwargs: Any = None
        ) -> Any:
            if func is float_:
                return args[0].double()
            if func is type_ and args[1:] in (("torch.FloatTensor",), (torch.FloatTensor,)):
                return args[0].double()
            changed = {name: of(value) for name, value in (kwargs or {}).items()}
            return func(*map(of, args), **changed)

    return Widening
