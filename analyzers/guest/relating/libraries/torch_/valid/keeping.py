"""Which calls are kept: those that text can say and that succeed when made from it."""

from __future__ import annotations

from functools import partial
from typing import Any, Iterator, Optional, Sequence, Set, Tuple

from .....generation.recipes import BadRecipe, Display, Literal, Pairs, Recipe, literal
from .....generation.recipes import Call as Called
from ....calls import called, made
from ....nouns import Call, Live
from ...library import Library

MOST_REMADE = 2048
"""How many elements a tensor has at most that is drawn anew."""


def kept(live: Live, library: Library) -> Optional[Call]:
    """A call as text that was tried, or ``None``.

    Where a tensor is too large to be written, another of its shape, dtype and
    range stands for it, if the call succeeds with it.
    """
    for spelling in (library.spelled, partial(remade, library)):
        try:
            call = called(live, library, spelling)
        except BadRecipe:
            continue
        return call if succeeds(call, library) else None
    return None


def succeeds(call: Call, library: Library) -> bool:
    """Whether a call, made anew, returns."""
    library.seed()
    try:
        made(call, library).run()
    except Exception:
        return False
    return True


def several(lives: Sequence[Live], library: Library, most: int) -> Iterator[Call]:
    """The first calls that can be kept, each text once."""
    seen: Set[str] = set()
    for live in lives:
        if len(seen) >= most:
            return
        call = kept(live, library)
        if call is not None and call.source() not in seen:
            seen.add(call.source())
            yield call


def remade(library: Library, value: Any) -> Recipe:
    """The recipe of a value like this one, its large tensors drawn anew within their range."""
    kind = type(value)
    if kind in (list, tuple):
        return Display(kind.__name__, tuple(remade(library, item) for item in value))
    if kind is dict:
        return Pairs(tuple((literal(key), remade(library, item)) for key, item in value.items()))
    try:
        return library.spelled(value)
    except BadRecipe:
        if not library.is_array(value):
            raise
    return _drawn(value)


def _drawn(value: Any) -> Recipe:
    import torch

    if value.layout != torch.strided or not 0 < value.numel() <= MOST_REMADE:
        raise BadRecipe("it cannot be drawn")
    try:
        low, high = _range(value.detach())
    except RuntimeError as error:
        raise BadRecipe("it cannot be drawn") from error
    dtype = str(value.dtype).rpartition(".")[2]
    keywords = [("seed", 1), ("low", low), ("high", high)]
    if value.requires_grad:
        keywords.append(("requires_grad", True))
    shape = literal(tuple(value.shape))
    more = tuple((name, Literal(number)) for name, number in keywords)
    return Called("tensor", (shape, Literal(dtype)), more)


def _range(value: Any) -> Tuple[Any, Any]:
    import torch

    if value.is_complex():
        value = torch.view_as_real(value.resolve_conj())
    if value.dtype == torch.bool:
        return 0, 1
    wide = value.to(torch.float64) if value.is_floating_point() else value.to(torch.int64)
    low, high = wide.min().item(), wide.max().item()
    if isinstance(low, int):
        return low, high
    return float(f"{low:.3g}"), float(f"{high:.3g}")
