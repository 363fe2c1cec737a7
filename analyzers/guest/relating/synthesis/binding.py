"""What a live call gives to each parameter of its API."""

from __future__ import annotations

from typing import Any, Dict, List, Sequence, Tuple

from ...generation.recipes import BadRecipe, evaluate
from ..nouns import Api, Live, Namespace, Parameter
from .similarity import bare


class Inapplicable(BadRecipe):
    """A call of which a template says nothing: the relation neither holds nor fails there."""


def bound(source: Api, live: Live) -> Dict[str, Any]:
    """The values by the parameters' names without stars; those not given are left out.

    ``*args`` becomes a tuple, and so do sizes, however they are given.  Raises
    :class:`Inapplicable` for a call that does not fit the parameters.
    """
    outer = [item for item in source.parameters if not item.is_input]
    values = _positional([item for item in outer if not item.keyword_only], live.arguments)
    sizes = {bare(item.name) for item in outer if _is_of_sizes(item)}
    names = {bare(item.name) for item in outer if not item.name.startswith("*")} | sizes
    for name, value in live.keywords.items():
        if name not in names or values.get(name, ()) != ():
            raise Inapplicable(f"{source.name} is not known to take {name!r} here")
        values[name] = (value,) if name in sizes else value
    values.update((name, _sizes(values[name])) for name in sizes & set(values))
    inputs = [item for item in source.parameters if item.is_input]
    values.update(_positional(inputs, live.inputs or []))
    return values


def _is_of_sizes(parameter: Parameter) -> bool:
    return parameter.name.startswith("*") and parameter.required


def _sizes(given: Sequence[Any]) -> Tuple[Any, ...]:
    """Sizes given one by one, or as one sequence."""
    found = given[0] if len(given) == 1 and isinstance(given[0], (tuple, list)) else given
    if not all(hasattr(item, "__index__") for item in found):
        raise Inapplicable("these are no sizes")
    return tuple(found)


def _positional(parameters: Sequence[Parameter], given: Sequence[Any]) -> Dict[str, Any]:
    values: Dict[str, Any] = {}
    rest: List[Any] = list(given)
    for parameter in parameters:
        if parameter.name.startswith("**"):
            continue
        if parameter.name.startswith("*"):
            values[bare(parameter.name)] = tuple(rest)
            rest = []
        elif rest:
            values[parameter.name] = rest.pop(0)
    if rest:
        raise Inapplicable(f"{len(rest)} arguments more than parameters are known")
    return values


def is_default(parameter: Parameter, value: Any, namespace: Namespace) -> bool:
    """Whether a value is what the parameter has when it is not given."""
    if parameter.name.startswith("*") and value == ():
        return True
    if value is None and not parameter.required and parameter.default is None:
        return True
    if parameter.default is None or isinstance(value, complex):
        return False
    default = evaluate(parameter.default, namespace)
    if default is value:
        return True
    plain = (bool, int, float, str, tuple)
    return (
        type(default) is type(value) and isinstance(value, plain) and repr(default) == repr(value)
    )
