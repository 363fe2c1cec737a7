"""Torch's decompositions: each operator in terms of smaller ones, as compilers use them."""

from __future__ import annotations

import functools
from typing import Any, Iterator, Type

from ..nouns import Disagreement
from .trial import Trial

NAME = "decomposition"
RELATED = "the same call with its operators decomposed (torch._decomp.decomposition_table)"


def judge(trial: Trial) -> Iterator[Disagreement]:
    """The same call, with every operator that has one replaced by its decomposition."""
    if trial.library.name != "torch":
        return
    live = trial.copied(trial.live)
    mode = _mode()()
    trial.library.seed()

    def decomposed() -> Any:
        with mode:
            return live.run()

    expected = trial.attempt(decomposed)
    if mode.replaced:
        disagreement = trial.disagreement(NAME, RELATED, expected)
        if disagreement is not None:
            yield disagreement


@functools.cache
def _mode() -> Type[Any]:
    """The mode's class, made where torch is at hand."""
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
