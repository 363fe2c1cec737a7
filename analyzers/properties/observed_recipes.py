"""Recipes of calls that were seen while tests and documented examples ran."""

from __future__ import annotations

import ast
from collections.abc import Mapping, Sequence

from analyzers.guest.annotations.constraints import Argument, Constraint, Expression
from analyzers.inference.constraint_sources.default_values import defaults
from analyzers.inference.constraints.constraint_builders import parse_constraint
from analyzers.inference.facts import FunctionContext, all_known, parse_module
from analyzers.inference.function_lookup import sibling_method
from analyzers.vocabulary import ObservedCall

_MAKERS = {"tensors": "tensor", "np_arrays": "array", "jax_arrays": "jax_array"}
_SELF = "self"


def observed_recipes(
    subject: FunctionContext, calls: Sequence[ObservedCall]
) -> list[Mapping[str, str]]:
    """Return the calls of a function by the recipes of their arguments and ``self``.

    What has a default and cannot be made again is left out; a call of which more cannot
    be made is none.  Those that raised are among them: base decides.
    """
    own = [each for each in calls if each.function == subject.function]
    found = [_call_recipes(subject, each) for each in own]
    return [each for each in found if each is not None]


def _call_recipes(subject: FunctionContext, call: ObservedCall) -> Mapping[str, str] | None:
    arguments = _made(subject, call.arguments)
    if subject.owner is None or subject.node.name == "__init__" or arguments is None:
        return arguments
    constructor = sibling_method(subject, "__init__")
    given = {} if constructor is None else _made(constructor, call.constructor)
    home = parse_module(subject.sources.get(subject.home, "")) if subject.home else subject.tree
    body = home.body if home is not None else ()
    classes = {each.name for each in body if isinstance(each, ast.ClassDef)}
    if call.owner not in classes or given is None:
        return None
    inside = ", ".join(f"{name}={text}" for name, text in given.items())
    return {**arguments, _SELF: f"{call.owner}({inside})"}


def _made(subject: FunctionContext, arguments: Mapping[str, str]) -> dict[str, str] | None:
    recipes = {name: recipe_of(parse_constraint(text)) for name, text in arguments.items()}
    known = {name: text for name, text in recipes.items() if text is not None}
    optional = {each.arg for each, _ in defaults(subject)}
    needed = [each.arg for each in subject.parameters if each.arg not in optional]
    return known if all(name in known for name in needed) else None


def recipe_of(constraint: Constraint | None) -> str | None:
    """Return an expression that makes such a value as was seen; ``None`` where none does."""
    if constraint is None:
        return None
    if constraint.kind in _MAKERS:
        return _array(constraint)
    match constraint.kind:
        case "froms":
            return _first(constraint)
        case "tuples":
            known = all_known(map(_recipe, _several(constraint["elements"])))
            return None if known is None else f"({', '.join(known)},)"
        case "lists":
            known = all_known(map(_recipe, _several(constraint["elements"])))
            size = constraint.value("min_len")
            return f"[{', '.join(known * size)}]" if known and isinstance(size, int) else None
        case _:
            return None


def _recipe(argument: Argument) -> str | None:
    return recipe_of(argument) if isinstance(argument, Constraint) else None


def _several(argument: Argument | None) -> Sequence[Argument]:
    if argument is None:
        return ()
    return argument if isinstance(argument, tuple) else (argument,)


def _first(constraint: Constraint) -> str | None:
    values = constraint.value("values")
    if isinstance(values, list | tuple) and values:
        return repr(values[0])
    return None


def _array(constraint: Constraint) -> str | None:
    shape, dtype = constraint["shape"], constraint.value("dtype")
    if not isinstance(shape, tuple):
        return None
    sizes = tuple(each.value for each in shape if isinstance(each, Expression))
    low, high = constraint.value("min"), constraint.value("max")
    elements = "seed=0" if low is None else f"seed=0, low={low!r}, high={high!r}"
    if low is not None and low == high:
        elements = f"fill={low!r}"
    return f"{_MAKERS[constraint.kind]}({sizes!r}, dtype={dtype!r}, {elements})"
