"""What a function of arrays takes, by its signature."""

from __future__ import annotations

import inspect
from typing import Any, Callable, Dict, List, Optional, Tuple

from ....generation.recipes import BadRecipe, Recipe
from ...nouns import Parameter

_LEFT_OUT = frozenset(
    ("out", "casting", "order", "subok", "signature", "like", "device", "copy", "out_sharding")
)
_STARS: Dict[Any, str] = {
    inspect.Parameter.VAR_POSITIONAL: "*",
    inspect.Parameter.VAR_KEYWORD: "**",
}


def parameters(function: Any, spelled: Callable[[Any], Recipe]) -> Tuple[Parameter, ...]:
    """The parameters in order; ``*args`` keeps its star, what says where results go is left out."""
    try:
        found = list(inspect.signature(function).parameters.values())
    except (TypeError, ValueError):
        return ()
    if found and found[0].kind is inspect.Parameter.VAR_POSITIONAL and hasattr(function, "nin"):
        return _operands(function.nin)
    return tuple(_listed(found, spelled))


def _operands(count: int) -> Tuple[Parameter, ...]:
    names = ("x",) if count == 1 else tuple(f"x{at}" for at in range(1, count + 1))
    return tuple(Parameter(name, required=True) for name in names)


def _listed(found: List[inspect.Parameter], spelled: Callable[[Any], Recipe]) -> List[Parameter]:
    made = []
    for item in found:
        if item.kind is item.VAR_KEYWORD or item.name in _LEFT_OUT:
            continue
        variadic = item.kind in _STARS
        required = not variadic and item.default is item.empty
        default = None if required or variadic else _default(item.default, spelled)
        name = _STARS.get(item.kind, "") + item.name
        made.append(Parameter(name, required, item.kind is item.KEYWORD_ONLY, default))
    return made


def _default(value: Any, spelled: Callable[[Any], Recipe]) -> Optional[Recipe]:
    try:
        return spelled(value)
    except BadRecipe:
        return None
