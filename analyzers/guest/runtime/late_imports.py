"""Modules that programs import, imported once in the process that forks.

Every child would load them again: einops alone brings ``torch._dynamo``.
"""

from __future__ import annotations

import ast
import contextlib
import gc
import importlib
import mmap
import sys
from typing import FrozenSet, Iterator, Sequence, Set

from .time_limits import CLOCK

SECONDS = 10.0
"""The time for what programs begin with, all together; it counts for none of them."""
_SIZE = 256 * 1024
CLOCK.never_interrupt(__file__)


class LateImports:
    """Names of modules that a child leaves for the process that forked it."""

    def __init__(self) -> None:
        self._memory = mmap.mmap(-1, _SIZE)
        self._brought: Set[str] = set()

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

    def bring(self, sources: Sequence[str]) -> None:
        """Run the imports that programs begin with; what fails is for them to meet."""
        new = dict.fromkeys(each for source in sources for each in _first_imports(source))
        wanted = [each for each in new if each not in self._brought]
        self._brought.update(wanted)
        known = len(sys.modules)
        with contextlib.suppress(BaseException), CLOCK.limited(SECONDS):
            for each in wanted:
                with contextlib.suppress(Exception, SystemExit):
                    exec(each, {"__name__": "program"})
        if len(sys.modules) > known:
            gc.collect()
            gc.freeze()


def _first_imports(source: str) -> Iterator[str]:
    """Yield the imports at the start of a program, before anything that could change them."""
    try:
        body = ast.parse(source).body
    except SyntaxError:
        return
    for node in body:
        if not isinstance(node, (ast.Import, ast.ImportFrom)):
            return
        if getattr(node, "module", "") != "__future__":
            yield ast.unparse(node)
