"""Training for a few steps: the check behind the word ``trains``.

It is a fair test: the loss is one that every output has (cross entropy of rows of scores
against their own places, else the mean square), and no step moves the parameters by more than
a thousandth of their length, so that nothing diverges for want of a smaller learning rate.  A
model whose input, outputs or first loss are not finite, or that cannot be derived at all, is
not told of.
"""

from __future__ import annotations

import copy
from typing import Any, Optional, Sequence, Tuple

from ..runtime import framework_setup
from .executions.tensor_trees import copy_tensors, tensor_leaves
from .model_types import ModelUnderTest

LEARNING_RATE = 1e-2
_SHORTEST = 1e-3


def training_failure(model: ModelUnderTest, steps: int) -> Optional[str]:
    """Return what is not finite within so many training steps of a copy, or ``None``."""
    if model.framework != "torch" or not _are_finite(
        tensor_leaves((model.inputs, dict(model.keywords)))
    ):
        return None
    module = copy.deepcopy(model.module)
    weights = {name: each for name, each in module.named_parameters() if each.requires_grad}
    if not weights or not _are_finite(weights.values()):
        return None
    if not _is_ready(model, module.train()) and not _is_ready(model, module.eval()):
        return None
    for step in range(1, steps + 1):
        problem = _step(model, module, weights, step)
        if problem is not None:
            return problem
    return _final(model, module, steps)


def loss_of(outputs: Any) -> Optional[Any]:
    """Return a loss that any outputs have; ``None`` where none of them can be derived."""
    import torch

    found = [
        each
        for each in tensor_leaves(outputs)
        if each.is_floating_point() and each.requires_grad and each.numel()
    ]
    if not found:
        return None
    if len(found) == 1 and found[0].dim() == 2 and found[0].shape[1] > 1:
        rows, classes = found[0].shape
        return torch.nn.functional.cross_entropy(found[0], torch.arange(rows) % classes)
    return sum(each.square().mean() for each in found)


def _is_ready(model: ModelUnderTest, module: Any) -> bool:
    """Return whether the first loss and outputs are finite: else training says nothing."""
    state = copy.deepcopy(module.state_dict())
    try:
        outputs = _called(model, module)
        loss = loss_of(outputs)
    except Exception:
        return False
    finally:
        module.load_state_dict(state)
    return loss is not None and _are_finite([loss, *tensor_leaves(outputs)])


def _called(model: ModelUnderTest, module: Any) -> Any:
    import torch

    framework_setup.seed()
    given = copy_tensors((model.inputs, dict(model.keywords)))
    with torch.enable_grad():
        return module(*given[0], **given[1])


def _step(model: ModelUnderTest, module: Any, weights: Any, step: int) -> Optional[str]:
    import torch

    loss = loss_of(_called(model, module))
    if loss is None:
        return None
    if not bool(loss.isfinite()):
        return f"the loss is {loss.item():g} after {step - 1} steps"
    gradients: Any = torch.autograd.grad(loss, list(weights.values()), allow_unused=True)
    pairs = [(name, found) for name, found in zip(weights, gradients) if found is not None]
    for name, found in pairs:
        if not _are_finite([found]):
            told = f"the gradient of {name} {_holds(found)} in step {step}"
            return f"{told}, where the loss is {loss.item():g}"
    _descend([(weights[name], found) for name, found in pairs])
    return None


def _descend(pairs: Sequence[Tuple[Any, Any]]) -> None:
    """Step against the gradients, no longer than a thousandth of the parameters' length."""
    import torch

    length = _norm([each for each, _ in pairs])
    slope = _norm([each for _, each in pairs])
    rate = min(LEARNING_RATE, _SHORTEST * max(length, _SHORTEST) / slope) if slope else 0.0
    with torch.no_grad():
        for weight, gradient in pairs:
            weight.sub_((gradient.double() * rate).to(weight.dtype))


def _norm(tensors: Sequence[Any]) -> float:
    return float(sum(float(each.detach().double().square().sum()) for each in tensors) ** 0.5)


def _final(model: ModelUnderTest, module: Any, steps: int) -> Optional[str]:
    for name, each in module.named_buffers():
        if each.is_floating_point() and bool(each.isnan().any()):
            return f"{name} {_holds(each)} after {steps} steps"
    for mode in dict.fromkeys((False, module.training)):
        module.train(mode)
        try:
            found = tensor_leaves(_called(model, module))
        except Exception:
            continue
        wrong = next((each for each in found if not _are_finite([each])), None)
        if wrong is not None:
            used = "in training" if mode else "in evaluation mode"
            return f"its output {used} {_holds(wrong)} after {steps} steps"
    return None


def _are_finite(tensors: Any) -> bool:
    floating = (each.detach() for each in tensors if each.is_floating_point())
    return all(bool(each.isfinite().all()) for each in floating)


def _holds(tensor: Any) -> str:
    return "has NaN" if bool(tensor.isnan().any()) else "is infinite"
