"""Gradients of a call's result by its arguments and by the parameters of its model.

The result is reduced to a weighted sum of its floating elements, with other weights for
each, so that no two elements cancel.
"""

from __future__ import annotations

import math
import sys
from dataclasses import replace
from typing import Any, Dict, Iterator, Tuple

from ...runtime import framework_setup
from ...runtime.execution import SELF, Arguments, Bound, PreparedTarget

MOST_PARAMETERS = 16


def gradients(prepared: PreparedTarget, arguments: Arguments) -> Dict[str, Any]:
    """Return the gradients of a new call by name of argument, and of parameter (``self.weight``).

    What the result does not depend on is absent; so is everything where the call or its
    derivative raises.
    """
    if "torch" not in sys.modules:
        return {}
    framework_setup.seed()
    bound = prepared.bind(arguments)
    function = bound.function()
    leaves: Dict[str, Any] = {}
    following = _following(replace(bound, function=lambda: function), leaves)
    leaves.update(_parameters(getattr(function, "__self__", None)))
    try:
        return _derived(prepared.call(following), leaves)
    except Exception:
        return {}


def _following(bound: Bound, leaves: Dict[str, Any]) -> Bound:
    """Return the call with arrays that gradients are followed to, which go into ``leaves``."""
    from .postcondition_checks import arguments_by_name

    places = {id(value): name for name, value in arguments_by_name(bound).items()}

    def followed(value: Any) -> Any:
        if not _is_floating(value) or id(value) not in places:
            return value
        leaf = value.detach().clone().requires_grad_()
        leaves[places[id(value)]] = leaf
        return leaf.clone()

    args = [followed(each) for each in bound.args]
    kwargs = {name: followed(each) for name, each in bound.kwargs.items()}
    return replace(bound, args=args, kwargs=kwargs)


def _parameters(instance: Any) -> Iterator[Tuple[str, Any]]:
    if not hasattr(instance, "named_parameters"):
        return
    for number, (name, each) in enumerate(instance.named_parameters()):
        if number < MOST_PARAMETERS and _is_floating(each) and each.requires_grad:
            yield f"{SELF}.{name}", each


def _is_floating(value: Any) -> bool:
    import torch

    return isinstance(value, torch.Tensor) and value.is_floating_point()


def _derived(result: Any, leaves: Dict[str, Any]) -> Dict[str, Any]:
    import torch

    from ...models.executions.tensor_trees import tensor_leaves

    found = [each for each in tensor_leaves(result) if _is_floating(each) and each.requires_grad]
    if not found or not leaves:
        return {}
    total = sum(((each * _weights(each)).sum() for each in found), torch.zeros(()))
    slopes: Any = torch.autograd.grad(total, list(leaves.values()), allow_unused=True)
    return {name: slope for name, slope in zip(leaves, slopes) if slope is not None}


def _weights(output: Any) -> Any:
    import torch

    count = torch.arange(output.numel(), dtype=torch.float64)
    weights = 1 + 0.5 * torch.sin(count * math.sqrt(2))
    return weights.to(output.dtype).to(output.device).reshape(output.shape)
