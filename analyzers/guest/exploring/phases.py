"""What exploring processes do: draw and run, make a failure smaller, run once more."""

from __future__ import annotations

import json
import os
import signal
import time
from dataclasses import dataclass
from typing import Callable, Dict, Mapping, Optional

from .. import worktime
from ..execution import Arguments
from ..generation.scope import Unmeetable
from ..processes import fork
from ..running.flight import Flight
from ..running.workers import Report
from . import drawing
from .drawing import Budget, Enough
from .mattering import mattering
from .outcomes import DIED, NOT_RUN, TIMED_OUT, Key, Outcome, died
from .plan import HANG_GRACE, Plan, inputs_of, text_of, text_of_inputs
from .trying import Inputs, Trial, as_arguments

_MATTERING_SECONDS = 1.0
_REPORT_EVERY = 25
_ENOUGH_NOT_RUN = 40
QUIET = 200
"""With so many inputs that brought nothing new there is no more to be expected."""


@dataclass
class Drawing:
    """The first phase: runs the inputs of ``first``, then those that are drawn by a seed.

    ``known`` are the outcomes so far, by the texts of inputs: none runs twice.
    """

    plan: Plan
    known: Dict[str, Outcome]
    seed: int
    budget: Budget

    def work(self, report: Report, flight: Flight) -> None:
        """Report each input with its outcome, until there are enough or one takes too long."""
        self._report, self._flight = report, flight
        self._trial = self.plan.trial()
        self._looked = self._quiet = 0
        self._seen = {outcome.key for outcome in self.known.values()}
        try:
            for given in self.plan.first:
                self._run(text_of(given), given)
            drawing.draw(self.plan.strategy, self._look, self.plan.examples, self.seed)
        except Enough:
            pass
        except Unmeetable as unmet:
            report({"unmet": {"annotation": unmet.annotation, "problem": unmet.problem}})
        except Exception as error:
            report({"obstacle": f"inputs cannot be drawn: {type(error).__name__}: {error}"[:500]})
        report({"health": self.plan.health(), "seed": self.seed})

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
            raise Enough

    def _notice(self, outcome: Outcome) -> None:
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
class Shrinking:
    """The second phase: the smallest input that fails like ``text`` does, and what matters in it.

    ``seed`` is the one by which the input was drawn; ``None``: it was given,
    and is small already.
    """

    plan: Plan
    known: Mapping[str, Outcome]
    text: str
    seed: Optional[int]
    budget: Budget

    def work(self, report: Report, flight: Flight) -> None:
        """Report the smallest input, then the arguments that matter."""
        key = self.known[self.text].key
        run = Runs(self.plan.trial(), dict(self.known), flight, isolated=key[0] == DIED)
        run.budget = self.budget
        inputs = None
        if self.seed is not None:
            inputs = drawing.smallest(
                self.plan.strategy,
                lambda each: run.of(each).key == key,
                lambda each: (len(text_of_inputs(each)), text_of_inputs(each)),
                self.plan.examples,
                self.seed,
            )
            if inputs is not None:
                report({"smallest": text_of_inputs(inputs)})
        self._matters(run, key, inputs, report)

    def _matters(self, run: Runs, key: Key, inputs: Optional[Inputs], report: Report) -> None:
        given = json.loads(self.text)
        if inputs is None and any(each["kind"] != "made" for each in given.values()):
            return
        found = inputs_of(given) if inputs is None else inputs
        run.budget = Budget(max(self.budget.remaining, _MATTERING_SECONDS))
        pool = [json.loads(text) for text in self.known]
        for name in mattering(self.plan, found, key, run.of, pool):
            report({"matters": name})


class Runs:
    """Outcomes of inputs, each run once; ``isolated``: in processes of their own."""

    def __init__(
        self, trial: Trial, known: Dict[str, Outcome], flight: Flight, *, isolated: bool
    ) -> None:
        self._trial = trial
        self._known = known
        self._flight = flight
        self._isolated = isolated
        self.budget = Budget(0)

    def of(self, inputs: Inputs) -> Outcome:
        """The outcome of an input; raises ``Enough`` when the time is over."""
        self.budget.check()
        text = text_of_inputs(inputs)
        if text not in self._known:
            self._known[text] = self._run(text, as_arguments(inputs))
        return self._known[text]

    def _run(self, text: str, arguments: Arguments) -> Outcome:
        if self._isolated:
            return alone(lambda: self._trial.run(arguments), self.budget.remaining)
        self._flight.begin(text.encode())
        try:
            return self._trial.run(arguments)
        finally:
            self._flight.end()


def alone(run: Callable[[], Outcome], seconds: float) -> Outcome:
    """The outcome of a run in a process of its own, as far as whether that dies."""
    child = fork(lambda: _run(run))
    clock = worktime.clock_of(child)
    while True:
        ended, status = os.waitpid(child, os.WNOHANG)
        if ended:
            break
        if clock.now() > seconds + HANG_GRACE:
            os.kill(child, signal.SIGKILL)
            os.waitpid(child, 0)
            return Outcome(TIMED_OUT)
        time.sleep(0.001)
    return died(os.WTERMSIG(status)) if os.WIFSIGNALED(status) else Outcome("returned")


def _run(run: Callable[[], Outcome]) -> None:
    run()


@dataclass
class Confirming:
    """Runs one input in a fresh process."""

    plan: Plan
    arguments: Arguments

    def work(self, report: Report, flight: Flight) -> None:
        """Report its outcome."""
        text = text_of(self.arguments)
        flight.begin(text.encode())
        outcome = self.plan.trial().run(self.arguments)
        flight.end()
        report({"outcome": outcome.as_json()})
