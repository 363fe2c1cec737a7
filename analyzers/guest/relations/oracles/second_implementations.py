"""Torch's reference implementations: the same operator, written a second time in Python.

``torch._refs`` mirrors torch's namespaces (PrimTorch); a reference has the
parameters of the operator that it is named after.
"""

from __future__ import annotations

import functools
import inspect
from importlib import import_module
from typing import Any, Iterator, Optional, Tuple

from ...runtime.framework_setup import decomposition_mode
from ..relation_types import Disagreement
from .call_under_test import CallUnderTest
from .exemptions import is_exempt

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
    """The reference of the API, called with the same arguments."""
    found = reference_of(trial.live.api) if trial.library.name == "torch" else None
    if found is None or is_exempt(REFERENCE, trial.live.api):
        return
    name, function = found
    live = trial.copied(trial.live)
    expected = trial.attempt(lambda: function(*live.arguments, **live.keywords))
    disagreement = trial.disagreement(REFERENCE, f"{name}{_parameters(function)}", expected)
    if disagreement is not None:
        yield disagreement


@functools.cache
def reference_of(api: str) -> Optional[Tuple[str, Any]]:
    """The dotted name of an API's reference, and the reference."""
    for prefix, place in _PLACES:
        if api.startswith(prefix):
            return _public(place, api[len(prefix) :])
    return None


def _public(place: str, name: str) -> Optional[Tuple[str, Any]]:
    module = import_module(place)
    if name not in module.__all__:
        return None
    function = getattr(module, name, None)
    return (f"{place}.{name}", function) if callable(function) else None


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
    """The same call, with every operator that has one replaced by its decomposition."""
    if trial.library.name != "torch":
        return
    live = trial.copied(trial.live)
    mode = decomposition_mode()()
    trial.library.seed()

    def decomposed() -> Any:
        with mode:
            return live.run()

    expected = trial.attempt(decomposed)
    if mode.replaced:
        disagreement = trial.disagreement(DECOMPOSITION, DECOMPOSITION_RELATED, expected)
        if disagreement is not None:
            yield disagreement
