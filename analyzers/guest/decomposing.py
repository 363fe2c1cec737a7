"""Torch's decompositions in the operators' place, as compilers use them."""

from __future__ import annotations

import functools
from typing import Any, Type


@functools.lru_cache(maxsize=1)
def decomposing() -> Type[Any]:
    """A mode under which every operator that has a decomposition is replaced by it.

    ``replaced`` counts them.  The class is made where torch is at hand.
    """
    from torch._decomp import decomposition_table
    from torch.utils._python_dispatch import TorchDispatchMode

    class Decomposing(TorchDispatchMode):  # type: ignore[misc]
        def __init__(self) -> None:
            super().__init__()
            self.replaced = 0

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
                    self.replaced += 1
                    return result
            return func(*args, **(kwargs or {}))

    return Decomposing
