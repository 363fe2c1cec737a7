"""Request for an exploration, and the inputs that it draws from."""

from __future__ import annotations

import json
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any, Dict, List, Mapping

from ...annotations.constraints import Constraint
from ...runtime.execution import PreparedTarget
from ..generation.call_scope import CallScope, DrawingStatistics
from ..generation.call_strategies import inputs
from ..recipes import parse
from . import constraint_checks
from .input_runs import InputRunner, Inputs, as_protocol
from .postconditions import closed

if TYPE_CHECKING:
    from hypothesis.strategies import SearchStrategy

Arguments = Dict[str, Dict[str, Any]]
HANG_GRACE = 1.0
"""An input's process keeps its limit itself, unless it hangs for so long beyond."""


@dataclass(frozen=True)
class ExplorationPlan:
    """An ``explore`` frame, for a target, with the strategy that its contract makes."""

    prepared: PreparedTarget
    message: Mapping[str, Any]
    strategy: SearchStrategy[Inputs]
    drawn: DrawingStatistics

    @property
    def contract(self) -> Mapping[str, Any]:
        """The contract of the target."""
        return self.message["contract"]  # type: ignore[no-any-return]

    @property
    def examples(self) -> int:
        """Return how many inputs to run at most."""
        return int(self.message["examples"])

    @property
    def seconds(self) -> float:
        """Return how long to run them, at most."""
        return float(self.message["seconds"])

    @property
    def timeout(self) -> float:
        """The limit of one input, in seconds."""
        return float(self.message["timeout"])

    @property
    def seed(self) -> int:
        """Return what the inputs that are drawn depend on."""
        return int(self.message["seed"])

    @property
    def first(self) -> List[Arguments]:
        """Inputs to run before any that are drawn."""
        return list(self.message.get("first") or ())

    @cached_property
    def constraints(self) -> Dict[str, Constraint]:
        """The constraints of the arguments."""
        return {
            name: constraint_checks.parsed(text)
            for name, text in self.contract["arguments"].items()
        }

    def scope(self) -> CallScope:
        """Return what strategies of this target's module are built in."""
        return CallScope(self.prepared.namespace, self.message.get("generators") or {})

    def trial(self) -> InputRunner:
        """Return what runs the inputs."""
        conditions = closed(self.contract.get("ensures") or (), self.contract["arguments"])
        return InputRunner(self.prepared, self.timeout, conditions)

    def health(self) -> Dict[str, Any]:
        """Return how many inputs were drawn so far, and rejected by which conditions."""
        found = self.drawn
        return {"drawn": found.drawn, "rejected": found.rejected, "by": dict(found.by_condition)}


def parse_plan(prepared: PreparedTarget, message: Mapping[str, Any]) -> ExplorationPlan:
    """Parse an ``explore`` frame; raise ``UnsatisfiableConstraint`` where nothing can be drawn."""
    health = DrawingStatistics()
    generators = message.get("generators") or {}

    def scope() -> CallScope:
        return CallScope(prepared.namespace, generators)

    owner = prepared.name.rpartition(".")[0]
    return ExplorationPlan(
        prepared, message, inputs(message["contract"], scope, owner, health), health
    )


def text_of(arguments: Mapping[str, Mapping[str, Any]]) -> str:
    """Arguments of the protocol as a text that is the same for the same ones."""
    return json.dumps(arguments, sort_keys=True)


def text_of_inputs(inputs: Inputs) -> str:
    """Recipes as :func:`text_of` writes the arguments that they are."""
    return text_of(as_protocol(inputs))


def inputs_of(arguments: Mapping[str, Mapping[str, Any]]) -> Inputs:
    """The recipes of arguments that were written."""
    return {place: parse(argument["recipe"]) for place, argument in arguments.items()}
