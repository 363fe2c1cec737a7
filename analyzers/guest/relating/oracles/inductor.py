"""``torch.compile`` with inductor, where it did compile; needs a C++ compiler."""

from __future__ import annotations

from typing import Any, Iterator

from ..comparing import MISSING
from ..nouns import Disagreement
from .trial import Trial
from .values import changed

NAME = "inductor"
RELATED = "the same call compiled by torch.compile (inductor)"
SECONDS = 60.0
"""What a call may take: the first ones of a machine compile the headers of torch too."""


def load() -> None:
    """Load the compiler, for processes that are forked from this one: it takes seconds."""
    from importlib import import_module

    for module in ("torch._dynamo", "torch._inductor.compile_fx"):
        import_module(module)


def judge(trial: Trial) -> Iterator[Disagreement]:
    """The value of the compiled call; nothing where torch went on without compiling it."""
    if trial.library.name != "torch":
        return
    expected = trial.attempt(lambda: _compiled(trial))
    disagreement = trial.disagreement(NAME, RELATED, expected)
    if disagreement is not None:
        yield disagreement


def _compiled(trial: Trial) -> Any:
    """What the compiled call gives, :data:`MISSING` where no kernel was compiled."""
    import torch
    import torch._dynamo as dynamo
    from torch._dynamo.utils import counters

    live = trial.copied(trial.live)
    given = _tensors(live)
    places = {id(tensor): index for index, tensor in enumerate(given)}

    def call(*tensors: Any) -> Any:
        return changed(
            live, lambda leaf: tensors[places[id(leaf)]] if id(leaf) in places else leaf
        ).run()

    dynamo.reset()
    counters.clear()
    trial.library.seed()
    made = _maker(live, call)
    value = torch.compile(made, backend="inductor", dynamic=False)(*given)
    done = counters["stats"]["unique_graphs"] > 0 and not counters["graph_break"]
    return value if done else MISSING


def _maker(live: Any, call: Any) -> Any:
    """What is compiled: the function or layer itself, its other arguments bound."""
    if live.inputs is not None:
        return live.function(*live.arguments, **live.keywords)
    return call


def _tensors(live: Any) -> Any:
    import torch

    from .values import operands

    if live.inputs is not None:
        return list(live.inputs)
    return [leaf for leaf in operands(live) if isinstance(leaf, torch.Tensor)]
