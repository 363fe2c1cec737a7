"""Torch in double precision: the reference that errors are measured against."""

from __future__ import annotations

import copy
import functools
from contextlib import contextmanager
from typing import Any, Callable, Generator, Optional, Type

from ..model_types import ModelUnderTest
from .tensor_trees import map_tensors

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

    def prepared(self, model: ModelUnderTest) -> Callable[..., Any]:
        """The module itself."""
        return run_without_gradients(model.module)


def run_without_gradients(module: Any) -> Callable[..., Any]:
    """A module's call without gradients, on copies of the tensors that it is given."""

    def call(*inputs: Any, **keywords: Any) -> Any:
        with run_seeded():
            return module(*map_tensors(inputs, _copied), **map_tensors(keywords, _copied))

    return call


@contextmanager
def run_seeded(seed: int = 0) -> Generator[None, None, None]:
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


class Float64:
    """Parameters, inputs and every ``float32`` that the model itself asks for in float64."""

    name = "float64"
    eps = EPS64
    framework = "torch"
    foreign = False

    def unavailable(self) -> Optional[str]:
        """It is there."""
        return None

    def prepared(self, model: ModelUnderTest) -> Callable[..., Any]:
        """A copy of the module in double precision."""
        module = copy.deepcopy(model.module).double()

        def call(*inputs: Any, **keywords: Any) -> Any:
            with run_seeded(), widening():
                return module(*map_tensors(inputs, widened), **map_tensors(keywords, widened))

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


class LowPrecision:
    """The model and its inputs in ``bfloat16`` or ``float16``: ``model.half()``."""

    framework = "torch"
    foreign = False

    def __init__(self, name: str, eps: float) -> None:
        self.name = name
        self.eps = eps

    def unavailable(self) -> Optional[str]:
        """Without a GPU it is not what a project runs."""
        import torch

        return None if torch.cuda.is_available() else "no GPU is here"

    def prepared(self, model: ModelUnderTest) -> Callable[..., Any]:
        """A copy of the module in the dtype, on the GPU."""
        import torch

        dtype = getattr(torch, self.name)
        run = run_without_gradients(copy.deepcopy(model.module).to(dtype).cuda())

        def narrowed(tensor: Any) -> Any:
            return tensor.to(dtype).cuda() if tensor.is_floating_point() else tensor.cuda()

        def call(*inputs: Any, **keywords: Any) -> Any:
            return run(*map_tensors(inputs, narrowed), **map_tensors(keywords, narrowed))

        return call


BFLOAT16 = LowPrecision("bfloat16", 2.0**-7)
FLOAT16 = LowPrecision("float16", 2.0**-10)
