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
from typing import Any, Dict, List, Optional, Sequence

from ..changes import CHANGES, WORDS, changed
from ..executions import execution_of, leaves
from ..executions.eager import seeded
from ..executions.flat import flat
from ..executions.quiet import quiet
from ..locating.using import use
from ..nouns import DIVERGENCE, RATIO, Model, Outcomes, Place, Verdict
from .judge import judge
from .outcomes import Prepared, outcomes

KIND = "branch"
_DECIDES = "Python boolean"


@dataclass(frozen=True)
class Baked:
    """An execution that follows the path of other inputs.

    ``other`` is the change of the model's inputs (:mod:`..changes`), ``outcomes`` what the
    executions came to on ``model``'s inputs, which are the changed ones.  ``place`` is the
    line that decides, where the tracer names one.
    """

    other: str
    model: Model
    outcomes: Outcomes
    verdict: Verdict
    place: Optional[Place] = None


def bakes(name: str, model: Model) -> bool:
    """Whether an execution is an export, made once with one input."""
    return model.framework == "torch" and bool(getattr(execution_of(name, model), "exports", False))


def baked(
    prepared: Prepared,
    model: Model,
    name: str,
    others: Sequence[str] = tuple(CHANGES),
    ratio: float = RATIO,
    root: str = "",
) -> Optional[Baked]:
    """The first change of inputs that shows a branch baked into an execution of the model.

    ``prepared`` is of the model's own inputs, on which the execution agrees: who calls has
    seen to that.  ``None`` where no change shows one, or the execution is no export.
    """
    if not bakes(name, model):
        return None
    for other in others:
        turned = _turned(model, other)
        if turned is None:
            continue
        found = prepared.outcomes(turned.inputs, turned.keywords)
        verdict = _divergence(turned, found, name, ratio)
        if verdict is None or not _agrees(turned, name, ratio):
            continue
        told = replace(verdict, detail=_told(name, other), error_ratio=None)
        return Baked(other, turned, found, told, next(iter(deciding(model, root)), None))
    return None


def _turned(model: Model, other: str) -> Optional[Model]:
    """The model with changed inputs; ``None`` where these are the same, or no tensor changes."""
    import torch

    inputs, keywords = changed((model.inputs, dict(model.keywords)), other)
    pairs = zip(leaves((inputs, keywords)), leaves((model.inputs, dict(model.keywords))))
    if all(torch.equal(one, before) for one, before in pairs):
        return None
    return Model(model.module, inputs, keywords, model.framework)


def _divergence(model: Model, found: Outcomes, name: str, ratio: float) -> Optional[Verdict]:
    verdicts = judge(model, found, ratio)
    return next((v for v in verdicts if (v.rule, v.execution) == (DIVERGENCE, name)), None)


def _agrees(model: Model, name: str, ratio: float) -> bool:
    """Whether an export made with these inputs gives what eager gives."""
    found = outcomes(model, [name])
    returned = found[name].status == "returned"
    return returned and all(each.execution != name for each in judge(model, found, ratio))


def _told(name: str, other: str) -> str:
    return (
        f"branch baked in: {name} as exported for one input departs on {WORDS[other]}, "
        "as exported for these it does not"
    )


def deciding(model: Model, root: str = "") -> List[Place]:
    """The lines of the project where data becomes a Python boolean, as torch's tracer warns.

    Paths are relative to ``root``; without one they are whole.
    """
    import torch

    found: Dict[Place, None] = {}

    def show(message: Any, category: Any, *_: Any) -> None:
        if category.__name__ == "TracerWarning" and _DECIDES in str(message):
            path, line = use(root)
            if path:
                found[Place("", KIND, path, line)] = None

    with quiet(), warnings.catch_warnings(), suppress(Exception), seeded():
        warnings.simplefilter("always")
        setattr(warnings, "showwarning", show)  # noqa: B010 - how the module is meant to be used
        flattened = flat(model)
        torch.jit.trace(flattened.module, flattened.tensors, check_trace=False, strict=False)
    return list(found)
