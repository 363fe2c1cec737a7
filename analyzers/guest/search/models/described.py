"""A model made from the catalogue's own description of an API."""

from __future__ import annotations

import copy
from typing import Any, Dict, Mapping, Optional, Sequence

from .base import Model
from .entries import EntriesModel


def described(entry: Mapping[str, Any]) -> Optional[Model]:
    """The model of an API that lists named things; ``None`` for other shapes.

    ``entry`` has ``key`` and ``score``, paths such as ``"tags.list[].name"``
    with one list in them, and ``highest``, the best score.  What an answer
    and its entries have besides is that of the ``ordinary`` answer, if there
    is one: code may read any of it.
    """
    key, score = (_canonical(entry, entry.get(name) or "") for name in ("key", "score"))
    if key.count("[].") != 1 or key.endswith("[]"):
        return None
    outer, _, inner = key.partition("[].")
    rated = score.partition("[].")[2] if score.startswith(outer + "[].") else ""
    highest = float(entry.get("highest") or 1.0)
    ordinary = entry.get("ordinary") or {}
    usual: Dict[str, Any] = next(iter(_at(ordinary, outer.split(".")) or ()), {})

    def write(number: int, name: str, likely: float) -> Dict[str, Any]:
        del number
        made: Dict[str, Any] = copy.deepcopy(usual)
        _put(made, inner.split("."), name)
        if rated and "[]" not in rated:
            _put(made, rated.split("."), likely)
        return made

    def around(entries: Any) -> Dict[str, Any]:
        made: Dict[str, Any] = copy.deepcopy(ordinary)
        _put(made, outer.split("."), entries)
        return made

    fields = [part for path in (outer, inner, rated) for part in path.split(".") if part]
    return EntriesModel("entries", tuple(fields), write, around, (0.5, highest))


def _canonical(entry: Mapping[str, Any], path: str) -> str:
    """A path of the catalogue as it is in an answer (docs/guest-protocol.md)."""
    if (entry.get("input") or {}).get("each"):
        return path.partition("[].")[2]
    return f"elements{path}" if path.startswith("[].") else path


def _at(value: Any, path: Sequence[str]) -> Any:
    for part in path:
        value = (value or {}).get(part)
    return value


def _put(into: Dict[str, Any], path: Sequence[str], value: Any) -> None:
    for part in path[:-1]:
        into = into.setdefault(part, {})
    into[path[-1]] = value
