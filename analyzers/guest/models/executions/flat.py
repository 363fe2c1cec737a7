"""A model as a module from a plain sequence of tensors to a plain tuple of them.

Exporters and compilers take such a module whatever nesting the model's own
arguments and results have, and give results in the same order.
"""

from __future__ import annotations

import functools
from dataclasses import dataclass
from typing import Any, List, Tuple, Type

from ..nouns import Model, Unsupported
from .leaves import leaves, mapped


@dataclass(frozen=True)
class Flattened:
    """A model as a ``module`` from the ``tensors`` of its arguments to those of its results."""

    module: Any
    tensors: Tuple[Any, ...]
    frame: str

    def taken(self, inputs: Any, keywords: Any) -> Tuple[Any, ...]:
        """The tensors of other arguments, if all else of them is as in those of the model.

        Raises :class:`Unsupported` otherwise: numbers and sizes are part of an export.
        """
        tensors, frame = _flattened(inputs, keywords)
        if frame != self.frame:
            raise Unsupported("it was prepared for arguments of other sizes or values")
        return tensors


def flat(model: Model) -> Flattened:
    """A model flattened, for the sizes and values of its own arguments."""
    tensors, frame = _flattened(model.inputs, model.keywords)
    if not tensors:
        raise Unsupported("it is called without a tensor")
    module = _class()(model.module, model.inputs, dict(model.keywords))
    return Flattened(module, tensors, frame)


def _flattened(inputs: Any, keywords: Any) -> Tuple[Tuple[Any, ...], str]:
    """The tensors in arguments, copied, and what remains of the arguments without them."""
    found: List[Any] = []

    def taken(tensor: Any) -> Any:
        found.append(tensor.detach().clone())
        return f"{tensor.dtype} {tuple(tensor.shape)}"

    frame = mapped((tuple(inputs), dict(keywords)), taken)
    return tuple(found), repr(frame)


@functools.cache
def _class() -> Type[Any]:
    """The module's class, made where torch is at hand."""
    import torch

    class Flat(torch.nn.Module):  # type: ignore[misc]
        def __init__(self, module: Any, inputs: Any, keywords: Any) -> None:
            super().__init__()
            self.module = module
            self._arguments = (tuple(inputs), keywords)
            self.train(False)

        def forward(self, *tensors: Any) -> Any:
            remaining = list(tensors)
            inputs, keywords = mapped(self._arguments, lambda _: remaining.pop(0))
            found = tuple(leaves(self.module(*inputs, **keywords)))
            if not found:
                raise Unsupported("it gives no tensor")
            return found

    return Flat
