"""Takes what a call returns lazily, so that the code behind it runs."""

from __future__ import annotations

import asyncio
import inspect
import io
import itertools
import sys
from collections.abc import Iterator
from typing import Any, List

from .standins import is_standin

DRAWN = 100
FEW = 3


def consume(value: Any, *, thoroughly: bool = False) -> Any:
    """The value; of a coroutine what it returns, of a generator what it yields first.

    ``thoroughly``: iterators and data loaders give a few items too (they are
    not replaced by them).
    """
    if inspect.iscoroutine(value):
        return consume(asyncio.run(value), thoroughly=thoroughly)
    if inspect.isgenerator(value):
        return list(itertools.islice(value, DRAWN))
    if inspect.isasyncgen(value):
        return asyncio.run(_drawn(value))
    if thoroughly and _is_lazy(value):
        return _tasted(value)
    return value


def _is_lazy(value: Any) -> bool:
    if isinstance(value, Iterator):
        return not isinstance(value, io.IOBase) and not is_standin(value)
    loader = getattr(sys.modules.get("torch.utils.data"), "DataLoader", None)
    return isinstance(loader, type) and isinstance(value, loader)


def _tasted(value: Any) -> Any:
    """The value after a few items; what an iterator gave comes again."""
    if isinstance(value, Iterator):
        first = list(itertools.islice(value, FEW))
        is_plain = type(value).__module__ in ("builtins", "itertools")
        return itertools.chain(first, value) if is_plain else value
    if getattr(value, "num_workers", 0):
        value.num_workers, value.timeout = 0, 0
    for _ in itertools.islice(value, FEW):
        pass
    return value


async def _drawn(values: Any) -> List[Any]:
    found: List[Any] = []
    async for value in values:
        found.append(value)
        if len(found) >= DRAWN:
            break
    await values.aclose()
    return found
