"""Which calls are kept: those that text can say and that succeed when made from it."""

from __future__ import annotations

from functools import partial
from typing import Any, Dict, Iterator, List, Optional, Sequence, Set, Tuple

from ...inputs.recipes import BadRecipe, DisplayRecipe, LiteralRecipe, PairsRecipe, Recipe, literal
from ...inputs.recipes import CallRecipe as Called
from ..library_calls import call_text, live_call
from ..relation_types import CallSource, Library, LiveCall
from .tensor_values import is_tensor

Form = Tuple[Any, ...]


def most_different(lives: Sequence[LiveCall]) -> List[LiveCall]:
    """All of them, in an order in which those of new forms come early, small ones first."""
    forms: Dict[Form, List[LiveCall]] = {}
    for live in sorted(lives, key=_is_large):
        forms.setdefault(form(live), []).append(live)
    ordered: List[LiveCall] = []
    at = 0
    while len(ordered) < len(lives):
        ordered += [group[at] for group in forms.values() if at < len(group)]
        at += 1
    return ordered


def form(live: LiveCall) -> Form:
    """What kinds of values a call is given, and under which names."""
    inputs = () if live.inputs is None else tuple(_form(item) for item in live.inputs)
    named = tuple((name, _form(item)) for name, item in sorted(live.keywords.items()))
    return (live.api, tuple(_form(item) for item in live.arguments), named, inputs)


def _form(value: Any) -> Any:
    if is_tensor(value):
        return "tensor", value.dim(), value.numel() == 0, str(value.dtype)
    if isinstance(value, (list, tuple)):
        return type(value).__name__, len(value), tuple(_form(item) for item in value[:2])
    if isinstance(value, (bool, str, type(None))):
        return value
    if isinstance(value, (int, float)):
        return type(value).__name__, (value > 0) - (value < 0)
    return type(value).__name__


def _is_large(live: LiveCall) -> bool:
    """Whether a tensor has more elements than are written out."""
    from .torch_recipes import MOST_ELEMENTS

    given = [*live.arguments, *live.keywords.values(), *(live.inputs or ())]
    return any(is_tensor(item) and item.numel() > MOST_ELEMENTS for item in given)


MOST_REMADE = 2048
"""How many elements a tensor has at most that is drawn anew."""


def kept(live: LiveCall, library: Library) -> Optional[CallSource]:
    """A call as text that was tried, or ``None``.

    Where a tensor is too large to be written, another of its shape, dtype and
    range stands for it, if the call succeeds with it.
    """
    for spelling in (library.recipe_of, partial(remade, library)):
        try:
            call = call_text(live, library, spelling)
        except BadRecipe:
            continue
        return call if succeeds(call, library) else None
    return None


def succeeds(call: CallSource, library: Library) -> bool:
    """Whether a call, made anew, returns."""
    library.seed()
    try:
        live_call(call, library).run()
    except Exception:
        return False
    return True


def several(lives: Sequence[LiveCall], library: Library, most: int) -> Iterator[CallSource]:
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
        return DisplayRecipe(kind.__name__, tuple(remade(library, item) for item in value))
    if kind is dict:
        return PairsRecipe(
            tuple((literal(key), remade(library, item)) for key, item in value.items())
        )
    try:
        return library.recipe_of(value)
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
    more = tuple((name, LiteralRecipe(number)) for name, number in keywords)
    return Called("tensor", (shape, LiteralRecipe(dtype)), more)


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
