"""Arrays that lie amid memory whose content is known."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, List, Tuple

from ..libraries.library import Library
from ..mutating.arrays import COMPLEX, FLOATS, arrays_of
from ..mutating.places import changed, leaves
from ..nouns import Live

MARGIN = 1024
"""Elements before and behind an array; of a size that keeps its alignment."""

_MOST_ELEMENTS = 1 << 14
_FILLINGS = ((-1000.0, 1000.0), (0, 1))
"""For floating arrays, and for others: whole numbers near 0, that are no wild indices."""


@dataclass(frozen=True)
class Surrounded:
    """An array ``inside`` a larger ``base`` that is filled with one number around it."""

    base: Any
    inside: Any
    shape: Tuple[int, ...]
    span: int
    filling: Any

    @property
    def is_as_it_was(self) -> bool:
        """Whether it still has the shape that it had."""
        return tuple(self.inside.shape) == self.shape

    @property
    def was_written(self) -> bool:
        """Whether anything around it has changed."""
        around = (self.base[:MARGIN], self.base[MARGIN + self.span :])
        return not all(bool((part == self.filling).all()) for part in around)


def surrounding(live: Live, library: Library, number: int) -> Tuple[Live, List[Surrounded]]:
    """The call with its tensors in one of two surroundings, and those tensors.

    Strides, overlap and need of gradients stay; tensors that are large, or of
    another kind than dense ones, are as they are.
    """
    arrays = arrays_of(library)
    changes, around = {}, []
    for place, value in leaves(live):
        if library.is_array(value) and arrays.is_plain(value) and _is_small(value):
            made = _surrounded(value, number)
            changes[place] = made.inside
            around.append(made)
    return changed(live, changes), around


def _is_small(tensor: Any) -> bool:
    is_plain = tensor.is_cpu and not tensor.is_conj() and not tensor.is_neg()
    return is_plain and _span(tensor) <= _MOST_ELEMENTS


def _span(tensor: Any) -> int:
    if not tensor.numel():
        return 0
    span: int = 1 + sum(
        [(int(size) - 1) * step for size, step in zip(tensor.shape, tensor.stride())]
    )
    return span


def _surrounded(tensor: Any, number: int) -> Surrounded:
    import torch

    span, plain = _span(tensor), tensor.detach()
    floating = str(tensor.dtype)[6:] in (*FLOATS, *COMPLEX)
    filling = _FILLINGS[0 if floating else 1][number]
    base = torch.full((span + 2 * MARGIN,), filling, dtype=tensor.dtype)
    if span:
        own = plain.as_strided((span,), (1,), plain.storage_offset())
        base[MARGIN : MARGIN + span] = own
    inside = base.as_strided(tensor.shape, tensor.stride(), MARGIN)
    if type(tensor) is torch.nn.Parameter:
        inside = torch.nn.Parameter(inside, tensor.requires_grad)
    elif tensor.requires_grad:
        inside.requires_grad_()
    return Surrounded(base, inside, tuple(tensor.shape), span, filling)
