"""Torch without its compiler: what oracles call must not load it, which takes seconds.

Much of torch's own Python is hidden from ``torch._dynamo``, which is imported for
that at its first call.  Where nothing is compiled there is nobody to hide from.
"""

from __future__ import annotations

import gc
import sys
from contextlib import contextmanager
from types import FunctionType
from typing import Any, Generator, List

COMPILER = "torch._dynamo"
_MARK = "__dynamo_disable"


@contextmanager
def uncompiled() -> Generator[None, None, None]:
    """Let hidden functions be called as they are; nothing where the compiler is there already."""
    hidden = [] if COMPILER in sys.modules or "torch" not in sys.modules else _hidden()
    for function in hidden:
        setattr(function, _MARK, function)
    try:
        yield
    finally:
        for function in hidden:
            if getattr(function, _MARK, None) is function:
                delattr(function, _MARK)


def _hidden() -> List[Any]:
    """The functions that hide from the compiler, as ``torch._disable_dynamo`` keeps them."""
    import torch

    hide = getattr(torch, "_disable_dynamo", None)
    code = None if hide is None else getattr(hide(_nothing), "__code__", None)
    if code is None or "fn" not in code.co_freevars:
        return []
    place = code.co_freevars.index("fn")
    wrappers = [each for each in gc.get_objects() if _is(each, code)]
    inside = [each.__closure__[place].cell_contents for each in wrappers]
    return [each for each in inside if isinstance(each, FunctionType) and not hasattr(each, _MARK)]


def _is(value: Any, code: Any) -> bool:
    return type(value) is FunctionType and value.__code__ is code


def _nothing() -> None:
    """Something to hide."""
