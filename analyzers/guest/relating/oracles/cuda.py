"""The same call on a GPU, where there is one."""

from __future__ import annotations

from typing import Any, Iterator

from ..nouns import Disagreement
from .trial import Trial
from .values import changed, mapped

NAME = "cuda"
RELATED = "the same call on CUDA"


def judge(trial: Trial) -> Iterator[Disagreement]:
    """The value that the GPU's kernels give; nothing without a GPU."""
    if trial.library.name != "torch" or not _is_there():
        return
    expected = trial.attempt(lambda: _on_gpu(trial))
    disagreement = trial.disagreement(NAME, RELATED, expected)
    if disagreement is not None:
        yield disagreement


def _is_there() -> bool:
    import torch

    return bool(torch.cuda.is_available())


def _on_gpu(trial: Trial) -> Any:
    """The value, back on the CPU; a layer keeps the weights that it was made with there."""
    import torch

    live = trial.copied(trial.live)
    trial.library.seed()
    made = None
    if live.inputs is not None:
        made = live.function(*live.arguments, **live.keywords).cuda()
    moved = changed(live, lambda leaf: leaf.cuda() if isinstance(leaf, torch.Tensor) else leaf)
    value = moved.run() if made is None else made(*(moved.inputs or ()))
    return mapped(value, lambda leaf: leaf.cpu() if isinstance(leaf, torch.Tensor) else leaf)
