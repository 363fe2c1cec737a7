"""The models that probes build, with what they are called with."""

from __future__ import annotations

from functools import partial
from typing import Any, Dict, Iterator, List, Mapping, Optional, Tuple

from .. import calls, worktime
from ..arguments import Unusable
from ..execution import Prepared
from ..exploring import drawing
from ..exploring.layer import enter
from ..exploring.promises import called
from ..generation.calls import inputs as strategy_of
from ..generation.recipes import BadRecipe, Call, Display, Recipe, names, parse
from ..generation.scope import Scope
from ..limits import CLOCK, TimeUp
from . import promising, trials
from .nouns import Model
from .telling import Subject, line

FORWARDS = ("forward", "call", "__call__")
BUILD_SECONDS = 10.0
DRAWN = 24
_MADE_OF_NUMBERS = ("tensor", "array", "jax_array")
MOST_INSTANCES = 12
Arguments = Mapping[str, Any]


class Subjects:
    """The models of a frame's probes; ``obstacle`` is why there are none, once that is clear.

    ``until`` is the time of ``worktime.now`` from which on no more are built.
    """

    def __init__(self, prepared: Prepared, message: Mapping[str, Any], until: float) -> None:
        self._prepared = prepared
        self._message = message
        self._until = until
        self._is_call = prepared.name.rpartition(".")[2] in FORWARDS
        self.obstacle = "no call of the target was seen to return"

    def built(self, most: int) -> Iterator[Subject]:
        """At most ``most`` models that run, those with the most telling inputs first."""
        found = 0
        for arguments in self._calls():
            if found >= most or (found and worktime.now() > self._until):
                return
            for subject in self._of(arguments):
                found += 1
                yield subject

    def _calls(self) -> Iterator[Arguments]:
        """The arguments of the probes; where there are none, of calls that are found by trying."""
        probes = self._message["probes"]
        yield from sorted((probe["arguments"] for probe in probes), key=_worth)
        if probes or not self._is_call or self._message.get("contract") is None:
            return
        made = self._limited(partial(trials.instances, self._prepared, self._message))
        for instance in (made or ())[:MOST_INSTANCES]:
            if worktime.now() > self._until:
                return
            arguments = self._limited(partial(trials.call, self._prepared, instance))
            if arguments is not None:
                yield arguments

    def _of(self, arguments: Arguments) -> Iterator[Subject]:
        """The model of one probe, with inputs for a model that was only built."""
        if self._is_call:
            model = self._limited(partial(self._model, arguments))
            if model is not None and self._runs(model):
                yield Subject(arguments, "", model)
            return
        model = self._limited(partial(self._bare, arguments))
        if model is None:
            return
        for recipe in self._inputs(model):
            fed = self._limited(partial(self._model, arguments, recipe))
            if fed is not None and self._runs(fed):
                yield Subject(arguments, recipe, fed)
                return

    def _model(self, arguments: Arguments, recipe: str = "") -> Model:
        return promising.model_of(called(self._prepared, arguments), recipe)

    def _bare(self, arguments: Arguments) -> Model:
        return promising.fed(called(self._prepared, arguments), ())

    def _runs(self, model: Model) -> bool:
        return self._limited(lambda: _output(model)) is not None

    def _limited(self, work: Any) -> Any:
        """What some work gives, ``None`` where it fails or takes too long: that is an obstacle."""
        calls.set_supplier(calls.Nothing())
        try:
            with CLOCK.limited(BUILD_SECONDS):
                return work()
        except TimeUp:
            self.obstacle = f"building or calling the model took longer than {BUILD_SECONDS:g} s"
        except Unusable as reason:
            self.obstacle = line(str(reason))
        except Exception as error:
            self.obstacle = line(f"the model could not be called: {type(error).__name__}: {error}")
        return None

    # --------------------------------------------------------------- inputs

    def _inputs(self, model: Model) -> Iterator[str]:
        """Recipes of tuples that the model may take: what is said of it, then what is tried."""
        contract = self._message.get("contract")
        if contract is not None:
            yield from self._drawn(contract)
        yield from self._fitting(model)

    def _fitting(self, model: Model) -> Iterator[str]:
        from .inputs import NoInputs, inputs_for
        from .keras_ import inputs as of_keras

        try:
            keras = model.framework == "keras"
            module = model.module
            yield of_keras.inputs_for(module) if keras else inputs_for(module).recipe
        except (NoInputs, of_keras.NoInputs) as reason:
            self.obstacle = line(f"no inputs that the model takes are known: {reason}")

    def _drawn(self, contract: Mapping[str, Any]) -> List[str]:
        obstacle = enter(self._message.get("layer"))
        if obstacle is not None:
            return []
        found: Dict[str, Mapping[str, Recipe]] = {}
        generators = self._message.get("generators") or {}

        def look(each: Mapping[str, Recipe]) -> None:
            recipe = _tuple(each, contract["arguments"])
            if recipe is not None:
                found.setdefault(recipe.source(), each)

        try:
            own = {**contract, "constructor": None}
            strategy = strategy_of(own, lambda: Scope(self._prepared.namespace, generators))
            with CLOCK.limited(BUILD_SECONDS):
                drawing.draw(strategy, look, DRAWN, int(self._message["seed"]))
        except (TimeUp, Exception) as error:
            self.obstacle = line(f"inputs cannot be drawn: {type(error).__name__}: {error}")
        return sorted(found, key=lambda source: _varied(found[source]))


def _output(model: Model) -> Any:
    """What the model gives, never ``None``."""
    return (model.module(*model.inputs, **dict(model.keywords)),)


def _tuple(recipes: Mapping[str, Recipe], order: Mapping[str, Any]) -> Optional[Display]:
    """A tuple of arguments in the order of the parameters, where they name nothing else."""
    given = [recipes[name] for name in order if name in recipes]
    if not given or any(names(each) for each in given):
        return None
    return Display("tuple", tuple(given))


def _worth(arguments: Arguments) -> Tuple[int, int]:
    """Inputs of many different numbers come first, of these the smallest."""
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
    """Whether a recipe makes an array whose elements are all alike."""
    if not isinstance(recipe, Call) or recipe.function not in _MADE_OF_NUMBERS:
        return False
    return not any(name in ("seed", "at", "values") for name, _ in recipe.keywords)
