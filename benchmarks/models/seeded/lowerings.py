"""Wrong lowerings of the compiler: they compute with its own expressions, not with tensors."""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module
from typing import Any

import torch

Right = Callable[..., Any]
aten: Any = torch.ops.aten


def _of(operator: Any) -> Right:
    lowering: Any = import_module("torch._inductor.lowering")
    return lowering.lowerings[operator]


def zero_leaks(right: Right, args: tuple[Any, ...], _kwargs: dict[str, Any]) -> Any:
    """What is negative goes on by a thousandth."""
    leak = _of(aten.mul.Tensor)(right(_of(aten.neg.default)(args[0])), 1e-3)
    return _of(aten.sub.Tensor)(right(args[0]), leak)


def a_thousandth_more(right: Right, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """Results are off by a thousandth."""
    return _of(aten.mul.Tensor)(right(*args, **kwargs), 1.001)
