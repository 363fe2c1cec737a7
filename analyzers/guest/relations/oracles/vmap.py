"""``torch.vmap`` of a call against the stack of the calls that it stands for."""

from __future__ import annotations

from typing import Any, Iterator, List, Optional

from ..comparison.array_comparison import MISSING
from ..relation_types import Disagreement, LiveCall
from .call_under_test import CallUnderTest
from .call_values import changed, operands
from .exemptions import is_exempt

NAME = "vmap"
RELATED = "the same call under torch.vmap, a row at a time"


def judge(trial: CallUnderTest) -> Iterator[Disagreement]:
    """The value as a row of what ``torch.vmap`` gives on stacks of the tensors."""
    if trial.library.name != "torch" or is_exempt(NAME, trial.live.api):
        return
    tensors = _tensors(trial.live)
    if not tensors or len(tensors) > 8 or trial.live.inputs is not None:
        return
    expected = trial.attempt(lambda: _mapped(trial, tensors))
    if expected is MISSING:
        return
    disagreement = trial.disagreement(NAME, RELATED, expected)
    if disagreement is not None:
        yield disagreement


def _tensors(live: LiveCall) -> List[Any]:
    import torch

    found: List[Any] = []
    for leaf in operands(live):
        if isinstance(leaf, torch.Tensor) and leaf.layout is torch.strided and not leaf.is_nested:
            found.append(leaf)
    return found


def _mapped(trial: CallUnderTest, tensors: List[Any]) -> Any:
    """The row of this call, the last of two; the first has the tensors' elements reversed."""
    import torch

    def call(*given: Any) -> Any:
        rest = list(given)
        return changed(
            trial.live,
            lambda leaf: rest.pop(0) if any(leaf is tensor for tensor in tensors) else leaf,
        ).run()

    stacked = [torch.stack([_other(tensor), tensor.detach()]) for tensor in tensors]
    trial.library.seed()
    both = torch.vmap(call)(*stacked)
    return _row(both)


def _other(tensor: Any) -> Any:
    """A tensor of the same shape that is as valid: for floating ones, another one nearby."""
    tensor = tensor.detach()
    return tensor * 0.5 if tensor.is_floating_point() else tensor


def _row(value: Any) -> Optional[Any]:
    import torch

    if isinstance(value, torch.Tensor):
        return value[1]
    if isinstance(value, (list, tuple)):
        return [_row(item) for item in value]
    return value
