"""The public layers of torch."""

from __future__ import annotations

import inspect
from typing import Any, List, Tuple

Entry = Tuple[str, Any, bool]


def layers() -> List[Entry]:
    """Public name, class, and whether it is a container: all of ``torch.nn``, sorted."""
    import torch

    found = [
        (f"torch.nn.{name}", each, _is_container(each))
        for name, each in sorted(vars(torch.nn).items())
        if inspect.isclass(each) and issubclass(each, torch.nn.Module)
    ]
    return [entry for entry in found if not entry[0].rpartition(".")[2].startswith("_")]


def _is_container(constructor: Any) -> bool:
    """It holds what it is given, or is made to be derived from: it computes nothing itself."""
    import torch

    if constructor.__module__.startswith("torch.nn.modules.container"):
        return True
    if issubclass(constructor, torch.nn.DataParallel):
        return True
    return constructor is torch.nn.Module or constructor.__name__.endswith("Base")
