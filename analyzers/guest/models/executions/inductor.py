"""Torch's compiler, with a check that it compiled."""

from __future__ import annotations

import shutil
from typing import Any, Callable, List, Optional

from ..nouns import Model, Uncompiled
from .eager import EPS32, seeded
from .flat import flat
from .quiet import emptied, quiet

_COMPILERS = ("g++", "clang++", "c++")
_CACHE = "TORCHINDUCTOR_CACHE_DIR"


class Inductor:
    """``torch.compile`` of the model; raises :class:`Uncompiled` for what is left to eager."""

    name = "inductor"
    eps = EPS32
    framework = "torch"
    foreign = True

    def unavailable(self) -> Optional[str]:
        """The C++ compiler that it needs, where there is none."""
        found = any(shutil.which(name) for name in _COMPILERS)
        return None if found else "no C++ compiler is installed"

    def prepared(self, model: Model) -> Callable[..., Any]:
        """The compiled model, having run once."""
        import torch
        import torch._dynamo as dynamo
        from torch._dynamo.utils import counters
        from torch._inductor import config

        dynamo.reset()
        counters.clear()
        with quiet(), seeded(), emptied(_CACHE):
            flattened = flat(model)
            with config.patch(compile_threads=1, force_disable_caches=True):
                compiled = torch.compile(flattened.module)
                compiled(*flattened.tensors)
        left = left_to_eager(counters)
        if left:
            raise Uncompiled("; ".join(left))

        def call(*inputs: Any, **keywords: Any) -> Any:
            with quiet(), seeded():
                return compiled(*flattened.taken(inputs, keywords))

        return call


def left_to_eager(counters: Any) -> List[str]:
    """What Dynamo says that it did not compile, and why; empty where it compiled all."""
    breaks = [f"graph break: {_first(reason)}" for reason in counters["graph_break"]]
    frames = counters["frames"]
    skipped = frames["total"] - frames["ok"]
    if skipped > 0:
        breaks.append(f"{skipped} of {frames['total']} frames skipped")
    if not counters["stats"]["unique_graphs"]:
        breaks.append("no graph was compiled: all of it runs eagerly")
    return breaks


def _first(reason: Any) -> str:
    lines = [line.strip() for line in str(reason).splitlines() if line.strip()]
    return (lines[0] if lines else "")[:200]
