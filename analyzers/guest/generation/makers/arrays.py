"""Makes NumPy and JAX arrays."""

from __future__ import annotations

import math
from typing import Any, Mapping, Optional, Tuple

from .filling import drawn_elements, is_whole


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
