"""Calls of a model of whose inputs nobody says anything: instances are drawn, inputs tried.

What the layers of an instance take is found by :mod:`.inputs`; what its constructor takes is
drawn from the constructor's contract, as explorations draw it.
"""

from __future__ import annotations

import re
from functools import partial
from importlib import import_module
from typing import Any, Dict, List, Mapping

from ..arguments import Unusable, made
from ..execution import Prepared
from ..exploring import drawing
from ..exploring.layer import enter
from ..generation.calls import SELF
from ..generation.calls import inputs as strategy_of
from ..generation.recipes import Display, Recipe, parse
from ..generation.scope import Scope
from ..limits import CLOCK, TimeUp

DRAWN = 40
DRAW_SECONDS = 5.0
_NUMBERS = re.compile(r"(?<![\w.])\d+(?![\w.])")
Arguments = Dict[str, Dict[str, str]]


def instances(prepared: Prepared, message: Mapping[str, Any]) -> List[str]:
    """Recipes of instances by the constructor of the frame's contract, small ones first.

    Sizes of 0 and 1 come last: with them little is computed.  Raises what drawing raises.
    """
    obstacle = enter(message.get("layer"))
    if obstacle is not None:
        return []
    generators = message.get("generators") or {}
    contract = {**message["contract"], "arguments": {}, "requires": []}
    owner = prepared.name.rpartition(".")[0]
    found: Dict[str, None] = {}

    def look(each: Mapping[str, Recipe]) -> None:
        if SELF in each:
            found.setdefault(each[SELF].source())

    with CLOCK.paused():
        import_module("hypothesis")
    scope = partial(Scope, prepared.namespace, generators)
    try:
        with CLOCK.limited(DRAW_SECONDS):
            drawing.draw(strategy_of(contract, scope, owner), look, DRAWN, int(message["seed"]))
    except TimeUp:
        if not found:
            raise
    return sorted(found, key=_size)


def call(prepared: Prepared, instance: str) -> Arguments:
    """The arguments of a call of ``forward`` of the instance that a recipe makes.

    Raises :class:`..arguments.Unusable` where there is no such instance, and where it takes
    none of the inputs that are tried.
    """
    from .inputs import NoInputs, inputs_for, required

    module = made(SELF, instance, prepared.namespace)
    try:
        names = [each.name for each in required(module)]
        recipe = parse(inputs_for(module).recipe)
    except NoInputs as reason:
        raise Unusable(f"no inputs that the model takes are known: {reason}") from reason
    if not isinstance(recipe, Display) or len(recipe.items) != len(names):
        raise Unusable("no inputs that the model takes are known")
    given = dict(zip(names, recipe.items))
    return {SELF: _made(instance), **{name: _made(each.source()) for name, each in given.items()}}


def _made(source: str) -> Dict[str, str]:
    return {"kind": "made", "recipe": source}


def _size(source: str) -> Any:
    numbers = [int(each) for each in _NUMBERS.findall(source)]
    return sum(each < 2 for each in numbers), sum(numbers), source
