"""A model as a module from a plain sequence of tensors to a plain tuple of them.

Exporters and compilers take such a module whatever nesting the model's own
arguments and results have, and give results in the same order.
"""

from __future__ import annotations

import functools
from typing import Any, List, Tuple, Type

from ..nouns import Model, Unsupported
from .leaves import leaves, mapped


def flat(model: Model) -> Tuple[Any, Tuple[Any, ...]]:
    """The module that takes the tensors of the model's arguments, and these tensors."""
    tensors = tensors_of(model.inputs, model.keywords)
    if not tensors:
        raise Unsupported("it is called without a tensor")
    return _class()(model.module, model.inputs, dict(model.keywords)), tensors


def tensors_of(inputs: Any, keywords: Any) -> Tuple[Any, ...]:
    """The tensors in arguments, each once as often as it is there, copied."""
    found: List[Any] = []

    def taken(tensor: Any) -> Any:
        found.append(tensor.detach().clone())
        return tensor

    mapped((tuple(inputs), dict(keywords)), taken)
    return tuple(found)


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
