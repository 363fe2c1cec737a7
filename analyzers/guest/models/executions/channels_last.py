"""The memory format that convolutions are fastest in."""

from __future__ import annotations

import copy
from typing import Any, Callable, Optional

from ..nouns import Model, Unsupported
from .eager import EPS32, called
from .leaves import leaves, mapped

_IMAGES = 4


class ChannelsLast:
    """The model with its images and weights in ``torch.channels_last``."""

    name = "channels-last"
    eps = EPS32
    framework = "torch"
    foreign = False

    def unavailable(self) -> Optional[str]:
        """It is there."""
        return None

    def prepared(self, model: Model) -> Callable[..., Any]:
        """A copy of the module in that format."""
        import torch

        tensors = leaves((model.inputs, model.keywords))
        if not any(tensor.dim() == _IMAGES for tensor in tensors):
            raise Unsupported("it takes no images")

        def laid(tensor: Any) -> Any:
            if tensor.dim() != _IMAGES:
                return tensor
            return tensor.contiguous(memory_format=torch.channels_last)

        module = copy.deepcopy(model.module)
        for weight in (*module.parameters(), *module.buffers()):
            weight.data = laid(weight.data)
        run = called(module)

        def call(*inputs: Any, **keywords: Any) -> Any:
            return run(*mapped(inputs, laid), **mapped(keywords, laid))

        return call
