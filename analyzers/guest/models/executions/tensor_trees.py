"""The tensors in what a model takes and gives, in a stable order."""

from __future__ import annotations

import dataclasses
import functools
from dataclasses import dataclass
from typing import Any, Callable, Iterable, List, Mapping, Tuple, Type

from ..model_types import ModelUnderTest, Unsupported


def tensor_leaves(value: Any) -> List[Any]:
    """Return the tensors and arrays of nested sequences, mappings and dataclasses, in order."""
    if is_tensor(value) or (type(value).__module__ == "numpy" and hasattr(value, "dtype")):
        return [value]
    if isinstance(value, Mapping):
        inside: Iterable[Any] = value.values()
    elif isinstance(value, (list, tuple)):
        inside = value
    elif dataclasses.is_dataclass(value) and not isinstance(value, type):
        inside = [getattr(value, field.name) for field in dataclasses.fields(value)]
    else:
        return []
    return [leaf for each in inside for leaf in tensor_leaves(each)]


def map_tensors(value: Any, change: Callable[[Any], Any]) -> Any:
    """Return the same nesting with changed tensors; unknown containers stay as they are."""
    if is_tensor(value):
        return change(value)
    if isinstance(value, tuple) and hasattr(value, "_fields"):
        return type(value)(*(map_tensors(each, change) for each in value))
    if type(value) in (list, tuple):
        return type(value)(map_tensors(each, change) for each in value)
    if type(value) is dict:
        return {key: map_tensors(each, change) for key, each in value.items()}
    return value


def copy_tensors(value: Any) -> Any:
    """Return the same nesting with copies of its tensors, without gradients."""
    return map_tensors(value, lambda tensor: tensor.detach().clone())


def is_tensor(value: Any) -> bool:
    """Return whether a value is a tensor of torch."""
    import torch

    return isinstance(value, torch.Tensor)


def as_numpy(tensor: Any) -> Any:
    """Return a tensor as NumPy float64 (complex: pairs), or in its integer or boolean dtype."""
    import numpy

    found: Any = _numbers(tensor) if is_tensor(tensor) else numpy.asarray(tensor)
    if found.dtype.kind == "c":
        found = numpy.stack([found.real, found.imag], axis=-1)
    return found if found.dtype.kind in "biu" else found.astype(numpy.float64)


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


@dataclass(frozen=True)
class Flattened:
    """A model as a ``module`` from the ``tensors`` of its arguments to those of its results."""

    module: Any
    tensors: Tuple[Any, ...]
    frame: str

    def taken(self, inputs: Any, keywords: Any) -> Tuple[Any, ...]:
        """Return the tensors of arguments else like the model's; raises :class:`Unsupported`."""
        tensors, frame = _flattened(inputs, keywords)
        if frame != self.frame:
            raise Unsupported("it was prepared for arguments of other sizes or values")
        return tensors


def flatten_model(model: ModelUnderTest) -> Flattened:
    """Return a model flattened, for the sizes and values of its own arguments."""
    tensors, frame = _flattened(model.inputs, model.keywords)
    if not tensors:
        raise Unsupported("it is called without a tensor")
    module = _class()(model.module, model.inputs, dict(model.keywords))
    return Flattened(module, tensors, frame)


def _flattened(inputs: Any, keywords: Any) -> Tuple[Tuple[Any, ...], str]:
    """Return the tensors in arguments, copied, and what remains of the arguments without them."""
    found: List[Any] = []

    def taken(tensor: Any) -> Any:
        found.append(tensor.detach().clone())
        return f"{tensor.dtype} {tuple(tensor.shape)}"

    frame = map_tensors((tuple(inputs), dict(keywords)), taken)
    return tuple(found), repr(frame)


@functools.cache
def _class() -> Type[Any]:
    import torch

    class Flat(torch.nn.Module):  # type: ignore[misc]
        def __init__(self, module: Any, inputs: Any, keywords: Any) -> None:
            super().__init__()
            self.module = module
            self._arguments = (tuple(inputs), keywords)
            self.train(False)

        def forward(self, *tensors: Any) -> Any:
            remaining = list(tensors)
            inputs, keywords = map_tensors(self._arguments, lambda _: remaining.pop(0))
            found = tuple(tensor_leaves(self.module(*inputs, **keywords)))
            if not found:
                raise Unsupported("it gives no tensor")
            return found

    return Flat
