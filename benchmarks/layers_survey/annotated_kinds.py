"""The kinds of value that a constructor's signature tells, and its defaults."""

from __future__ import annotations

import inspect
import typing
from collections.abc import Callable
from typing import Any

_PLAIN: dict[Any, str] = {int: "int", float: "float", bool: "bool", str: "str", type(None): "none"}
_TUPLES: dict[Any, str] = {int: "ints", float: "floats"}
_NAMED = ("device", "dtype")


def signature(constructor: Callable[..., Any]) -> inspect.Signature | None:
    """The signature of a class or function, that of its first overload where it has ``*args``."""
    try:
        found = inspect.signature(constructor)
    except (ValueError, TypeError):
        return None
    if not any(each.kind is each.VAR_POSITIONAL for each in found.parameters.values()):
        return found
    initializer = getattr(constructor, "__init__", constructor)
    overloaded: Any = getattr(typing, "get_overloads", None)
    overloads: list[Any] = overloaded(initializer) if overloaded else []
    if not overloads:
        return found
    parameters = list(inspect.signature(overloads[0]).parameters.values())
    return inspect.Signature([each for each in parameters if each.name != "self"])


def kinds(annotation: Any) -> tuple[str, ...]:
    """The kinds of value that an annotation allows, sorted; none where it is not known."""
    return tuple(sorted(set(_kinds(annotation))))


def length(annotation: Any) -> int | None:
    """How many items the tuple of an annotation has, if it says so."""
    for each in _members(annotation):
        items = typing.get_args(each)
        if typing.get_origin(each) is tuple and items and items[-1] is not Ellipsis:
            return len(items)
    return None


def literals(annotation: Any) -> tuple[str, ...]:
    """The sources of the values that a ``Literal`` lists."""
    for each in _members(annotation):
        if typing.get_origin(each) is typing.Literal:
            return tuple(repr(item) for item in typing.get_args(each))
    return ()


def resolved(constructor: Callable[..., Any], annotation: Any) -> Any:
    """An annotation that is a text, as what it names where it was written."""
    if not isinstance(annotation, str):
        return annotation
    initializer = getattr(constructor, "__init__", constructor)
    names = getattr(inspect.unwrap(initializer), "__globals__", {})
    try:
        return eval(annotation, dict(names))
    except Exception:  # noqa: BLE001 - an annotation of a library
        return inspect.Parameter.empty


def _members(annotation: Any) -> list[Any]:
    arguments = typing.get_args(annotation)
    origin = typing.get_origin(annotation)
    is_union = origin is typing.Union or type(annotation).__name__ == "UnionType"
    if not is_union:
        return [annotation]
    return [member for each in arguments for member in _members(each)]


def _kinds(annotation: Any) -> list[str]:
    return [kind for each in _members(annotation) for kind in _kind(each)]


def _kind(annotation: Any) -> list[str]:
    if annotation in (inspect.Parameter.empty, Any):
        return []
    if annotation in _PLAIN:
        return [_PLAIN[annotation]]
    origin, arguments = typing.get_origin(annotation), typing.get_args(annotation)
    if origin is typing.Literal:
        return _literal(arguments)
    if origin in (tuple, list) or getattr(origin, "__name__", "") == "Sequence":
        return [_of_items(arguments)]
    return [_of_class(annotation)]


def _of_items(arguments: tuple[Any, ...]) -> str:
    items = [member for each in arguments[:1] for member in _members(each)]
    return next((_TUPLES[item] for item in items if item in _TUPLES), "other")


def _literal(values: tuple[Any, ...]) -> list[str]:
    return [_PLAIN.get(type(each), "other") for each in values]


def _of_class(annotation: Any) -> str:
    name = getattr(annotation, "__name__", str(annotation))
    if name in _NAMED:
        return name
    if name == "Size":
        return "ints"
    return "module" if name == "Module" else "other"
