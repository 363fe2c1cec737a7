"""What torch says that a result will be, before computing it: its shape and dtype."""

from __future__ import annotations

import logging
from contextlib import contextmanager
from typing import Any, Generator, Iterator, List, Optional, Tuple

from ..comparison.array_comparison import MISSING
from ..relation_types import Disagreement
from .call_under_test import CallUnderTest
from .call_values import changed, leaves, operands

NAME = "meta"
RELATED = "the same call on fake tensors: the shape and dtype of its result"


def judge(trial: CallUnderTest) -> Iterator[Disagreement]:
    """The shapes and dtypes of the result, as fake tensors (torch.compile, export) have them."""
    if trial.library.name != "torch" or not all(map(_is_usual, operands(trial.live))):
        return
    expected = trial.attempt(lambda: _faked(trial))
    if expected is MISSING:
        return
    ours, theirs = _described(trial.value), _described(expected)
    if ours is None or theirs is None or ours == theirs:
        return
    yield trial.told(NAME, RELATED, (_text(ours), _text(theirs)), "")


def _faked(trial: CallUnderTest) -> Any:
    import torch
    from torch._subclasses.fake_tensor import FakeTensorMode

    def fake(leaf: Any) -> Any:
        if type(leaf) in (torch.Tensor, torch.nn.Parameter):
            return mode.from_tensor(leaf.detach())
        return leaf

    mode = FakeTensorMode(allow_fallback_kernels=False)
    live = changed(trial.live, fake)
    with _quiet(), mode:
        return live.run()


@contextmanager
def _quiet() -> Generator[None, None, None]:
    """Torch logs what a fake tensor cannot do, with a stack, before it raises it."""
    log = logging.getLogger("torch._subclasses.fake_tensor")
    before, log.disabled = log.disabled, True
    try:
        yield
    finally:
        log.disabled = before


def _described(value: Any) -> Optional[List[Tuple[Tuple[int, ...], str]]]:
    """Shape and dtype of each tensor in a result; ``None`` where a shape is not known."""
    import torch

    found: List[Tuple[Tuple[int, ...], str]] = []
    for leaf in leaves(value):
        if isinstance(leaf, torch.Tensor):
            if not _is_usual(leaf):
                return None
            found.append((tuple(leaf.shape), str(leaf.dtype).rsplit(".", 1)[-1]))
    return found


def _is_usual(leaf: Any) -> bool:
    """Whether a leaf is no tensor of the kinds that fake tensors know little of."""
    import torch

    if not isinstance(leaf, torch.Tensor):
        return True
    return leaf.layout is torch.strided and not (leaf.is_nested or leaf.is_quantized)


def _text(described: List[Tuple[Tuple[int, ...], str]]) -> str:
    return ", ".join(f"{dtype} of shape {shape}" for shape, dtype in described) or "no tensor"
