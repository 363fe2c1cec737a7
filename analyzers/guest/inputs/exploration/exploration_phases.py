"""Phases of exploring processes: draw and run, make a failure smaller, run once more."""

from __future__ import annotations

import json
import os
import signal
import time
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Callable, Dict, Iterator, List, Mapping, Optional, Sequence

from ...annotations.constraints import Constraint
from ...runtime import time_limits
from ...runtime.child_processes import Report, RunningInputRecord, fork
from ...runtime.execution import Arguments
from ..generation.call_scope import UnsatisfiableConstraint, compiled
from ..generation.call_strategies import settled_values
from ..recipes import BadRecipe, Recipe, evaluate, parse
from . import hypothesis_draws
from .constraint_checks import problem_of, problem_of_call
from .exploration_plan import HANG_GRACE, ExplorationPlan, inputs_of, text_of, text_of_inputs
from .hypothesis_draws import Budget, StopDrawing
from .input_runs import (
    DIED,
    NOT_RUN,
    RETURNED,
    TIMED_OUT,
    InputOutcome,
    InputRunner,
    Inputs,
    Key,
    as_arguments,
    outcome_of_death,
)
from .shared_dimensions import Dimensions

if TYPE_CHECKING:
    from hypothesis.strategies import DrawFn, SearchStrategy

OTHERS = 12
_DRAWN = 60
_FROM_POOL = 100


Pool = Sequence[Mapping[str, Mapping[str, Any]]]


def relevant_arguments(
    plan: ExplorationPlan,
    inputs: Inputs,
    key: Key,
    outcome: Callable[[Inputs], InputOutcome],
    pool: Pool,
) -> Iterator[str]:
    """Return the arguments that the failure needs; ``pool`` are those of other inputs."""
    try:
        for place in inputs:
            others = _others(plan, inputs, place, pool)
            changed = ({**inputs, place: other} for other in others)
            if _matters((each for each in changed if is_valid(plan, each)), key, outcome):
                yield place
    except hypothesis_draws.StopDrawing:
        return


def _matters(others: Iterator[Inputs], key: Key, outcome: Callable[[Inputs], InputOutcome]) -> bool:
    tried = 0
    for other in others:
        found = outcome(other)
        if found.kind == RETURNED:
            return True
        tried += found.key == key
        if tried >= OTHERS:
            break
    return False


def _others(plan: ExplorationPlan, inputs: Inputs, place: str, pool: Pool) -> Iterator[Recipe]:
    """Other recipes for an argument: drawn beside the rest of the input, then from other inputs."""
    seen = {inputs[place].source()}
    for recipe in [*_drawn(plan, inputs, place), *_pooled(place, pool)]:
        source = recipe.source()
        if source not in seen:
            seen.add(source)
            yield recipe


def _drawn(plan: ExplorationPlan, inputs: Inputs, place: str) -> List[Recipe]:
    constraint = plan.constraints.get(place)
    if constraint is None:
        return []
    values = _values(plan, {name: each for name, each in inputs.items() if name != place})
    known = Dimensions(plan.prepared.namespace, values)
    for name, value in values.items():
        if name in plan.constraints:
            problem_of(value, plan.constraints[name], known)
    found: List[Recipe] = []
    try:
        hypothesis_draws.draw(_beside(plan, constraint, known), found.append, _DRAWN, plan.seed)
    except Exception:
        return found
    return found


def _beside(
    plan: ExplorationPlan, constraint: Constraint, known: Dimensions
) -> SearchStrategy[Recipe]:
    from hypothesis.strategies import composite

    from ..generation.strategies import strategy

    scope = plan.scope()
    inner = strategy(constraint, scope)

    @composite
    def drawn(draw: DrawFn) -> Recipe:
        scope.begin()
        scope.dims.update(known.sizes)
        scope.known.update(known.values)
        return draw(inner)

    return drawn()


def _pooled(place: str, pool: Pool) -> Iterator[Recipe]:
    for arguments in pool[:_FROM_POOL]:
        given = arguments.get(place)
        if given is not None and given["kind"] == "made":
            try:
                yield parse(given["recipe"])
            except BadRecipe:
                continue


def is_valid(plan: ExplorationPlan, inputs: Inputs) -> bool:
    """Return whether inputs meet their constraints together, and the preconditions."""
    try:
        values = _values(plan, inputs)
    except Exception:
        return False
    if problem_of_call(values, plan.constraints, plan.prepared.namespace) is not None:
        return False
    names = {**plan.prepared.namespace, **settled_values(plan.contract), **values}
    return all(_holds(condition, names) for condition in plan.contract.get("requires") or ())


def _values(plan: ExplorationPlan, inputs: Inputs) -> Dict[str, Any]:
    return {name: evaluate(each, plan.prepared.namespace) for name, each in inputs.items()}


def _holds(condition: str, names: Dict[str, Any]) -> bool:
    try:
        return bool(eval(compiled(condition), dict(names)))  # the guest's own sandbox
    except Exception:
        return False


_MATTERING_SECONDS = 1.0
_REPORT_EVERY = 25
_ENOUGH_NOT_RUN = 40
QUIET = 200
"""With so many inputs that brought nothing new there is no more to be expected."""


@dataclass
class DrawPhase:
    """The first phase: runs the inputs of ``first``, then drawn ones that are not in ``known``."""

    plan: ExplorationPlan
    known: Dict[str, InputOutcome]
    seed: int
    budget: Budget

    def work(self, report: Report, flight: RunningInputRecord) -> None:
        """Report each input with its outcome, until there are enough or one takes too long."""
        self._report, self._flight = report, flight
        self._trial = self.plan.trial()
        self._looked = self._quiet = 0
        self._seen = {outcome.key for outcome in self.known.values()}
        try:
            for given in self.plan.first:
                self._run_kept(given)
            hypothesis_draws.draw(self.plan.strategy, self._look, self.plan.examples, self.seed)
        except StopDrawing:
            pass
        except UnsatisfiableConstraint as unmet:
            report({"unmet": {"annotation": unmet.annotation, "problem": unmet.problem}})
        except Exception as error:
            report({"obstacle": f"inputs cannot be drawn: {type(error).__name__}: {error}"[:500]})
        report({"health": self.plan.health(), "seed": self.seed})

    def _run_kept(self, given: Arguments) -> None:
        """Run an input that an earlier contract admitted, where the one of today does too."""
        text = text_of(given)
        if text in self.known:
            return
        made = all(argument["kind"] == "made" for argument in given.values())
        self._flight.begin(text.encode())
        try:
            admitted = not made or is_valid(self.plan, inputs_of(given))
        except BadRecipe:
            return
        if admitted:
            self._run(text, given)

    def _look(self, inputs: Inputs) -> None:
        self._looked += 1
        if self._looked % _REPORT_EVERY == 0:
            self._report({"health": self.plan.health(), "seed": self.seed})
        self._run(text_of_inputs(inputs), as_arguments(inputs), seed=self.seed)

    def _run(self, text: str, arguments: Arguments, seed: Optional[int] = None) -> None:
        self.budget.check()
        if text in self.known:
            return
        self._flight.begin(text.encode())
        outcome = self._trial.run(arguments)
        self._flight.end()
        self.known[text] = outcome
        self._notice(outcome)
        self._report({"input": text, "seed": seed, "outcome": outcome.as_json()})
        if outcome.kind == TIMED_OUT or self._is_enough():
            raise StopDrawing

    def _notice(self, outcome: InputOutcome) -> None:
        """Count the inputs since one reached or raised something new."""
        new = bool(outcome.hits) or outcome.key not in self._seen
        self._seen.add(outcome.key)
        self._quiet = 0 if new else self._quiet + 1

    def _is_enough(self) -> bool:
        count = len(self.known)
        hopeless = count == _ENOUGH_NOT_RUN and all(
            outcome.kind == NOT_RUN for outcome in self.known.values()
        )
        return (
            hopeless or self._quiet >= QUIET or count >= self.plan.examples + len(self.plan.first)
        )


@dataclass
class ShrinkPhase:
    """The second phase: the smallest input that fails as ``text`` does; ``seed`` drew that."""

    plan: ExplorationPlan
    known: Mapping[str, InputOutcome]
    text: str
    seed: Optional[int]
    budget: Budget

    def work(self, report: Report, flight: RunningInputRecord) -> None:
        """Report the smallest input, then the arguments that matter."""
        key = self.known[self.text].key
        run = InputRuns(self.plan.trial(), dict(self.known), flight, isolated=key[0] == DIED)
        run.budget = self.budget
        inputs = None
        if self.seed is not None:
            inputs = hypothesis_draws.smallest(
                self.plan.strategy,
                lambda each: run.of(each).key == key,
                lambda each: (len(text_of_inputs(each)), text_of_inputs(each)),
                self.plan.examples,
                self.seed,
            )
            if inputs is not None:
                report({"smallest": text_of_inputs(inputs)})
        self._matters(run, key, inputs, report)

    def _matters(self, run: InputRuns, key: Key, inputs: Optional[Inputs], report: Report) -> None:
        given = json.loads(self.text)
        if inputs is None and any(each["kind"] != "made" for each in given.values()):
            return
        found = inputs_of(given) if inputs is None else inputs
        run.budget = Budget(max(self.budget.remaining, _MATTERING_SECONDS))
        pool = [json.loads(text) for text in self.known]
        for name in relevant_arguments(self.plan, found, key, run.of, pool):
            report({"matters": name})


class InputRuns:
    """Outcomes of inputs, each run once; ``isolated``: in processes of their own."""

    def __init__(
        self,
        trial: InputRunner,
        known: Dict[str, InputOutcome],
        flight: RunningInputRecord,
        *,
        isolated: bool,
    ) -> None:
        self._trial = trial
        self._known = known
        self._flight = flight
        self._isolated = isolated
        self.budget = Budget(0)

    def of(self, inputs: Inputs) -> InputOutcome:
        """The outcome of an input; raises ``StopDrawing`` when the time is over."""
        self.budget.check()
        text = text_of_inputs(inputs)
        if text not in self._known:
            self._known[text] = self._run(text, as_arguments(inputs))
        return self._known[text]

    def _run(self, text: str, arguments: Arguments) -> InputOutcome:
        if self._isolated:
            return alone(lambda: self._trial.run(arguments), self.budget.remaining)
        self._flight.begin(text.encode())
        try:
            return self._trial.run(arguments)
        finally:
            self._flight.end()


def alone(run: Callable[[], InputOutcome], seconds: float) -> InputOutcome:
    """The outcome of a run in a process of its own, as far as whether that dies."""
    child = fork(lambda: _run(run))
    clock = time_limits.clock_of(child)
    while True:
        ended, status = os.waitpid(child, os.WNOHANG)
        if ended:
            break
        if clock.now() > seconds + HANG_GRACE:
            os.kill(child, signal.SIGKILL)
            os.waitpid(child, 0)
            return InputOutcome(TIMED_OUT)
        time.sleep(0.001)
    return (
        outcome_of_death(os.WTERMSIG(status))
        if os.WIFSIGNALED(status)
        else InputOutcome("returned")
    )


def _run(run: Callable[[], InputOutcome]) -> None:
    run()


@dataclass
class ConfirmPhase:
    """Runs one input in a fresh process."""

    plan: ExplorationPlan
    arguments: Arguments

    def work(self, report: Report, flight: RunningInputRecord) -> None:
        """Report its outcome."""
        text = text_of(self.arguments)
        flight.begin(text.encode())
        outcome = self.plan.trial().run(self.arguments)
        flight.end()
        report({"outcome": outcome.as_json()})
