"""The elements of arrays, the same for every version of every library: from Python's own random.

``values`` says what they are: ``any`` within bounds, ``probabilities`` and
``one_hot`` along the last axis, ``sorted`` along it, or ``unique``.
"""

from __future__ import annotations

import math
import random
from typing import Any, List, Mapping, Optional, Tuple

_MOST_DRAWN = 1021
_KINDS_OF_WHOLE = ("bool", "int", "uint", "long")


def is_whole(dtype: str) -> bool:
    """Return whether a dtype, by its name, has whole numbers alone."""
    return dtype.rstrip("0123456789") in _KINDS_OF_WHOLE


def drawn_elements(
    count: int,
    row: int,
    values: str,
    seed: Optional[int],
    low: float,
    high: float,
    *,
    whole: bool,
) -> List[Any]:
    """``count`` numbers in rows of ``row``; without a seed the plainest ones."""
    if values == "unique":
        return _distinct(count, seed, low, high, whole=whole)
    if values in ("probabilities", "one_hot"):
        rows = [_row(row, values, seed, place) for place in range(count // max(1, row))]
        return [element for made in rows for element in made]
    drawn = _uniform(count, seed or 0, low, high, whole=whole)
    if values == "sorted":
        rows = [sorted(drawn[start : start + row]) for start in range(0, count, max(1, row))]
        return [element for made in rows for element in made]
    return drawn


def _uniform(count: int, seed: int, low: float, high: float, *, whole: bool) -> List[Any]:
    """Numbers from ``low`` to ``high``; they come again after a prime number of them."""
    draw = random.Random(seed).random
    few = range(min(count, _MOST_DRAWN))
    if whole:
        span = int(high) - int(low) + 1
        drawn: List[Any] = [min(int(low) + int(draw() * span), int(high)) for _ in few]
    else:
        half, width = low / 2, high / 2 - low / 2
        drawn = [min(2 * (half + width * draw()), high) for _ in few]
    return (drawn * (count // _MOST_DRAWN + 1))[:count] if count > _MOST_DRAWN else drawn


def _row(size: int, values: str, seed: Optional[int], place: int) -> List[float]:
    """Numbers that sum to one; one of them is one where ``values`` is ``one_hot``.

    With a fourth of the seeds some are exactly zero.
    """
    drawn = random.Random((seed or 0) * 1_000_003 + place)
    if values == "one_hot":
        chosen = 0 if seed is None else drawn.randrange(size)
        return [1.0 if at == chosen else 0.0 for at in range(size)]
    if seed is None:
        return [1.0 / size] * size
    weights = [drawn.random() + 1e-3 for _ in range(size)]
    if seed % 4 == 0:
        sure = drawn.randrange(size)
        weights = [w if at == sure or drawn.random() < 0.5 else 0.0 for at, w in enumerate(weights)]
    total = sum(weights)
    return [weight / total for weight in weights]


def _distinct(
    count: int, seed: Optional[int], low: float, high: float, *, whole: bool
) -> List[Any]:
    """Different numbers over the whole of ``low`` to ``high``, ascending without a seed."""
    steps = max(1, count - 1)
    if whole:
        span = int(high) - int(low)
        made: List[Any] = [int(low) + span * place // steps for place in range(count)]
    else:
        made = [low + (high - low) * (place / steps) for place in range(count)]
    if seed is not None:
        random.Random(seed).shuffle(made)
    return made


def array(  # noqa: PLR0913 - all that there is to say of an array
    shape: Tuple[int, ...],
    dtype: str = "float32",
    fill: Any = 0,
    at: Optional[Mapping[Tuple[int, ...], Any]] = None,
    *,
    seed: Optional[int] = None,
    low: float = 0,
    high: float = 1,
    contiguous: bool = True,
    values: str = "any",
) -> Any:
    """An array full of ``fill``, or of numbers drawn from ``seed``, but for the elements ``at``."""
    import numpy

    kind = _numpy_dtype(dtype)
    if seed is None and values == "any":
        made = numpy.full(shape, fill, dtype=kind)
    else:
        made = _drawn_array(shape, kind, dtype, (values, seed, low, high))
    for place, element in (at or {}).items():
        made[place] = element
    return made if contiguous else numpy.stack([made, made], -1)[..., 0]


def jax_array(
    shape: Tuple[int, ...],
    dtype: str = "float32",
    fill: Any = 0,
    at: Optional[Mapping[Tuple[int, ...], Any]] = None,
    **drawn: Any,
) -> Any:
    """A JAX array; its ``seed``, ``low``, ``high`` and ``values`` are those of :func:`array`."""
    import jax.numpy

    return jax.numpy.asarray(array(shape, dtype, fill, at, **drawn))


def _numpy_dtype(name: str) -> Any:
    import numpy

    if name != "bfloat16":
        return numpy.dtype(name)
    import ml_dtypes

    return numpy.dtype(ml_dtypes.bfloat16)


def _drawn_array(shape: Tuple[int, ...], kind: Any, dtype: str, how: Tuple[Any, ...]) -> Any:
    import numpy

    count, row = math.prod(shape), shape[-1] if shape else 1
    if not dtype.startswith("complex"):
        return numpy.array(drawn_elements(count, row, *how, whole=is_whole(dtype)), kind).reshape(
            shape
        )
    parts = numpy.array(drawn_elements(2 * count, 2 * row, *how, whole=False), numpy.float64)
    return (parts[0::2] + 1j * parts[1::2]).astype(kind).reshape(shape)


def tensor(  # noqa: PLR0913 - all that there is to say of a tensor
    shape: Tuple[int, ...],
    dtype: str = "float32",
    fill: Any = 0,
    at: Optional[Mapping[Tuple[int, ...], Any]] = None,
    *,
    seed: Optional[int] = None,
    low: float = 0,
    high: float = 1,
    requires_grad: bool = False,
    contiguous: bool = True,
    device: str = "cpu",
    values: str = "any",
    grad: Any = None,
) -> Any:
    """A tensor full of ``fill``, or of numbers drawn from ``seed``, but for the elements ``at``.

    ``grad`` is the gradient that it has.
    """
    import torch

    kind = getattr(torch, dtype)
    if seed is None and values == "any":
        made = torch.full(shape, fill, dtype=kind)
    else:
        made = _drawn_tensor(shape, kind, dtype, (values, seed, low, high))
    for place, element in (at or {}).items():
        made[place] = element
    made = made.to(device)
    if not contiguous:
        made = torch.stack([made, made], -1)[..., 0]
    if requires_grad or grad is not None:
        made.requires_grad_().grad = grad
    return made


def _drawn_tensor(shape: Tuple[int, ...], kind: Any, dtype: str, how: Tuple[Any, ...]) -> Any:
    import torch

    count, row = math.prod(shape), shape[-1] if shape else 1
    if not kind.is_complex:
        made = torch.tensor(
            drawn_elements(count, row, *how, whole=is_whole(dtype)), dtype=_exact(kind)
        )
        return made.to(kind).reshape(shape)
    parts = torch.tensor(drawn_elements(2 * count, 2 * row, *how, whole=False), dtype=torch.float64)
    return torch.view_as_complex(parts.reshape((*shape, 2))).to(kind)


def _exact(kind: Any) -> Any:
    """Numbers are rounded once, from float64."""
    import torch

    return torch.float64 if kind.is_floating_point else kind
