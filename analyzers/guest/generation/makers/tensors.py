"""Makes torch tensors."""

from __future__ import annotations

import math
from typing import Any, Mapping, Optional, Tuple

from .filling import drawn_elements, is_whole


def tensor(  # noqa: PLR0913 - all that there is to say of a tensor
    shape: Tuple[int, ...],
    dtype: str = "float32",
    fill: Any = 0,
    at: Optional[Mapping[Tuple[int, ...], Any]] = None,
    *,
    seed: Optional[int] = None,
    low: float = 0,
    high: float = 1,
    requires_grad: bool = False,
    contiguous: bool = True,
    device: str = "cpu",
    values: str = "any",
) -> Any:
    """A tensor full of ``fill``, or of numbers drawn from ``seed``, but for the elements ``at``."""
    import torch

    kind = getattr(torch, dtype)
    if seed is None and values == "any":
        made = torch.full(shape, fill, dtype=kind)
    else:
        made = _drawn_tensor(shape, kind, dtype, (values, seed, low, high))
    for place, element in (at or {}).items():
        made[place] = element
    made = made.to(device)
    if not contiguous:
        made = torch.stack([made, made], -1)[..., 0]
    return made.requires_grad_() if requires_grad else made


def _drawn_tensor(shape: Tuple[int, ...], kind: Any, dtype: str, how: Tuple[Any, ...]) -> Any:
    import torch

    count, row = math.prod(shape), shape[-1] if shape else 1
    if not kind.is_complex:
        made = torch.tensor(
            drawn_elements(count, row, *how, whole=is_whole(dtype)), dtype=_exact(kind)
        )
        return made.to(kind).reshape(shape)
    parts = torch.tensor(drawn_elements(2 * count, 2 * row, *how, whole=False), dtype=torch.float64)
    return torch.view_as_complex(parts.reshape((*shape, 2))).to(kind)


def _exact(kind: Any) -> Any:
    """Numbers are rounded once, from float64."""
    import torch

    return torch.float64 if kind.is_floating_point else kind
