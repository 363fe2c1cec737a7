"""Which layers and functions of ``torch.nn`` a run calls, at little cost."""

from __future__ import annotations

import functools
import sys
from contextlib import contextmanager, nullcontext
from typing import Any, Callable, ContextManager, Dict, Generator, Set


@contextmanager
def built(found: Set[str]) -> Generator[None, None, None]:
    """Note the public names of the layers that are built inside."""
    torch = sys.modules.get("torch")
    if torch is None:
        yield
        return
    kinds: Set[type] = set()
    try:
        with _seeing_built(torch.nn.Module, kinds):
            yield
    finally:
        layers = _layers()
        found.update(layers[kind] for kind in kinds if kind in layers)


def called(found: Set[str]) -> ContextManager[Any]:
    """Note the public names of the functions of ``torch.nn`` that are called inside."""
    if "torch" not in sys.modules:
        return nullcontext()
    mode: ContextManager[Any] = _mode_class()(_functions(), found)
    return mode


@contextmanager
def _seeing_built(module: Any, kinds: Set[type]) -> Generator[None, None, None]:
    plain = module.__init__

    @functools.wraps(plain)
    def noting(self: Any, *given: Any, **more: Any) -> None:
        kinds.add(type(self))
        plain(self, *given, **more)

    module.__init__ = noting
    try:
        yield
    finally:
        module.__init__ = plain


@functools.cache
def _mode_class() -> Any:
    """``TorchFunctionMode`` that notes functions; a class of torch, so made once it is there."""
    from torch.overrides import TorchFunctionMode

    class Noting(TorchFunctionMode):  # type: ignore[misc]
        def __init__(self, names: Dict[Any, str], found: Set[str]) -> None:
            super().__init__()
            self._names = names
            self._found = found

        def __torch_function__(
            self, func: Any, types: Any, args: Any = (), kwargs: Any = None
        ) -> Any:
            del types
            name = self._names.get(func)
            if name is not None:
                self._found.add(name)
            return func(*args, **kwargs) if kwargs else func(*args)

    return Noting


@functools.cache
def _layers() -> Dict[type, str]:
    """The layers of ``torch.nn`` and their public names."""
    import torch

    return {
        kind: f"torch.nn.{name}"
        for name, kind in vars(torch.nn).items()
        if isinstance(kind, type) and issubclass(kind, torch.nn.Module)
    }


@functools.cache
def _functions() -> Dict[Callable[..., Any], str]:
    """The public functions of ``torch.nn.functional`` and their names."""
    import torch

    return {
        each: f"torch.nn.functional.{name}"
        for name, each in vars(torch.nn.functional).items()
        if callable(each) and not name.startswith("_") and not isinstance(each, type)
    }
