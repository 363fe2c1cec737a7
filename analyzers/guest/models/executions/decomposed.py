"""Torch's decompositions: each operator in terms of smaller ones, as compilers use them."""

from __future__ import annotations

from typing import Any, Callable, Optional

from ...decomposing import decomposing
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
            with decomposing()():
                return run(*inputs, **keywords)

        return call
