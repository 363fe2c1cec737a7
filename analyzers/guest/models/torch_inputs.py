"""Inputs for a built module, where nobody says what it takes.

What the first layers are made for gives shapes and dtypes, names of parameters say which
layer a parameter goes to and what masks, lengths and times are; the candidates are tried,
smallest first, until the module runs.  Each is the recipe of a tuple (generation/recipes.py):
what is found can be part of a finding.
"""

from __future__ import annotations

import copy
import inspect
import itertools
from typing import Any, Iterator, List, Sequence, Tuple

from ..inputs.recipes import evaluate, parse
from ..runtime import framework_setup, time_limits
from .executions.tensor_trees import tensor_leaves
from .forward_parameters import AxisLengths, LayerInput, candidates, layer_inputs_of
from .model_extraction import is_lazy_module

_SPATIAL = (8, 12, 16, 20, 24, 28, 32, 40, 48, 56, 64, 80, 96, 112, 128, 160, 192, 224, 256, 299)
_LENGTHS = (8, 16, 10, 32, 64, 5, 128, 20, 50, 100, 256)
_MOST = 3000


class NoTorchInputs(Exception):  # noqa: N818 - a fact about the module
    """None of the inputs that were tried is taken; says which error was met last."""


def inputs_for(module: Any, seconds: float = 5.0) -> str:
    """Return the recipe of the smallest inputs that a module takes; raises ``NoTorchInputs``."""
    parameters = required(module)
    training, until = module.training, time_limits.now() + seconds
    last, tried = "nothing could be tried", 0
    spare = ""
    try:
        module.eval()
        for recipe in itertools.islice(_recipes(module, parameters), _MOST):
            if time_limits.now() > until:
                break
            tried += 1
            error = _refused(module, recipe)
            if error is None:
                return recipe
            spare, last = (spare or recipe, last) if error == "" else (spare, error)
    finally:
        module.train(training)
    if spare:
        return spare
    raise NoTorchInputs(f"none of {tried} inputs is taken, at last: {last}")


def required(module: Any) -> List[inspect.Parameter]:
    """Return the parameters of ``forward`` that have to be given; one where it takes any number."""
    try:
        found = list(inspect.signature(module.forward).parameters.values())
    except (TypeError, ValueError):
        found = []
    positional = [
        each for each in found if each.kind in (each.POSITIONAL_OR_KEYWORD, each.POSITIONAL_ONLY)
    ]
    needed = [each for each in positional if each.default is each.empty]
    if needed:
        return needed
    if any(each.default is each.empty and each.kind is each.KEYWORD_ONLY for each in found):
        raise NoTorchInputs("its forward has required parameters that are keywords only")
    loose = any(each.kind is each.VAR_POSITIONAL for each in found)
    optional = positional[:1]
    if optional:
        return optional
    if loose or not found:
        return [inspect.Parameter("input", inspect.Parameter.POSITIONAL_ONLY)]
    raise NoTorchInputs("its forward takes nothing that could be given")


def _recipes(module: Any, parameters: Sequence[inspect.Parameter]) -> Iterator[str]:
    needs = layer_inputs_of(module)
    readings = list(itertools.islice(_readings(needs, parameters), 40))
    for batch in (2, 1):
        for reading in readings:
            for size in _sizes(reading, batch):
                yield "(" + "".join(f"{each(size)}, " for each in reading).strip() + ")"


def _readings(
    needs: Sequence[LayerInput], parameters: Sequence[inspect.Parameter]
) -> Iterator[Tuple[Any, ...]]:
    ways = [candidates(each, place, needs) for place, each in enumerate(parameters)]
    ranks = itertools.product(*[range(len(each)) for each in ways])
    for chosen in sorted(itertools.islice(ranks, _MOST), key=sum):
        yield tuple(each[rank] for each, rank in zip(ways, chosen))


def _sizes(reading: Sequence[Any], batch: int) -> Iterator[AxisLengths]:
    depends = {axis for each in reading for axis in each.axes}
    sides = _SPATIAL if "side" in depends else _SPATIAL[:1]
    lengths = _LENGTHS if "length" in depends else _LENGTHS[:1]
    for side, length in itertools.product(sides, lengths):
        yield AxisLengths(batch, side, length)


def _refused(module: Any, recipe: str) -> Any:
    import torch

    framework_setup.seed()
    try:
        with torch.no_grad():
            called = copy.deepcopy(module) if is_lazy_module(module) else module
            outputs = called(*evaluate(parse(recipe), {}))
    except Exception as error:
        return f"{type(error).__name__}: {str(error)[:200]}"
    tensors = [each for each in tensor_leaves(outputs) if isinstance(each, torch.Tensor)]
    if not tensors:
        return "it returns no tensor"
    finite = all(bool(each.isfinite().all()) for each in tensors if each.is_floating_point())
    return None if finite and all(each.numel() for each in tensors) else ""
