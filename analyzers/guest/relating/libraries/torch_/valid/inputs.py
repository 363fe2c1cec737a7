"""Valid calls from ``module_db``: each layer, as its tests make and call it."""

from __future__ import annotations

import inspect
from itertools import islice
from typing import Any, Iterator, List, Optional, Sequence, Tuple

from ....nouns import Call, Live
from ...library import Library
from .choosing import varied
from .keeping import several

MOST_CALLS = 16
MOST_OTHER = 4
DTYPES = ("float32", "float64", "bfloat16", "complex64")


def layered(library: Library, modules: Sequence[Any]) -> Iterator[Tuple[Call, str]]:
    """The calls of some layers."""
    for module in modules:
        for call in _calls(module, library):
            yield call, "module_db"


def _calls(module: Any, library: Library) -> Iterator[Call]:
    name = library.named(module.module_cls)
    if name is None:
        return
    most = MOST_CALLS
    for dtype in DTYPES:
        found = [_live(name, item, library) for item in _inputs(module, dtype, library)]
        lives = [live for live in found if live is not None]
        yield from several(varied(lives), library, most)
        most = MOST_OTHER if lives else most


def _inputs(module: Any, dtype: str, library: Library) -> List[Any]:
    import torch

    kind = getattr(torch, dtype)
    if kind not in module.dtypes:
        return []
    library.seed()
    try:
        made = module.module_inputs_func(
            module, device="cpu", dtype=kind, requires_grad=False, training=True
        )
        return list(islice(made, 100))
    except Exception:
        return []


def _live(name: str, item: Any, library: Library) -> Optional[Live]:
    """A layer's call; what its inputs have names for is put in order."""
    layer = library.function(name)
    made, given = item.constructor_input, item.forward_input
    if given is None:
        return None
    inputs = list(given.args)
    if given.kwargs:
        try:
            bound = inspect.signature(layer.forward).bind(None, *given.args, **given.kwargs)
        except TypeError:
            return None
        bound.apply_defaults()
        if bound.kwargs:
            return None
        inputs = list(bound.args[1:])
    return Live(name, layer, list(made.args), dict(made.kwargs), inputs)
