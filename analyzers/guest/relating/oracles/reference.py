"""Torch's reference implementations: the same operator, written a second time in Python.

``torch._refs`` mirrors torch's namespaces (PrimTorch); a reference has the
parameters of the operator that it is named after.
"""

from __future__ import annotations

import functools
import inspect
from importlib import import_module
from typing import Any, Iterator, Optional, Tuple

from ..nouns import Disagreement
from .exempt import is_exempt
from .trial import Trial

NAME = "reference"
_PLACES = (
    ("torch.nn.functional.", "torch._refs.nn.functional"),
    ("torch.special.", "torch._refs.special"),
    ("torch.linalg.", "torch._refs.linalg"),
    ("torch.fft.", "torch._refs.fft"),
    ("torch.Tensor.", "torch._refs"),
    ("torch.", "torch._refs"),
)


def judge(trial: Trial) -> Iterator[Disagreement]:
    """The reference of the API, called with the same arguments."""
    found = reference_of(trial.live.api) if trial.library.name == "torch" else None
    if found is None or is_exempt(NAME, trial.live.api):
        return
    name, function = found
    live = trial.copied(trial.live)
    expected = trial.attempt(lambda: function(*live.arguments, **live.keywords))
    disagreement = trial.disagreement(NAME, f"{name}{_parameters(function)}", expected)
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
