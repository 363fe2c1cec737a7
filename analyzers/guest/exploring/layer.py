"""Hypothesis in this process: the project's own, or that of the layer behind it."""

from __future__ import annotations

import importlib
import sys
from typing import Optional

from ..standins import InertModule

NEEDED = "hypothesis"
_NEEDS = (NEEDED, "sortedcontainers", "attr", "exceptiongroup", "typing_extensions")


def enter(layer: Optional[str]) -> Optional[str]:
    """Let this process import Hypothesis; says why it cannot be, where it cannot.

    ``layer`` is a folder of packages behind all others.  What the project's own
    imports left as stand-ins is looked for again.
    """
    if layer is not None and layer not in sys.path:
        sys.path.append(layer)
    for name, module in list(sys.modules.items()):
        if isinstance(module, InertModule) and name.partition(".")[0] in _NEEDS:
            del sys.modules[name]
    importlib.invalidate_caches()
    try:
        found = importlib.import_module(NEEDED)
    except Exception as error:
        return f"Hypothesis cannot be imported here: {type(error).__name__}: {error}"[:300]
    if isinstance(found, InertModule):
        return "Hypothesis is not installed here"
    return None
