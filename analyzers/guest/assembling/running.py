"""Runs one assembled file: loads it, makes the probe's call, trains a step."""

from __future__ import annotations

import time
from typing import Any, Callable, Dict, Mapping, Optional, Set

from .. import calls, draining, randomness, standins
from ..arguments import Unusable, made
from ..execution import Prepared
from . import states, training
from .calling import built, called
from .states import BUILD, FORWARD, LOAD, State
from .variants import Place

Stage = Callable[[str], None]
_TENSOR = "tensor("


class Runner:
    """Runs texts in the place of a target's file.

    ``probe`` has the arguments of the call to be made, in the protocol's words; ``None``:
    a text is run as a script.  ``train``: with gradients and a step.
    """

    def __init__(
        self, prepared: Prepared, probe: Optional[Mapping[str, Any]], *, train: bool
    ) -> None:
        self._place = Place(prepared)
        self._probe = probe
        self._train = train
        self._arguments = _Arguments()

    def run(self, text: str, told: Stage) -> State:
        """The state that a text comes to; ``told`` hears each stage when it begins."""
        now = LOAD

        def stage(name: str) -> None:
            nonlocal now
            now = name
            told(name)

        stage(LOAD)
        _settle()
        began = time.perf_counter()
        apis: Set[str] = set()
        with built(apis):
            try:
                found = self._tried(text, stage, apis)
            except Unusable as unusable:
                found = _unmade(unusable, now, self._place.file)
            except BaseException as error:
                found = states.raised(error, now, self._place.file)
        spent = round(time.perf_counter() - began, 6)
        return {**found, "apis": sorted(apis), "seconds": spent}

    def _tried(self, text: str, stage: Stage, apis: Set[str]) -> State:
        probe = self._probe
        if probe is None:
            return self._script(text, stage, apis)
        with self._place.module(script=False) as module:
            self._place.load(text, module)
            stage(BUILD)
            bound = self._place.target(module).bind(self._arguments.now(probe["arguments"]))
            function = bound.function()
            if not isinstance(function, type):
                stage(FORWARD)
            with called(apis), bound.world:
                value = function(*bound.args, **bound.kwargs)
                result = draining.drained(value, thoroughly=bound.repeats)
            finite = self._trained(function, result, stage)
        return states.state(states.RAN, finite=finite)

    def _script(self, text: str, stage: Stage, apis: Set[str]) -> State:
        from .scripts import watched

        with self._place.module(script=True) as module, watched(stage) as seen, called(apis):
            try:
                self._place.load(text, module)
            except SystemExit as left:
                if left.code not in (None, 0):
                    raise
        return states.state(states.RAN, finite=seen.finite)

    def _trained(self, function: Any, result: Any, stage: Stage) -> bool:
        """Train where that is asked for; whether all that was computed is finite."""
        finite = training.finite(training.tensors(result))
        if not self._train:
            return finite
        return training.trained(training.module_of(function, result), result, stage) and finite


class _Arguments:
    """The arguments of a call, made anew for each file; large inputs are made once, and copied."""

    def __init__(self) -> None:
        self._made: Dict[str, Any] = {}

    def now(self, arguments: Mapping[str, Any]) -> Dict[str, Any]:
        """The arguments for one call."""
        return {place: self._value(given) for place, given in arguments.items()}

    def _value(self, given: Mapping[str, Any]) -> Mapping[str, Any]:
        recipe = given.get("recipe")
        if not isinstance(recipe, str) or not recipe.startswith(_TENSOR):
            return given
        if recipe not in self._made:
            self._made[recipe] = made("argument", recipe, {})
        return {"kind": "value", "value": self._made[recipe].detach().clone()}


def _unmade(unusable: Unusable, stage: str, file: str) -> State:
    """The state of a file whose arguments cannot be made: its own code may be what raised."""
    found = states.raised(unusable.__cause__ or unusable, stage, file)
    if unusable.__cause__ is not None and found["line"]:
        return found
    return states.state(states.NOT_RUN, stage, detail=str(unusable)[: states.LONGEST])


def _settle() -> None:
    """The state of the world that each file starts with."""
    randomness.seed()
    standins.forget()
    calls.set_supplier(calls.Nothing())
