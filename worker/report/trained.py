"""The postcondition ``trains`` as what a test by itself can ask, with torch alone."""

from __future__ import annotations

import ast

from analyzers.guest.generation.recipes import BadRecipe, Recipe, parse
from analyzers.vocabulary import Probe
from worker.report.promises import Promise, Unspoken

_CALLS = ("forward", "__call__")


def training(condition: str, function: str, probe: Probe) -> Promise | None:
    """A condition ``trains(…)`` of one call, ``None`` of another; raises ``Unspoken``."""
    said = _asked(condition)
    if said is None:
        return None
    steps, inputs = said
    last = function.rpartition(".")[2]
    if last in _CALLS and not inputs:
        names = [name for name in probe.arguments if name != "self"]
        model, given = "before['self']", "".join(f"before[{name!r}], " for name in names)
        return Promise(f"trains({steps}, {model}, ({given}))", (_HELPER,))
    if last == "__init__" and inputs:
        return Promise(f"trains({steps}, result, {inputs})", (_HELPER,))
    raise Unspoken("the model is neither called nor made")


def inputs_of_training(condition: str) -> Recipe | None:
    """The recipe of what a condition trains a model on; raises ``Unspoken`` for what is none."""
    said = _asked(condition)
    try:
        return parse(said[1]) if said is not None and said[1] else None
    except BadRecipe as error:
        raise Unspoken(str(error)) from error


def _asked(condition: str) -> tuple[int, str] | None:
    """The steps and inputs of ``trains(STEPS, inputs="")``; raises ``Unspoken``."""
    try:
        body = ast.parse(condition, mode="eval").body
    except (SyntaxError, ValueError, MemoryError, RecursionError):
        return None
    if not isinstance(body, ast.Call) or not isinstance(body.func, ast.Name):
        return None
    if body.func.id != "trains":
        return None
    match [*body.args, *(each.value for each in body.keywords if each.arg == "inputs")]:
        case [ast.Constant(value=int() as steps)]:
            return steps, ""
        case [ast.Constant(value=int() as steps), ast.Constant(value=str() as inputs)]:
            return steps, inputs
        case _:
            raise Unspoken("trains takes a number of steps, and the text of its inputs")


_HELPER = '''\
def trains(steps, model, inputs):
    """Whether a model stays finite over some steps of plain gradient descent, short ones."""
    import torch

    model = copy.deepcopy(model).train()
    try:
        outputs(model, inputs)
    except Exception:
        model.eval()
    weights = [each for each in model.parameters() if each.requires_grad]
    for _ in range(steps):
        loss = loss_of(outputs(model, inputs))
        found = torch.autograd.grad(loss, weights, allow_unused=True)
        pairs = [(weight, slope) for weight, slope in zip(weights, found) if slope is not None]
        if not are_finite([loss, *(slope for _, slope in pairs)]):
            return False
        descend(pairs)
    if any(each.isnan().any() for each in model.buffers()):
        return False
    trained = are_finite(outputs(model, inputs))
    return trained and are_finite(outputs(model.eval(), inputs))


def outputs(model, inputs):
    """The tensors of numbers that a model gives, in order."""
    import torch

    torch.manual_seed(0)
    return numbers(model(*copy.deepcopy(inputs)))


def numbers(value):
    if isinstance(value, dict):
        value = list(value.values())
    if isinstance(value, (list, tuple)):
        return [tensor for each in value for tensor in numbers(each)]
    is_number = hasattr(value, "is_floating_point") and value.is_floating_point()
    return [value] if is_number else []


def loss_of(found):
    """Cross entropy of rows of scores against their own places, else the mean square."""
    import torch

    found = [each for each in found if each.requires_grad and each.numel()]
    if len(found) == 1 and found[0].dim() == 2 and found[0].shape[1] > 1:
        rows, classes = found[0].shape
        return torch.nn.functional.cross_entropy(found[0], torch.arange(rows) % classes)
    return sum(each.square().mean() for each in found)


def descend(pairs):
    """A step against the slopes, no longer than a thousandth of the weights' length."""
    import torch

    length = sum(float(weight.detach().double().square().sum()) for weight, _ in pairs) ** 0.5
    slope = sum(float(each.double().square().sum()) for _, each in pairs) ** 0.5
    rate = min(1e-2, 1e-3 * max(length, 1e-3) / slope) if slope else 0.0
    with torch.no_grad():
        for weight, each in pairs:
            weight.sub_((each.double() * rate).to(weight.dtype))


def are_finite(tensors):
    return all(bool(each.isfinite().all()) for each in tensors)'''
