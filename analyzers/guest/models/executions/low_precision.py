"""Models in the 16-bit floats that accelerators compute in."""

from __future__ import annotations

import copy
from typing import Any, Callable, Optional

from ..nouns import Model
from .eager import called
from .leaves import mapped


class LowPrecision:
    """The model and its inputs in ``bfloat16`` or ``float16``: ``model.half()``."""

    framework = "torch"
    foreign = False

    def __init__(self, name: str, eps: float) -> None:
        self.name = name
        self.eps = eps

    def unavailable(self) -> Optional[str]:
        """Without a GPU it is not what a project runs."""
        import torch

        return None if torch.cuda.is_available() else "no GPU is here"

    def prepared(self, model: Model) -> Callable[..., Any]:
        """A copy of the module in the dtype, on the GPU."""
        import torch

        dtype = getattr(torch, self.name)
        run = called(copy.deepcopy(model.module).to(dtype).cuda())

        def narrowed(tensor: Any) -> Any:
            return tensor.to(dtype).cuda() if tensor.is_floating_point() else tensor.cuda()

        def call(*inputs: Any, **keywords: Any) -> Any:
            return run(*mapped(inputs, narrowed), **mapped(keywords, narrowed))

        return call


BFLOAT16 = LowPrecision("bfloat16", 2.0**-7)
FLOAT16 = LowPrecision("float16", 2.0**-10)
