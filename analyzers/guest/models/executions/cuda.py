"""Torch on a GPU."""

from __future__ import annotations

import copy
from typing import Any, Callable, Optional

from ..nouns import Model
from .eager import EPS32, called
from .leaves import mapped


class Cuda:
    """The model on the GPU in float32, without the shorter floats of its tensor cores."""

    name = "cuda"
    eps = EPS32
    framework = "torch"
    foreign = False

    def unavailable(self) -> Optional[str]:
        """Whether there is a GPU."""
        import torch

        return None if torch.cuda.is_available() else "no GPU is here"

    def prepared(self, model: Model) -> Callable[..., Any]:
        """A copy of the module on the GPU."""
        import torch

        run = called(copy.deepcopy(model.module).cuda())

        def moved(tensor: Any) -> Any:
            return tensor.cuda()

        def call(*inputs: Any, **keywords: Any) -> Any:
            with torch.backends.cudnn.flags(enabled=True, allow_tf32=False):
                return run(*mapped(inputs, moved), **mapped(keywords, moved))

        return call
