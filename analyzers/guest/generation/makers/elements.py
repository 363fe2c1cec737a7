"""Makes what stands at a place among others."""

from __future__ import annotations

from typing import Any, Iterable


def element(values: Iterable[Any], index: int) -> Any:
    """The element of ``values`` at ``index``, in the order in which they come."""
    return list(values)[index]
