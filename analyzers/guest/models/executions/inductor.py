"""Torch's compiler, with a check that it compiled."""

from __future__ import annotations

import shutil
from typing import Any, Callable, Optional

from ..nouns import Model, Uncompiled
from .eager import EPS32, called
from .quiet import CACHE, emptied, quiet

_COMPILERS = ("g++", "clang++", "c++")
_ABOUT = "Developer debug context:"
_LONGEST = 800


class Inductor:
    """``torch.compile`` of the model; raises :class:`Uncompiled` for what is left to eager."""

    name = "inductor"
    eps = EPS32
    framework = "torch"
    foreign = True
    seconds = 180.0

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
        run = called(torch.compile(model.module))
        with quiet(), emptied(CACHE), config.patch(compile_threads=1, force_disable_caches=True):
            run(*model.inputs, **model.keywords)
        left = left_to_eager(counters)
        if left:
            raise Uncompiled(left)

        def call(*inputs: Any, **keywords: Any) -> Any:
            with quiet(), emptied(CACHE):
                return run(*inputs, **keywords)

        return call


def left_to_eager(counters: Any) -> Optional[str]:
    """What Dynamo's counters say that it did not compile, and why; ``None`` where it compiled all.

    A frame that it skips, as those of recurrent layers, is no graph break to it.
    """
    frames = counters["frames"]
    skipped = frames["total"] - frames["ok"]
    if not counters["stats"]["unique_graphs"]:
        found = ["nothing was compiled: all of it runs eagerly"]
    elif counters["graph_break"] or skipped > 0:
        found = [f"a part runs eagerly ({counters['stats']['unique_graphs']} graphs compiled)"]
    else:
        return None
    for reason in (*counters["graph_break"], *counters["unimplemented"]):
        if _told(reason) not in found:
            found.append(_told(reason))
    return "; ".join(found)[:_LONGEST]


def _told(reason: Any) -> str:
    """The first line of Dynamo's reason, and what it was about."""
    lines = [line.strip() for line in str(reason).splitlines() if line.strip()]
    about = [line[len(_ABOUT) :].strip() for line in lines if line.startswith(_ABOUT)]
    return " ".join([*lines[:1], *(f"({each})" for each in about[:1] if each)])
