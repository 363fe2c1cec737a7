"""What is done with what an assembled file computes: it is summed, derived, and a step is made."""

from __future__ import annotations

from collections import deque
from typing import Any, Callable, Deque, Iterator, List, Sequence

from .states import BACKWARD, STEP

LEARNING_RATE = 0.01
_MOST = 1_000
Stage = Callable[[str], None]


def tensors(value: Any) -> List[Any]:
    """The floating-point tensors in a value: those in lists, tuples, dictionaries and objects."""
    import torch

    found: List[Any] = []
    waiting: Deque[Any] = deque([value])
    seen = 0
    while waiting and seen < _MOST:
        seen += 1
        each = waiting.popleft()
        if isinstance(each, torch.Tensor):
            if each.is_floating_point() or each.is_complex():
                found.append(each)
        else:
            waiting.extend(_inside(each))
    return found


def _inside(value: Any) -> Iterator[Any]:
    if isinstance(value, dict):
        yield from value.values()
    elif isinstance(value, (list, tuple)):
        yield from value
    elif hasattr(value, "__dict__") and hasattr(value, "keys") and hasattr(value, "values"):
        yield from value.values()


def module_of(function: Any, result: Any) -> Any:
    """The module of a call: that whose method is called, or that which is returned."""
    import torch

    own = getattr(function, "__self__", None)
    return next((each for each in (own, result) if isinstance(each, torch.nn.Module)), None)


def finite(values: Sequence[Any]) -> bool:
    """Whether tensors have neither NaN nor infinity."""
    import torch

    return all(bool(torch.isfinite(value).all()) for value in values)


def trained(module: Any, result: Any, stage: Stage) -> bool:
    """Derive the sum of a result and make one SGD step; whether all of it is finite.

    Without anything to derive, or parameters, nothing is done.
    """
    import torch

    outputs = [each for each in tensors(result) if each.requires_grad]
    if not outputs:
        return True
    stage(BACKWARD)
    sums = [each.sum() for each in outputs]
    loss = sums[0] if len(sums) == 1 else torch.stack([each.real for each in sums]).sum()
    (loss.real if loss.is_complex() else loss).backward()
    parameters = [each for each in module.parameters() if each.grad is not None] if module else []
    if not parameters:
        return True
    stage(STEP)
    with torch.no_grad():
        gradients = [each.grad for each in parameters]
        for each in parameters:
            each.add_(each.grad, alpha=-LEARNING_RATE)
        whole = torch.stack([gradient.sum() for gradient in gradients])
        return finite([whole]) or finite(gradients)
