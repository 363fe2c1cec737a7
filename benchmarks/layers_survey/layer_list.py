"""The public layers of torch, and its optimizers."""

from __future__ import annotations

import inspect
from typing import Any

import torch

Entry = tuple[str, Any, bool]


def layers() -> list[Entry]:
    """Public name, class, whether it is a container: of ``torch.nn`` and ``torch.optim``."""
    found = _classes("torch.nn", torch.nn, torch.nn.Module)
    found += _classes("torch.optim", torch.optim, torch.optim.Optimizer)
    return [entry for entry in found if not entry[0].rpartition(".")[2].startswith("_")]


def _classes(prefix: str, module: Any, base: type) -> list[Entry]:
    return [
        (f"{prefix}.{name}", each, _is_container(each))
        for name, each in sorted(vars(module).items())
        if inspect.isclass(each) and issubclass(each, base)
    ]


def _is_container(constructor: Any) -> bool:
    """It holds what it is given, or is made to be derived from: it computes nothing itself."""
    if constructor.__module__.startswith("torch.nn.modules.container"):
        return True
    if issubclass(constructor, torch.nn.DataParallel):
        return True
    if constructor in (torch.nn.Module, torch.optim.Optimizer):
        return True
    return str(constructor.__name__).endswith("Base")
