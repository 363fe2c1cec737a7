"""``out=`` against the result that is returned."""

from __future__ import annotations

import re
from functools import partial
from typing import Any, Callable, Iterator, Optional, Tuple

from ..comparing import MISSING
from ..nouns import Disagreement
from .exempt import is_exempt
from .trial import Trial

NAME = "out"
RELATED = "the same call with out="
_DOCUMENTED = re.compile(r"\bout *(=|\()")


def judge(trial: Trial) -> Iterator[Disagreement]:
    """What is written into ``out=``: an empty tensor, and one of the right shape with gaps."""
    live = trial.live
    if trial.library.name != "torch" or live.inputs is not None or "out" in live.keywords:
        return
    if not _DOCUMENTED.search(str(live.function.__doc__)):
        return
    if is_exempt(NAME, live.api) or _outs(trial.value, lambda tensor: tensor) is None:
        return
    for make in (_empty, _with_gaps):
        written = trial.attempt(partial(_written, trial, make))
        if written is MISSING:
            return
        disagreement = trial.disagreement(NAME, RELATED, written)
        if disagreement is not None:
            yield disagreement
            return


def _written(trial: Trial, make: Callable[[Any], Any]) -> Any:
    out = _outs(trial.value, make)
    live = trial.copied(trial.live)
    trial.library.seed()
    live.function(*live.arguments, **live.keywords, out=out)
    return out


def _outs(value: Any, make: Callable[[Any], Any]) -> Optional[Any]:
    """The tensors to write into: one, or a tuple of them; ``None`` where results are others."""
    import torch

    if isinstance(value, torch.Tensor):
        return make(value) if _is_dense(value) else None
    if isinstance(value, tuple) and value and all(map(_is_dense, value)):
        made: Tuple[Any, ...] = tuple(make(item) for item in value)
        return made
    return None


def _is_dense(value: Any) -> bool:
    import torch

    return isinstance(value, torch.Tensor) and value.layout is torch.strided


def _empty(value: Any) -> Any:
    import torch

    return torch.empty(0, dtype=value.dtype)


def _with_gaps(value: Any) -> Any:
    import torch

    return torch.ones((*value.shape, 2), dtype=value.dtype)[..., 0]
