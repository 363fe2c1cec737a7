"""``torch.compile`` with inductor, where it did compile; needs a C++ compiler."""

from __future__ import annotations

from typing import Any, Iterator

from ..comparison.array_comparison import MISSING
from ..relation_types import Disagreement
from .call_under_test import CallUnderTest
from .call_values import changed, mapped

CUDA = "cuda"
CUDA_RELATED = "the same call on CUDA"


def judge_on_cuda(trial: CallUnderTest) -> Iterator[Disagreement]:
    """The value that the GPU's kernels give; nothing without a GPU."""
    if trial.library.name != "torch" or not _is_there():
        return
    expected = trial.attempt(lambda: _on_gpu(trial))
    disagreement = trial.disagreement(CUDA, CUDA_RELATED, expected)
    if disagreement is not None:
        yield disagreement


def _is_there() -> bool:
    import torch

    return bool(torch.cuda.is_available())


def _on_gpu(trial: CallUnderTest) -> Any:
    """The value, back on the CPU; a layer keeps the weights that it was made with there."""
    import torch

    live = trial.copied(trial.live)
    trial.library.seed()
    made = None
    if live.inputs is not None:
        made = live.function(*live.arguments, **live.keywords).cuda()
    moved = changed(live, lambda leaf: leaf.cuda() if isinstance(leaf, torch.Tensor) else leaf)
    value = moved.run() if made is None else made(*(moved.inputs or ()))
    return mapped(value, lambda leaf: leaf.cpu() if isinstance(leaf, torch.Tensor) else leaf)


INDUCTOR = "inductor"
INDUCTOR_RELATED = "the same call compiled by torch.compile (inductor)"
SECONDS = 60.0
"""What a call may take: the first ones of a machine compile the headers of torch too."""


def load_inductor() -> None:
    """Load the compiler, for processes that are forked from this one: it takes seconds."""
    from importlib import import_module

    for module in ("torch._dynamo", "torch._inductor.compile_fx"):
        import_module(module)


def judge_compiled(trial: CallUnderTest) -> Iterator[Disagreement]:
    """The value of the compiled call; nothing where torch went on without compiling it."""
    if trial.library.name != "torch":
        return
    expected = trial.attempt(lambda: _compiled(trial))
    disagreement = trial.disagreement(INDUCTOR, INDUCTOR_RELATED, expected)
    if disagreement is not None:
        yield disagreement


def _compiled(trial: CallUnderTest) -> Any:
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

    from .call_values import operands

    if live.inputs is not None:
        return list(live.inputs)
    return [leaf for leaf in operands(live) if isinstance(leaf, torch.Tensor)]
