"""What the fields of a configuration class take, where an annotation leaves them out."""

from __future__ import annotations

import inspect
import typing
from typing import Any, Dict, List, Mapping, Optional, Union

from ..annotations.nouns import Constraint, Expression

_ENDS = {
    "ge": ("min", None),
    "gt": ("min", "exclude_min"),
    "le": ("max", None),
    "lt": ("max", "exclude_max"),
}


class Unsaid(Exception):  # noqa: N818 - a fact about a class
    """A field without a default, whose type hint does not say what it takes."""


def needed(of: Any, given: Mapping[str, Any]) -> Dict[str, Constraint]:
    """Constraints for the fields that have no default and are not given, from their type hints.

    Raises :class:`Unsaid` where one has none that is of use.
    """
    hints = _hints(of)
    found: Dict[str, Constraint] = {}
    for name, parameter in _parameters(of).items():
        if name in given or parameter.default is not inspect.Parameter.empty:
            continue
        constraint = said(hints.get(name, parameter.annotation), _limits(of, name))
        if constraint is None:
            raise Unsaid(f"field {name} has no default, and its type says too little")
        found[name] = constraint
    return found


def _parameters(of: Any) -> Dict[str, inspect.Parameter]:
    try:
        every = inspect.signature(of).parameters
    except (TypeError, ValueError):
        return {}
    kinds = (inspect.Parameter.POSITIONAL_OR_KEYWORD, inspect.Parameter.KEYWORD_ONLY)
    return {name: each for name, each in every.items() if each.kind in kinds}


def _hints(of: Any) -> Dict[str, Any]:
    found: Dict[str, Any] = {}
    for source in (of, getattr(of, "__init__", None)):
        try:
            found.update(typing.get_type_hints(source, include_extras=True))
        except Exception:
            continue
    return found


def said(hint: Any, limits: Optional[Dict[str, Any]] = None) -> Optional[Constraint]:
    """A constraint for a type hint; small positive numbers, as sizes and rates are."""
    limits = limits or {}
    origin, inside = typing.get_origin(hint), typing.get_args(hint)
    if hasattr(hint, "__metadata__"):
        return said(inside[0], {**_read(hint.__metadata__), **limits})
    if origin is typing.Literal:
        return Constraint("froms", (("values", _literal(list(inside))),))
    if origin is Union or type(hint).__name__ == "UnionType":
        return _any(inside, limits)
    if origin in (list, List) and len(inside) == 1:
        element = said(inside[0])
        return element and _constraint("lists", elements=element, min_len=1, max_len=3)
    return _plain(hint, limits)


def _any(inside: Any, limits: Dict[str, Any]) -> Optional[Constraint]:
    options: List[Constraint] = []
    for hint in inside:
        found = Constraint("froms", (("values", _literal([None])),))
        each = found if hint is type(None) else said(hint, limits)
        if each is not None:
            options.append(each)
    return Constraint("anys", (("options", tuple(options)),)) if options else None


def _plain(hint: Any, limits: Dict[str, Any]) -> Optional[Constraint]:
    if hint is bool:
        return Constraint("bools")
    if hint is int:
        return _constraint("ints", **_whole(limits))
    if hint is float:
        ends = {"min": 0.0, "max": 1.0} if not {"min", "max"} & limits.keys() else {}
        return _constraint("floats", **ends, **limits)
    if hint is str:
        return _constraint("strings", min_len=1, max_len=8)
    return None


def _whole(limits: Dict[str, Any]) -> Dict[str, Any]:
    low = limits.get("min", min(1, limits.get("max", 1)))
    high = limits.get("max", max(16, low + 15))
    found = {"min": low + bool(limits.get("exclude_min"))}
    found["max"] = high - bool(limits.get("exclude_max"))
    return found


def _limits(of: Any, name: str) -> Dict[str, Any]:
    """What pydantic knows of a field's bounds."""
    fields = getattr(of, "model_fields", None)
    field = fields.get(name) if isinstance(fields, dict) else None
    return _read(getattr(field, "metadata", ()))


def _read(metadata: Any) -> Dict[str, Any]:
    """Bounds in the words of annotated-types."""
    found: Dict[str, Any] = {}
    for each in metadata:
        for word, (end, excluded) in _ENDS.items():
            value = getattr(each, word, None)
            if isinstance(value, (int, float)):
                found[end] = value
                found.update({excluded: True} if excluded else {})
    return found


def _literal(value: Any) -> Expression:
    return Expression(repr(value), literal=True, value=value)


def _constraint(kind: str, **arguments: Any) -> Constraint:
    given = tuple(
        (name, value if isinstance(value, Constraint) else _literal(value))
        for name, value in arguments.items()
    )
    return Constraint(kind, given)
