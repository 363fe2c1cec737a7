"""What a layer's parameters are, by its signature first, then its documentation, then defaults."""

from __future__ import annotations

import inspect
from collections.abc import Mapping
from typing import Any

from . import annotated_kinds, constructor_checks, described_ranges
from .survey_models import Argument, Subject

_BY_TYPE = {bool: "bool", int: "int", float: "float", str: "str"}
_VARIADIC = (inspect.Parameter.VAR_POSITIONAL, inspect.Parameter.VAR_KEYWORD)
_NAMED = {"device": "device", "dtype": "dtype"}


def subject(name: str, constructor: Any, *, container: bool = False) -> Subject:
    """A layer as its own text describes it."""
    told = described_ranges.entries(constructor)
    arguments = _arguments(constructor, told)
    conditions = constructor_checks.conditions(constructor, {each.name for each in arguments})
    return Subject(
        name,
        container,
        described_ranges.described(constructor),
        arguments,
        constructor_checks.ranges(conditions),
        constructor_checks.relations(conditions),
    )


def _arguments(constructor: Any, told: Mapping[str, tuple[str, str]]) -> tuple[Argument, ...]:
    signature = annotated_kinds.signature(constructor)
    if signature is None:
        return ()
    return tuple(
        _argument(constructor, parameter, told.get(parameter.name, ("", "")))
        for parameter in signature.parameters.values()
        if parameter.kind not in _VARIADIC and parameter.name != "self"
    )


def _argument(constructor: Any, parameter: inspect.Parameter, told: tuple[str, str]) -> Argument:
    annotation = annotated_kinds.resolved(constructor, parameter.annotation)
    kinds = annotated_kinds.kinds(annotation)
    if not kinds:
        kinds = described_ranges.kinds(*told)
    default = "" if parameter.default is parameter.empty else _source(parameter.default)
    return Argument(
        parameter.name,
        _completed(parameter, kinds),
        default,
        told[1],
        annotated_kinds.literals(annotation) or _quoted(kinds, told[1]),
        annotated_kinds.length(annotation),
    )


def _completed(parameter: inspect.Parameter, kinds: tuple[str, ...]) -> tuple[str, ...]:
    """Kinds with those that the name and the default tell."""
    found = set(kinds)
    if parameter.name in _NAMED:
        return tuple(sorted({_NAMED[parameter.name], "none"}))
    if parameter.default is None:
        found.add("none")
    elif not found and type(parameter.default) in _BY_TYPE:
        found.add(_BY_TYPE[type(parameter.default)])
    return tuple(sorted(found or {"other"}))


def _quoted(kinds: tuple[str, ...], text: str) -> tuple[str, ...]:
    """The quoted words of the documentation of a text, if they are more than an example."""
    words = described_ranges.choices(text) if "str" in kinds else ()
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
    found: Subject, args: tuple[Any, ...], kwargs: dict[str, Any]
) -> dict[str, Any] | None:
    """Positional and named arguments, by parameter."""
    names = [each.name for each in found.arguments]
    if len(args) > len(names):
        return None
    return {**dict(zip(names, args, strict=False)), **kwargs}
