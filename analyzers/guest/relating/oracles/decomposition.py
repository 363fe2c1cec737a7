"""Torch's decompositions: each operator in terms of smaller ones, as compilers use them."""

from __future__ import annotations

from typing import Any, Iterator

from ...decomposing import decomposing
from ..nouns import Disagreement
from .trial import Trial

NAME = "decomposition"
RELATED = "the same call with its operators decomposed (torch._decomp.decomposition_table)"


def judge(trial: Trial) -> Iterator[Disagreement]:
    """The same call, with every operator that has one replaced by its decomposition."""
    if trial.library.name != "torch":
        return
    live = trial.copied(trial.live)
    mode = decomposing()()
    trial.library.seed()

    def decomposed() -> Any:
        with mode:
            return live.run()

    expected = trial.attempt(decomposed)
    if mode.replaced:
        disagreement = trial.disagreement(NAME, RELATED, expected)
        if disagreement is not None:
            yield disagreement
