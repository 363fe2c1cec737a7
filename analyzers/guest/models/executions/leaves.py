"""The tensors in what a model takes and gives, in a stable order."""

from __future__ import annotations

import dataclasses
from typing import Any, Callable, Iterator, List, Mapping


def leaves(value: Any) -> List[Any]:
    """The tensors of any nesting of sequences, mappings and dataclasses, first one first.

    Mappings are read in the order that they were filled in.  Numbers, strings and
    ``None`` are no results of tensor mathematics, and are left out.
    """
    return list(_leaves(value))


def mapped(value: Any, change: Callable[[Any], Any]) -> Any:
    """The same nesting with its tensors changed; what is no known container stays as it is."""
    if is_tensor(value):
        return change(value)
    if isinstance(value, tuple) and hasattr(value, "_fields"):
        return type(value)(*(mapped(each, change) for each in value))
    if type(value) in (list, tuple):
        return type(value)(mapped(each, change) for each in value)
    if type(value) is dict:
        return {key: mapped(each, change) for key, each in value.items()}
    return value


def is_tensor(value: Any) -> bool:
    """Whether a value is a tensor of torch."""
    import torch

    return isinstance(value, torch.Tensor)


def array(tensor: Any) -> Any:
    """A tensor or array as a NumPy array of float64, or of its own integer or boolean dtype.

    Complex numbers become pairs of floats along a new last axis.
    """
    import numpy

    found: Any = _numbers(tensor) if is_tensor(tensor) else numpy.asarray(tensor)
    if found.dtype.kind == "c":
        found = numpy.stack([found.real, found.imag], axis=-1)
    if found.dtype.kind in "biu":
        return found
    return found.astype(numpy.float64)


def _numbers(tensor: Any) -> Any:
    import torch

    dense = tensor.detach()
    if dense.layout is not torch.strided:
        dense = dense.to_dense()
    if dense.is_quantized:
        dense = dense.dequantize()
    dense = dense.resolve_conj().resolve_neg().cpu()
    if dense.is_floating_point():
        dense = dense.double()
    return dense.numpy()


def _leaves(value: Any) -> Iterator[Any]:
    if is_tensor(value) or _is_array(value):
        yield value
    elif isinstance(value, Mapping):
        for each in value.values():
            yield from _leaves(each)
    elif isinstance(value, (list, tuple)):
        for each in value:
            yield from _leaves(each)
    elif dataclasses.is_dataclass(value) and not isinstance(value, type):
        for field in dataclasses.fields(value):
            yield from _leaves(getattr(value, field.name))


def _is_array(value: Any) -> bool:
    return type(value).__module__ == "numpy" and hasattr(value, "dtype") and hasattr(value, "shape")
