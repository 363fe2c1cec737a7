"""Torch's decompositions: each operator in terms of smaller ones, as compilers use them."""

from __future__ import annotations

import functools
from typing import Any, Callable, Optional, Type

from ..nouns import Model
from .eager import EPS32, called


class Decomposed:
    """The model with every operator that has one replaced by its decomposition."""

    name = "decompositions"
    eps = EPS32
    framework = "torch"
    foreign = False

    def unavailable(self) -> Optional[str]:
        """It is there."""
        return None

    def prepared(self, model: Model) -> Callable[..., Any]:
        """The module itself, under the mode."""
        run = called(model.module)

        def call(*inputs: Any, **keywords: Any) -> Any:
            with _mode()():
                return run(*inputs, **keywords)

        return call


@functools.cache
def _mode() -> Type[Any]:
    """The mode's class, made where torch is at hand."""
    from torch._decomp import decomposition_table
    from torch.utils._python_dispatch import TorchDispatchMode

    class Decomposing(TorchDispatchMode):  # type: ignore[misc]
        @classmethod
        def _should_skip_dynamo(cls) -> bool:
            return False

        def __torch_dispatch__(
            self, func: Any, types: Any, args: Any = (), kwargs: Any = None
        ) -> Any:
            rule = decomposition_table.get(func)
            if rule is not None:
                result = rule(*args, **(kwargs or {}))
                if result is not NotImplemented:
                    return result
            return func(*args, **(kwargs or {}))

    return Decomposing
