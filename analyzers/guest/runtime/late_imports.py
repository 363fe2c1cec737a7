"""Modules that programs import, imported once in the process that forks.

Every child would load them again: einops alone brings ``torch._dynamo``.
"""

from __future__ import annotations

import contextlib
import gc
import importlib
import mmap
import sys
from typing import FrozenSet

_SIZE = 256 * 1024


class LateImports:
    """Names of modules that a child leaves for the process that forked it."""

    def __init__(self) -> None:
        self._memory = mmap.mmap(-1, _SIZE)

    def leave(self, known: FrozenSet[str]) -> None:
        """Note, in a child, the modules that were imported beside the known ones."""
        new = (
            name
            for name, module in list(sys.modules.items())
            if name not in known and getattr(module, "__spec__", None) is not None
        )
        text = "\n".join(new).encode("utf-8", "replace")[: _SIZE - 1]
        self._memory[: len(text) + 1] = text + b"\0"

    def take(self) -> None:
        """Import what a child left; what fails is for the next child to meet."""
        names = self._memory[:].partition(b"\0")[0].decode("utf-8", "replace").split("\n")
        self._memory[:1] = b"\0"
        for name in filter(None, names):
            if name not in sys.modules:
                with contextlib.suppress(BaseException):
                    importlib.import_module(name)
        if any(names):
            gc.collect()
            gc.freeze()
