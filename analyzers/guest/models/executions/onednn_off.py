"""Torch's own CPU kernels where oneDNN's are the default."""

from __future__ import annotations

from contextlib import contextmanager
from importlib import import_module
from typing import Any, Callable, Generator, Optional

from ..nouns import Model
from .eager import EPS32, called


class OnednnOff:
    """The model with oneDNN switched off."""

    name = "onednn-off"
    eps = EPS32
    framework = "torch"
    foreign = False

    def unavailable(self) -> Optional[str]:
        """Whether this torch was built with oneDNN."""
        import torch

        return None if torch.backends.mkldnn.is_available() else "torch was built without oneDNN"

    def prepared(self, model: Model) -> Callable[..., Any]:
        """The module itself, under the switch."""
        run = called(model.module)

        def call(*inputs: Any, **keywords: Any) -> Any:
            with _off():
                return run(*inputs, **keywords)

        return call


@contextmanager
def _off() -> Generator[None, None, None]:
    """The switch alone: ``torch.backends.mkldnn.flags`` also sets TF32, and warns of that."""
    switches: Any = import_module("torch._C")
    before = switches._get_mkldnn_enabled()
    switches._set_mkldnn_enabled(False)
    try:
        yield
    finally:
        switches._set_mkldnn_enabled(before)
