"""Other numbers, words and options of a call, and arguments of other calls of the same API."""

from __future__ import annotations

from typing import Any, Dict, List, Optional, Sequence, Tuple

from .array_construction import DTYPES
from .array_contents import INTS, NUMBERS
from .call_draft import (
    DTYPE,
    MISSING,
    SHAPE,
    VALUE,
    ArgumentPath,
    CallDraft,
    arguments,
    is_fixed,
    leaves,
)


def renumbered(draft: CallDraft) -> Optional[CallDraft]:
    """A number, word or option is another one."""
    free = [item for item in _free(draft) if not draft.known.library.is_array(item[1])]
    picked = draft.picked(free)
    if picked is None:
        return None
    choices = _others(draft, picked[1])
    return draft.changed({picked[0]: draft.rng.choice(choices)}) if choices else None


def switched(draft: CallDraft) -> Optional[CallDraft]:
    """Options that are on or off are drawn anew."""
    free = [place for place, value in _free(draft) if type(value) is bool]
    changes = {place: draft.rng.random() < 0.5 for place in free}
    return draft.changed(changes) if changes else None


def _free(draft: CallDraft) -> List[Tuple[ArgumentPath, Any]]:
    fixed = draft.known.fixed
    return [item for item in leaves(draft.live) if not is_fixed(item[0], VALUE, fixed)]


def _others(draft: CallDraft, value: Any) -> Sequence[Any]:
    """What may stand instead of a value that is no array."""
    kind = type(value)
    if kind is bool:
        return [not value]
    if kind is int:
        return _other_ints(draft, value)
    if kind is float:
        return [*NUMBERS, -value, value * 2, int(value) if abs(value) < 2**63 else 0]
    if kind is str:
        return [word for word in draft.known.words if word != value]
    if kind is complex:
        return [0j, 1 + 0j, value.conjugate(), value.real]
    return _other_dtypes(draft, value)


def _other_ints(draft: CallDraft, value: int) -> Sequence[Any]:
    near = [value + 1, value - 1, -value, value * 2, float(value), value + 0.5]
    bounds = [item for size in draft.sizes for item in (size, -size, size + 1, -size - 1)]
    return [item for item in (*INTS, *near, *near, *bounds) if item != value or item == 0]


def _other_dtypes(draft: CallDraft, value: Any) -> Sequence[Any]:
    """The other dtypes, where the value is one (``torch.int64``) or a word of one."""
    module = draft.known.library.namespace.get(draft.known.library.name)
    if module is None or str(value).rpartition(".")[2] not in DTYPES:
        return []
    found = [getattr(module, name, None) for name in DTYPES]
    return [item for item in found if type(item) is type(value) and item != value]


def omitted(draft: CallDraft) -> Optional[CallDraft]:
    """An argument is left out, or ``None``."""
    free = _options(draft)
    place = draft.picked(free)
    if place is None:
        return None
    return draft.changed({place: _nothing(draft, place)})


def stripped(draft: CallDraft) -> Optional[CallDraft]:
    """Each array beside the first is left out or ``None``, or stays."""
    arrays = [
        place for place, value in arguments(draft.live) if draft.known.library.is_array(value)
    ]
    chosen = [place for place in _options(draft) if place in arrays[1:]]
    changes: Dict[ArgumentPath, Any] = {p: None for p in chosen if draft.rng.random() < 0.75}
    return draft.changed(changes) if changes else None


def _options(draft: CallDraft) -> List[ArgumentPath]:
    """The arguments after the first, as far as nothing about them is fixed."""
    fixed = draft.known.fixed
    free = [
        place
        for place, _ in arguments(draft.live)
        if not any(is_fixed(place, aspect, fixed) for aspect in (VALUE, SHAPE, DTYPE))
    ]
    return [place for place in free if place not in (("arguments", 0), ("inputs", 0))]


def _nothing(draft: CallDraft, place: ArgumentPath) -> Any:
    is_last = place == ("arguments", len(draft.live.arguments) - 1)
    if (place[0] == "keywords" or is_last) and draft.rng.random() < 0.6:
        return MISSING
    return None


def recombined(draft: CallDraft) -> Optional[CallDraft]:
    """An argument is that of another call of the API."""
    fixed = draft.known.fixed
    free = [p for p, _ in arguments(draft.live) if not is_fixed(p, VALUE, fixed)]
    free = [p for p in free if not is_fixed(p, SHAPE, fixed)]
    place = draft.picked(free)
    if place is None:
        return None
    return draft.changed({place: draft.rng.choice(draft.known.values[place])})


def added(draft: CallDraft) -> Optional[CallDraft]:
    """A keyword that other calls of the API have."""
    names = [place for place in draft.known.values if place[0] == "keywords"]
    absent = [place for place in names if place[1] not in draft.live.keywords]
    place = draft.picked(absent)
    if place is None or is_fixed(("keywords", "*"), VALUE, draft.known.fixed):
        return None
    return draft.changed({place: draft.rng.choice(draft.known.values[place])})


def relisted(draft: CallDraft) -> Optional[CallDraft]:
    """A tuple or list has an item less, or one twice; or it is a number, or a number a tuple."""
    free = [
        (place, value)
        for place, value in arguments(draft.live)
        if type(value) in (tuple, list, int) and not is_fixed(place, VALUE, draft.known.fixed)
    ]
    picked = draft.picked(free)
    if picked is None:
        return None
    place, value = picked
    if type(value) is int:
        return draft.changed({place: draft.rng.choice([(value,), (value, value), ()])})
    kind = type(value)
    ways = [value[:-1], value[1:], value + value[-1:], kind(), kind(reversed(value))]
    return draft.changed({place: draft.rng.choice([*ways, value[0] if value else kind()])})
