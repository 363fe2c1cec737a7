"""Torch's reference implementations (``torch._refs``): each operator written again in Python."""

from __future__ import annotations

import functools
import inspect
from importlib import import_module
from typing import Any, Iterator, Optional

from ...runtime.framework_setup import decomposition_mode
from ..relation_types import Disagreement
from ..result_comparison import MISSING
from .call_under_test import CallUnderTest
from .call_values import changed, mapped, operands

REFERENCE = "reference"
_PLACES = (
    ("torch.nn.functional.", "torch._refs.nn.functional"),
    ("torch.special.", "torch._refs.special"),
    ("torch.linalg.", "torch._refs.linalg"),
    ("torch.fft.", "torch._refs.fft"),
    ("torch.Tensor.", "torch._refs"),
    ("torch.", "torch._refs"),
)


def judge_by_reference(trial: CallUnderTest) -> Iterator[Disagreement]:
    """Yield the reference of the API, called with the same arguments."""
    found = reference_of(trial.live.api)
    if found is not None:
        name, function = found
        live = trial.copied(trial.live)
        yield from trial.compared(
            REFERENCE,
            f"{name}{_parameters(function)}",
            lambda: function(*live.arguments, **live.keywords),
        )


@functools.cache
def reference_of(api: str) -> Optional[tuple[str, Any]]:
    """Return the dotted name of an API's reference, and the reference."""
    for prefix, place in _PLACES:
        if api.startswith(prefix):
            module, name = import_module(place), api[len(prefix) :]
            function = getattr(module, name, None) if name in module.__all__ else None
            return (f"{place}.{name}", function) if callable(function) else None
    return None


@functools.cache
def _parameters(function: Any) -> str:
    try:
        names = list(inspect.signature(function).parameters)
    except (TypeError, ValueError):
        return "(…)"
    return f"({', '.join(name for name in names if name != 'out')})"


DECOMPOSITION = "decomposition"
DECOMPOSITION_RELATED = (
    "the same call with its operators decomposed (torch._decomp.decomposition_table)"
)


def judge_decomposed(trial: CallUnderTest) -> Iterator[Disagreement]:
    """Yield the same call, with every operator that has one replaced by its decomposition."""
    live = trial.copied(trial.live)
    mode = decomposition_mode()()
    trial.library.seed()

    def decomposed() -> Any:
        with mode:
            return live.run()

    expected = trial.attempt(decomposed)
    if mode.replaced:
        yield from trial.compared(DECOMPOSITION, DECOMPOSITION_RELATED, lambda: expected)


CUDA = "cuda"
CUDA_RELATED = "the same call on CUDA"


def judge_on_cuda(trial: CallUnderTest) -> Iterator[Disagreement]:
    """Yield the value that the GPU's kernels give; nothing without a GPU."""
    import torch

    if torch.cuda.is_available():
        yield from trial.compared(CUDA, CUDA_RELATED, lambda: _on_gpu(trial))


def _on_gpu(trial: CallUnderTest) -> Any:
    """Return the value, back on the CPU; a layer keeps the weights that it was made with there."""
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
    for module in ("torch._dynamo", "torch._inductor.compile_fx"):
        import_module(module)


def judge_compiled(trial: CallUnderTest) -> Iterator[Disagreement]:
    """Yield the value of the compiled call; nothing where torch went on without compiling it."""
    yield from trial.compared(INDUCTOR, INDUCTOR_RELATED, lambda: _compiled(trial))


def _compiled(trial: CallUnderTest) -> Any:
    import torch
    import torch._dynamo as dynamo
    from torch._dynamo.utils import counters

    live = trial.copied(trial.live)
    given = list(live.inputs or ())
    if live.inputs is None:
        given = [leaf for leaf in operands(live) if isinstance(leaf, torch.Tensor)]
    places = {id(tensor): index for index, tensor in enumerate(given)}

    def call(*tensors: Any) -> Any:
        return changed(
            live, lambda leaf: tensors[places[id(leaf)]] if id(leaf) in places else leaf
        ).run()

    dynamo.reset()
    counters.clear()
    trial.library.seed()
    made = live.function(*live.arguments, **live.keywords) if live.inputs is not None else call
    value = torch.compile(made, backend="inductor", dynamic=False)(*given)
    done = counters["stats"]["unique_graphs"] > 0 and not counters["graph_break"]
    return value if done else MISSING
