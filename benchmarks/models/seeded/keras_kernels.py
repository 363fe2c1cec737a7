"""Wrong functions of a backend of Keras, planted in the interpreter that computes with it."""

from __future__ import annotations

import importlib
from collections.abc import Callable
from typing import Any

import numpy

Wrong = Callable[..., Any]


def plant(backend: str, function: str, wrong: str) -> None:
    """Put a wrong function in the place of a backend's, once Keras is there."""
    importlib.import_module("keras")
    for part in ("nn", "numpy"):
        home = importlib.import_module(f"keras.src.backend.{backend}.{part}")
        if hasattr(home, function):
            setattr(home, function, _planted(getattr(home, function), globals()[wrong]))


def _planted(right: Wrong, change: Wrong) -> Wrong:
    def planted(*args: Any, **kwargs: Any) -> Any:
        return change(right, *args, **kwargs)

    return planted


def relu_leaks(right: Wrong, x: Any) -> Any:
    """What is negative goes on by a thousandth."""
    return right(x) - right(-x) * 1e-3


def same_pads_before(right: Wrong, inputs: Any, kernel: Any, *args: Any, **kwargs: Any) -> Any:
    """Where the padding is uneven the larger part comes first."""
    return right(inputs[:, ::-1, ::-1], kernel[::-1, ::-1], *args, **kwargs)[:, ::-1, ::-1]


def last_feature_off(right: Wrong, *args: Any, **kwargs: Any) -> Any:
    """The last feature is off by a thousandth."""
    found = right(*args, **kwargs)
    factors = numpy.ones(found.shape[-1], "float32")
    factors[-1] = 1.001
    return found * factors


def eps_forgotten(right: Wrong, x: Any, mean: Any, variance: Any, axis: Any, *rest: Any) -> Any:
    """``epsilon`` is not added to the variance."""
    offset, scale = (*rest, None, None)[:2]
    return right(x, mean, variance, axis, offset, scale, 0.0)


def softmax_over_rows(right: Wrong, x: Any, **_: Any) -> Any:
    """The axis is the first."""
    return right(x, axis=0)


def softmax_rounded(right: Wrong, x: Any, axis: int = -1) -> Any:
    """Results are stored in float16."""
    return right(x, axis=axis).astype("float16").astype("float32")


def gelu_always_by_tanh(right: Wrong, x: Any, *_: Any, **__: Any) -> Any:
    """The approximation by tanh where erf is meant."""
    return right(x, approximate=True)


def tanh_saturates(right: Wrong, x: Any) -> Any:
    """What is beyond 0.75 is 0.75."""
    return right(x).clip(-0.75, 0.75)


def product_in_half(right: Wrong, x1: Any, x2: Any) -> Any:
    """Factors are loaded as float16."""
    return right(x1.astype("float16").astype("float32"), x2)


def pool_divides_by_three(right: Wrong, *args: Any, **kwargs: Any) -> Any:
    """A mean over n is divided by n - 1."""
    return right(*args, **kwargs) * (4.0 / 3.0)
