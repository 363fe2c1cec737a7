"""What a layer's parameters are, by its signature first, then its documentation, then defaults."""

from __future__ import annotations

import inspect
from typing import Any, Dict, Mapping, Optional, Tuple

from . import annotated, checked, documented
from .nouns import Argument, Subject

_BY_TYPE = {bool: "bool", int: "int", float: "float", str: "str"}
_VARIADIC = (inspect.Parameter.VAR_POSITIONAL, inspect.Parameter.VAR_KEYWORD)
_NAMED = {"device": "device", "dtype": "dtype"}


def subject(name: str, constructor: Any, *, container: bool = False) -> Subject:
    """A layer as its own text describes it."""
    told = documented.entries(constructor)
    arguments = _arguments(constructor, told)
    conditions = checked.conditions(constructor, {each.name for each in arguments})
    return Subject(
        name,
        container,
        documented.described(constructor),
        arguments,
        checked.ranges(conditions),
        checked.relations(conditions),
    )


def _arguments(constructor: Any, told: Mapping[str, Tuple[str, str]]) -> Tuple[Argument, ...]:
    signature = annotated.signature(constructor)
    if signature is None:
        return ()
    return tuple(
        _argument(constructor, parameter, told.get(parameter.name, ("", "")))
        for parameter in signature.parameters.values()
        if parameter.kind not in _VARIADIC and parameter.name != "self"
    )


def _argument(constructor: Any, parameter: inspect.Parameter, told: Tuple[str, str]) -> Argument:
    annotation = annotated.resolved(constructor, parameter.annotation)
    kinds = annotated.kinds(annotation)
    if not kinds:
        kinds = documented.kinds(*told)
    default = "" if parameter.default is parameter.empty else _source(parameter.default)
    return Argument(
        parameter.name,
        _completed(parameter, kinds),
        default,
        told[1],
        annotated.literals(annotation) or _quoted(kinds, told[1]),
        annotated.length(annotation),
    )


def _completed(parameter: inspect.Parameter, kinds: Tuple[str, ...]) -> Tuple[str, ...]:
    """Kinds with those that the name and the default tell."""
    found = set(kinds)
    if parameter.name in _NAMED:
        return tuple(sorted({_NAMED[parameter.name], "none"}))
    if parameter.default is None:
        found.add("none")
    elif not found and type(parameter.default) in _BY_TYPE:
        found.add(_BY_TYPE[type(parameter.default)])
    return tuple(sorted(found or {"other"}))


def _quoted(kinds: Tuple[str, ...], text: str) -> Tuple[str, ...]:
    """The quoted words of the documentation of a text, if they are more than an example."""
    words = documented.choices(text) if "str" in kinds else ()
    return words if len(words) > 1 else ()


def _source(value: Any) -> str:
    """A default as source; what has none is named."""
    text = repr(value)
    try:
        compile(text, "default", "eval")
    except SyntaxError:
        return f"{value.__module__}.{value.__qualname__}" if callable(value) else ""
    return text


def example_arguments(
    found: Subject, args: Tuple[Any, ...], kwargs: Dict[str, Any]
) -> Optional[Dict[str, Any]]:
    """Positional and named arguments, by parameter."""
    names = [each.name for each in found.arguments]
    if len(args) > len(names):
        return None
    return {**dict(zip(names, args)), **kwargs}
