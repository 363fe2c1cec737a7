"""Arrays of a library made from NumPy's, and laid out otherwise."""

from __future__ import annotations

from functools import partial
from typing import Any, Callable

MOST_ELEMENTS = 1 << 18
"""Larger arrays are left as they are."""

INTEGERS = ("int64", "int32", "int16", "int8", "uint8")
FLOATS = ("float32", "float64", "float16", "bfloat16")
COMPLEX = ("complex64", "complex128")
DTYPES = (*INTEGERS, *FLOATS, *COMPLEX, "bool")
"""The dtypes that are mutated, by their names in every library."""

Values = Any
"""A NumPy array; of the dtype itself, or a wider one where NumPy lacks it."""


def numpy_dtype(dtype: str) -> str:
    """Return the dtype that NumPy holds such elements in."""
    return "float32" if dtype == "bfloat16" else dtype


def cast(values: Values, dtype: str) -> Values:
    """The elements in what NumPy has of a dtype, contiguous; overflow and NaN go as they go."""
    import numpy as np

    with np.errstate(all="ignore"):
        return np.array(values, dtype=numpy_dtype(dtype), order="C")


class TorchArrays:
    """Maker of tensors."""

    def is_plain(self, array: Any) -> bool:
        """See :class:`Arrays`."""
        import torch

        return (
            array.layout is torch.strided
            and str(array.dtype)[6:] in DTYPES
            and not (array.is_meta or array.is_nested or array.is_quantized)
            and array.numel() <= MOST_ELEMENTS
        )

    def made(self, dtype: str, values: Values, like: Any, /) -> Any:
        """See :class:`Arrays`."""
        import torch

        tensor = torch.from_numpy(cast(values, dtype))
        if dtype == "bfloat16":
            tensor = tensor.to(torch.bfloat16)
        if not like.is_cpu:
            tensor = tensor.to(like.device)
        if like.requires_grad and tensor.dtype.is_floating_point:
            tensor.requires_grad_()
        return tensor

    def layouts(self, array: Any) -> list[Callable[[], Any]]:
        """See :class:`Arrays`."""
        ways: list[Callable[[Any], Any]] = [_every_other, _offset]
        if array.dim() >= 2:
            ways.append(_transposed)
        if array.dim() >= 4:
            ways.append(_channels_last)
        if array.dtype.is_complex:
            ways.append(_conjugated)
        return [partial(_as_needed, array, way) for way in ways] + self.overlapping(array)

    def overlapping(self, array: Any) -> list[Callable[[], Any]]:
        """See :class:`Arrays`."""
        axes = [axis for axis, size in enumerate(array.shape) if size > 1]
        return [partial(_as_needed, array, partial(_expanded, axis=axis)) for axis in axes]


def _as_needed(array: Any, way: Callable[[Any], Any]) -> Any:
    made = way(array.detach())
    return made.requires_grad_() if array.requires_grad else made


def _every_other(plain: Any) -> Any:
    import torch

    return torch.stack([plain, plain], dim=-1)[..., 0]


def _offset(plain: Any) -> Any:
    room = plain.new_zeros(plain.numel() + 1)
    room[1:] = plain.flatten()
    return room[1:].view(plain.shape)


def _transposed(plain: Any) -> Any:
    return plain.mT.clone().contiguous().mT


def _channels_last(plain: Any) -> Any:
    return plain.movedim(1, -1).contiguous().movedim(-1, 1)


def _conjugated(plain: Any) -> Any:
    return plain.resolve_conj().conj_physical().conj()


def _expanded(plain: Any, axis: int) -> Any:
    return plain.narrow(axis, 0, 1).clone().expand(plain.shape)
