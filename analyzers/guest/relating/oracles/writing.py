"""Calls that write into their arguments, and what they may write into.

Torch's documentation of ``expand``: more than one element of an expanded tensor
may refer to one place in memory, so that "in-place operations (especially ones
that are vectorized) may result in incorrect behavior".
"""

from __future__ import annotations

from typing import Any, List

from ..nouns import Live
from .values import operands

_WRITING = "torch.nn.init."


def writes(api: str) -> bool:
    """Whether an API changes its first argument, as torch names those that do."""
    return api.startswith(_WRITING) or (api.endswith("_") and not api.endswith("__"))


def overlaps(value: Any) -> bool:
    """Whether elements of a tensor share a place in memory."""
    stride: Any = getattr(value, "stride", None)
    if not callable(stride):
        return False
    try:
        strides: Any = stride()
        places = zip(value.shape, strides)
    except Exception:
        return False
    return any(size > 1 and step == 0 for size, step in places)


def may_write(live: Live, value: Any) -> bool:
    """Whether a call that writes can give a value: of its subject's shape and dtype."""
    subject = live.arguments[0] if live.arguments else None
    if overlaps(subject):
        return False
    return bool(_form(subject) == _form(value))


def _form(value: Any) -> Any:
    """Dtype and shape; a nested tensor has none, and raises when it is asked."""
    try:
        return getattr(value, "dtype", None), getattr(value, "shape", None)
    except RuntimeError:
        return None


def dtypes_of(live: Live) -> List[str]:
    """The different dtypes of the arrays that a call is given."""
    found = {str(leaf.dtype) for leaf in operands(live) if hasattr(leaf, "dtype")}
    return sorted(found)
