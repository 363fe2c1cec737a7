"""The same numbers, laid out otherwise in memory."""

from __future__ import annotations

from functools import partial
from typing import Any, Callable, Iterator, Optional, Tuple

from ..comparison.array_comparison import MISSING
from ..relation_types import Disagreement, Library, LiveCall
from .call_stability import is_repeatable
from .call_under_test import CallUnderTest
from .call_values import changed, operands, writes
from .exemptions import is_exempt

NAME = "strides"
RELATED = "the same call on copies of its inputs with other strides"


def judge(trial: CallUnderTest) -> Iterator[Disagreement]:
    """The value on inputs transposed in memory, and on every second element of larger ones."""
    if is_exempt(NAME, trial.live.api) or not _has_arrays(trial):
        return
    for layout in (_transposed, _stepped):
        expected = trial.attempt(partial(_laid_out, trial, layout))
        disagreement = trial.disagreement(NAME, RELATED, expected)
        if disagreement is not None:
            yield disagreement
            return
    yield from _expanded(trial)


def _expanded(trial: CallUnderTest) -> Iterator[Disagreement]:
    """On inputs of which one row stands for all, against a copy of each row."""
    if writes(trial.live.api):
        return
    repeated = changed(trial.live, lambda leaf: _of_array(leaf, trial.library, _of_one_row))
    dense = changed(repeated, lambda leaf: _of_array(leaf, trial.library, _dense))
    usual = CallUnderTest(dense, trial.library)
    value = trial.attempt(lambda: _run_as_is(trial, repeated))
    if usual.succeeded and value is not MISSING:
        disagreement = usual.disagreement(NAME, RELATED, value)
        if disagreement is not None and is_repeatable(usual):
            yield disagreement


def _laid_out(trial: CallUnderTest, layout: Callable[[Any], Any]) -> Any:
    """What the call gives on inputs of another layout (made after copying, which may undo it)."""
    live = trial.copied(trial.live)
    return _run_as_is(trial, changed(live, lambda leaf: _of_array(leaf, trial.library, layout)))


def _run_as_is(trial: CallUnderTest, live: LiveCall) -> Any:
    trial.library.seed()
    return live.run()


def _has_arrays(trial: CallUnderTest) -> bool:
    return any(_is_plain(leaf, trial.library) and leaf.ndim for leaf in operands(trial.live))


def _of_array(leaf: Any, library: Library, layout: Callable[[Any], Any]) -> Any:
    return layout(leaf) if _is_plain(leaf, library) else leaf


def _is_plain(leaf: Any, library: Library) -> bool:
    """Whether it is an array whose strides are its own affair (dense, of torch or NumPy)."""
    if type(leaf).__module__ == "numpy":
        return library.is_array(leaf) and type(leaf).__name__ == "ndarray"
    if not library.is_array(leaf) or type(leaf).__name__ not in ("Tensor", "Parameter"):
        return False
    return str(leaf.layout) == "torch.strided" and not leaf.is_nested and not leaf.is_quantized


def _transposed(array: Any) -> Any:
    if array.ndim < 2:
        return array
    if hasattr(array, "detach"):
        return array.detach().transpose(0, -1).contiguous().transpose(0, -1)
    return array.swapaxes(0, -1).copy().swapaxes(0, -1)


def _stepped(array: Any) -> Any:
    """The array as every second element of a larger one whose others are zeros or ones."""
    if not array.ndim:
        return array
    if hasattr(array, "detach"):
        import torch

        return torch.stack([array.detach(), torch.ones_like(array)], dim=-1)[..., 0]
    import numpy as np

    return np.stack([array, np.ones_like(array)], axis=-1)[..., 0]


def _of_one_row(array: Any) -> Any:
    shape: Tuple[int, ...] = tuple(array.shape)
    if not array.ndim or shape[0] < 2:
        return array
    if hasattr(array, "detach"):
        return array.detach()[:1].expand(shape)
    import numpy as np

    return np.broadcast_to(array[:1], shape)


def _dense(array: Any) -> Optional[Any]:
    return array.contiguous() if hasattr(array, "detach") else array.copy()
