"""Branches that an export decides once, by the inputs that it was made with.

A tracer follows one path through the model.  Where the data decides (``if x.sum() > 0:``),
what it makes is another model on inputs that would take the other path.  The export of the
model's own inputs is run on others of the same shapes; where it departs there, and an export
made with those does not, the path is baked in.
"""

from __future__ import annotations

import warnings
from contextlib import suppress
from dataclasses import dataclass, replace
from typing import Any, Callable, Dict, List, Mapping, Optional, Sequence

from ..executions.execution_registry import execution_of
from ..executions.exporter_output import silenced
from ..executions.tensor_trees import flatten_model, map_tensors, tensor_leaves
from ..executions.torch_executions import run_seeded
from ..locating.model_units import project_line
from ..model_types import (
    DIVERGENCE,
    RATIO,
    ExecutionOutcomes,
    ExecutionVerdict,
    LayerLocation,
    ModelUnderTest,
)
from .execution_oracles import judge
from .isolated_runs import PreparedModel, run_isolated

CHANGES: Mapping[str, Callable[[Any], Any]] = {
    "negated": lambda tensor: -tensor,
    "lowered": lambda tensor: -tensor.abs() - 1.0,
    "raised": lambda tensor: tensor.abs() + 1.0,
    "enlarged": lambda tensor: tensor * 100.0,
    "reduced": lambda tensor: tensor * 1e-3,
    "zeroed": lambda tensor: tensor.new_zeros(tensor.shape),
}
"""How each floating tensor of the inputs is changed; ``zeroed`` changes those of numbers, too."""

WORDS: Mapping[str, str] = {
    "negated": "the same numbers with the other sign",
    "lowered": "negative numbers, all at most -1",
    "raised": "positive numbers, all at least 1",
    "enlarged": "numbers a hundred times as large",
    "reduced": "numbers a thousandth as large",
    "zeroed": "zeros",
}


def changed(inputs: Any, name: str) -> Any:
    """Return the inputs with their tensors changed; raises ``KeyError`` for an unknown name."""
    change = CHANGES[name]

    def each(tensor: Any) -> Any:
        changes = tensor.is_floating_point() or name == "zeroed"
        return change(tensor.detach()) if changes else tensor

    return map_tensors(inputs, each)


KIND = "branch"
_DECIDES = "Python boolean"


@dataclass(frozen=True)
class BakedBranch:
    """An execution that follows the path of other inputs.

    ``other`` is the change of the model's inputs (:data:`CHANGES`), ``outcomes`` what the
    executions came to on ``model``'s inputs, which are the changed ones.  ``place`` is the
    line that decides, where the tracer names one.
    """

    other: str
    model: ModelUnderTest
    outcomes: ExecutionOutcomes
    verdict: ExecutionVerdict
    place: Optional[LayerLocation] = None


def baked_branch(
    prepared: PreparedModel,
    model: ModelUnderTest,
    name: str,
    others: Sequence[str] = tuple(CHANGES),
    ratio: float = RATIO,
    root: str = "",
) -> Optional[BakedBranch]:
    """Return the first change of inputs that shows a branch baked into an execution of the model.

    ``prepared`` is of the model's own inputs, on which the execution agrees: who calls has
    seen to that.  ``None`` where no change shows one, or the execution is no export.
    """
    if model.framework != "torch" or not getattr(execution_of(name, model), "exports", False):
        return None
    for other in others:
        turned = _turned(model, other)
        if turned is None:
            continue
        found = prepared.outcomes(turned.inputs, turned.keywords)
        verdicts = judge(turned, found, ratio)
        verdict = next((v for v in verdicts if (v.rule, v.execution) == (DIVERGENCE, name)), None)
        if verdict is None or not _agrees(turned, name, ratio):
            continue
        detail = (
            f"branch baked in: {name} as exported for one input departs on {WORDS[other]}, "
            "as exported for these it does not"
        )
        told = replace(verdict, detail=detail, error_ratio=None)
        return BakedBranch(other, turned, found, told, next(iter(deciding(model, root)), None))
    return None


def _turned(model: ModelUnderTest, other: str) -> Optional[ModelUnderTest]:
    import torch

    inputs, keywords = changed((model.inputs, dict(model.keywords)), other)
    before = tensor_leaves((model.inputs, dict(model.keywords)))
    if all(map(torch.equal, tensor_leaves((inputs, keywords)), before)):
        return None
    return replace(model, inputs=inputs, keywords=keywords)


def _agrees(model: ModelUnderTest, name: str, ratio: float) -> bool:
    found = run_isolated(model, [name])
    returned = found[name].status == "returned"
    return returned and all(each.execution != name for each in judge(model, found, ratio))


def deciding(model: ModelUnderTest, root: str = "") -> List[LayerLocation]:
    """Return the lines of the project (at ``root``) where torch's tracer saw data become a bool."""
    import torch

    found: Dict[LayerLocation, None] = {}

    def show(message: Any, category: Any, *_: Any) -> None:
        if category.__name__ == "TracerWarning" and _DECIDES in str(message):
            path, line = project_line(root)
            if path:
                found[LayerLocation("", KIND, path, line)] = None

    with silenced(), warnings.catch_warnings(), suppress(Exception), run_seeded():
        warnings.simplefilter("always")
        setattr(warnings, "showwarning", show)  # noqa: B010 - how the module is meant to be used
        flattened = flatten_model(model)
        torch.jit.trace(flattened.module, flattened.tensors, check_trace=False, strict=False)
    return list(found)
