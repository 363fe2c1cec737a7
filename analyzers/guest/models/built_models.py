"""The models that probes build, with what they are called with."""

from __future__ import annotations

import re
from functools import partial
from importlib import import_module
from typing import Any, Dict, Iterator, List, Mapping, Optional, Tuple

from ..inputs.exploration import hypothesis_draws
from ..inputs.exploration.hypothesis_draws import enable_hypothesis
from ..inputs.exploration.postcondition_checks import call_target
from ..inputs.generation.call_scope import CallScope
from ..inputs.generation.call_strategies import SELF
from ..inputs.generation.call_strategies import inputs as strategy_of
from ..inputs.recipes import BadRecipe, CallRecipe, DisplayRecipe, Recipe, names, parse
from ..protocol import api_calls
from ..protocol.argument_decoding import Unusable, evaluate_recipe
from ..runtime import time_limits
from ..runtime.execution import PreparedTarget
from ..runtime.time_limits import CLOCK, TimeUp
from . import model_promises
from .executed_frame import BuiltModel, one_line
from .model_types import ModelUnderTest

MOST_DRAWN_INSTANCES = 40
DRAW_SECONDS = 5.0
_NUMBERS = re.compile(r"(?<![\w.])\d+(?![\w.])")
CallArguments = Dict[str, Dict[str, str]]


def drawn_instances(prepared: PreparedTarget, message: Mapping[str, Any]) -> List[str]:
    """Return recipes of instances by the frame's contract, small ones first, sizes 0 and 1 last."""
    if enable_hypothesis(message.get("layer")) is not None:
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
    scope = partial(CallScope, prepared.namespace, generators)
    try:
        with CLOCK.limited(DRAW_SECONDS):
            hypothesis_draws.draw(
                strategy_of(contract, scope, owner),
                look,
                MOST_DRAWN_INSTANCES,
                int(message["seed"]),
            )
    except TimeUp:
        if not found:
            raise
    return sorted(found, key=_size)


def forward_arguments(prepared: PreparedTarget, instance: str) -> CallArguments:
    """Return the arguments of ``forward`` of the instance of a recipe; raises :class:`Unusable`."""
    from .torch_inputs import NoTorchInputs, inputs_for, required

    module = evaluate_recipe(SELF, instance, prepared.namespace)
    try:
        names = [each.name for each in required(module)]
        recipe = parse(inputs_for(module))
    except NoTorchInputs as reason:
        raise Unusable(f"no inputs that the model takes are known: {reason}") from reason
    if not isinstance(recipe, DisplayRecipe) or len(recipe.items) != len(names):
        raise Unusable("no inputs that the model takes are known")
    given = dict(zip(names, recipe.items))
    return {SELF: _made(instance), **{name: _made(each.source()) for name, each in given.items()}}


def _made(source: str) -> Dict[str, str]:
    return {"kind": "made", "recipe": source}


def _size(source: str) -> Any:
    numbers = [int(each) for each in _NUMBERS.findall(source)]
    return sum(each < 2 for each in numbers), sum(numbers), source


FORWARDS = ("forward", "call", "__call__")
BUILD_SECONDS = 10.0
MOST_DRAWN_INPUTS = 24
_MADE_OF_NUMBERS = ("tensor", "array", "jax_array")
MOST_INSTANCES = 12
ProbeArguments = Mapping[str, Any]


class BuiltModels:
    """The models of a frame's probes, built ``until`` a worktime; ``obstacle`` is why none are."""

    def __init__(self, prepared: PreparedTarget, message: Mapping[str, Any], until: float) -> None:
        self._prepared = prepared
        self._message = message
        self._until = until
        self._is_call = prepared.name.rpartition(".")[2] in FORWARDS
        self.obstacle = "no call of the target was seen to return"

    def built(self, most: int) -> Iterator[BuiltModel]:
        """Yield at most ``most`` models that run, those with the most telling inputs first."""
        found = 0
        for arguments in self._calls():
            if found >= most or (found and time_limits.now() > self._until):
                return
            for subject in self._of(arguments):
                found += 1
                yield subject

    def _calls(self) -> Iterator[ProbeArguments]:
        probes = self._message["probes"]
        yield from sorted((probe["arguments"] for probe in probes), key=_probe_priority)
        if probes or not self._is_call or self._message.get("contract") is None:
            return
        made = self._limited(partial(drawn_instances, self._prepared, self._message))
        for instance in (made or ())[:MOST_INSTANCES]:
            if time_limits.now() > self._until:
                return
            arguments = self._limited(partial(forward_arguments, self._prepared, instance))
            if arguments is not None:
                yield arguments

    def _of(self, arguments: ProbeArguments) -> Iterator[BuiltModel]:
        if self._is_call:
            model = self._limited(partial(self._model, arguments))
            if model is not None and self._runs(model):
                yield BuiltModel(arguments, "", model)
            return
        called = partial(call_target, self._prepared, arguments)
        model = self._limited(lambda: model_promises.model_with_inputs(called(), ()))
        for recipe in () if model is None else self._inputs(model):
            fed = self._limited(partial(self._model, arguments, recipe))
            if fed is not None and self._runs(fed):
                yield BuiltModel(arguments, recipe, fed)
                return

    def _model(self, arguments: ProbeArguments, recipe: str = "") -> ModelUnderTest:
        return model_promises.model_of(call_target(self._prepared, arguments), recipe)

    def _runs(self, model: ModelUnderTest) -> bool:
        given = model.inputs, dict(model.keywords)
        return self._limited(lambda: (model.module(*given[0], **given[1]),)) is not None

    def _limited(self, work: Any) -> Any:
        api_calls.set_supplier(api_calls.EmptyAnswers())
        try:
            with CLOCK.limited(BUILD_SECONDS):
                return work()
        except TimeUp:
            self.obstacle = f"building or calling the model took longer than {BUILD_SECONDS:g} s"
        except Unusable as reason:
            self.obstacle = one_line(str(reason))
        except Exception as error:
            self.obstacle = one_line(
                f"the model could not be called: {type(error).__name__}: {error}"
            )
        return None

    def _inputs(self, model: ModelUnderTest) -> Iterator[str]:
        contract = self._message.get("contract")
        if contract is not None:
            yield from self._drawn(contract)
        from .keras import keras_inputs as of_keras
        from .torch_inputs import NoTorchInputs, inputs_for

        try:
            inputs_of = of_keras.inputs_for if model.framework == "keras" else inputs_for
            yield inputs_of(model.module)
        except (NoTorchInputs, of_keras.NoKerasInputs) as reason:
            self.obstacle = one_line(f"no inputs that the model takes are known: {reason}")

    def _drawn(self, contract: Mapping[str, Any]) -> List[str]:
        if enable_hypothesis(self._message.get("layer")) is not None:
            return []
        found: Dict[str, Mapping[str, Recipe]] = {}
        generators = self._message.get("generators") or {}

        def look(each: Mapping[str, Recipe]) -> None:
            recipe = _tuple(each, contract["arguments"])
            if recipe is not None:
                found.setdefault(recipe.source(), each)

        try:
            own = {**contract, "constructor": None}
            strategy = strategy_of(own, lambda: CallScope(self._prepared.namespace, generators))
            with CLOCK.limited(BUILD_SECONDS):
                hypothesis_draws.draw(strategy, look, MOST_DRAWN_INPUTS, int(self._message["seed"]))
        except (TimeUp, Exception) as error:
            self.obstacle = one_line(f"inputs cannot be drawn: {type(error).__name__}: {error}")
        return sorted(found, key=lambda source: _varied(found[source]))


def _tuple(recipes: Mapping[str, Recipe], order: Mapping[str, Any]) -> Optional[DisplayRecipe]:
    given = [recipes[name] for name in order if name in recipes]
    if not given or any(names(each) for each in given):
        return None
    return DisplayRecipe("tuple", tuple(given))


def _probe_priority(arguments: ProbeArguments) -> Tuple[int, int]:
    """Return inputs of many different numbers come first, of these the smallest."""
    found: Dict[str, Recipe] = {}
    for place, argument in arguments.items():
        try:
            if argument.get("kind") == "made":
                found[place] = parse(argument["recipe"])
        except BadRecipe:
            continue
    return _varied(found)


def _varied(recipes: Mapping[str, Recipe]) -> Tuple[int, int]:
    constant = sum(map(_is_constant, recipes.values()))
    return constant, sum(len(each.source()) for each in recipes.values())


def _is_constant(recipe: Recipe) -> bool:
    return (
        isinstance(recipe, CallRecipe)
        and recipe.function in _MADE_OF_NUMBERS
        and not any(name in ("seed", "at", "values") for name, _ in recipe.keywords)
    )
