"""Which of the target's arguments the arguments of a library call are."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Dict, Iterator, Optional, Tuple

from ...exploring.comparing import as_numpy, is_array
from ..nouns import Api, Live
from ..synthesis.binding import Inapplicable, bound

Path = Tuple[Any, ...]
"""A parameter of the target, and indices and keys into its value."""
Slot = Tuple[Any, ...]
"""A parameter of the library's function (or the number of an argument), and indices into it."""
_DEEPEST = 4
_MOST_ELEMENTS = 4096


def slots(live: Live, api: Optional[Api]) -> Dict[Slot, Any]:
    """What a call gives, however it gives it: lists and tuples are taken apart."""
    try:
        given: Mapping[str, Any] = {} if api is None else bound(api, live)
    except Inapplicable:
        given = {}
    if not given:
        numbered = {f"#{number}": value for number, value in enumerate(live.arguments)}
        given = {**numbered, **live.keywords}
    return dict(_parts(given))


def origins(given: Mapping[Slot, Any], values: Mapping[str, Any]) -> Dict[Slot, Path]:
    """For slots of a call the parts of the target's arguments that they are.

    These are the same objects or share their storage, or else are equal.
    """
    parts = list(_parts(values))
    found: Dict[Slot, Path] = {}
    for slot, value in given.items():
        for alike in (_is_same, _is_equal):
            path = next((path for path, part in parts if alike(value, part)), None)
            if path is not None:
                found[slot] = path
                break
    return found


def part(values: Mapping[str, Any], path: Path) -> Any:
    """The part of the target's arguments at a path."""
    found: Any = values
    for step in path:
        found = found[step]
    return found


def _parts(values: Mapping[Any, Any], depth: int = 0) -> Iterator[Tuple[Path, Any]]:
    for name, value in values.items():
        inside: Any = None
        if type(value) in (list, tuple):
            inside = dict(enumerate(value))
        elif type(value) is dict:
            inside = value
        if inside is None or depth >= _DEEPEST:
            yield (name,), value
        else:
            for path, part in _parts(inside, depth + 1):
                yield (name, *path), part


def _is_same(value: Any, part: Any) -> bool:
    """Whether two are one object, or arrays on the same storage with as many elements."""
    if not (is_array(value) and is_array(part)):
        return False
    if value is part:
        return True
    first, second = _storage(value), _storage(part)
    return first is not None and first == second


def _storage(array: Any) -> Any:
    if not hasattr(array, "data_ptr"):
        return None
    try:
        return (array.data_ptr(), array.numel()) if array.numel() else None
    except RuntimeError:
        return None


def _is_equal(value: Any, part: Any) -> bool:
    if is_array(value) and is_array(part):
        return _are_equal(value, part)
    plain = (int, float)
    return type(value) is type(part) and type(value) in plain and repr(value) == repr(part)


def _are_equal(value: Any, part: Any) -> bool:
    if tuple(value.shape) != tuple(part.shape):
        return False
    if str(value.dtype).rpartition(".")[2] != str(part.dtype).rpartition(".")[2]:
        return False
    first, second = as_numpy(value), as_numpy(part)
    if first is None or second is None or first.size > _MOST_ELEMENTS:
        return False
    return repr(first.tolist()) == repr(second.tolist())
