"""Explores a target: directs the processes that draw, run and shrink (docs/guest-protocol.md).

This process runs none of the project's functions itself, so that each of the
others starts from the target as it was loaded.
"""

from __future__ import annotations

import json
import time
from typing import Any, Callable, Dict, Iterator, List, Mapping, Optional

from ...runtime.child_processes import Frame, Report, RunningInputRecord, Worker
from ...runtime.execution import PreparedTarget
from ...runtime.time_limits import CLOCK, TimeUp
from ..generation.call_scope import UnsatisfiableConstraint
from . import exploration_results, hypothesis_draws
from .exploration_phases import ConfirmPhase, DrawPhase, ShrinkPhase
from .exploration_plan import HANG_GRACE, ExplorationPlan, parse_plan
from .exploration_results import ExplorationTally, SeenFailure, is_reportable
from .hypothesis_draws import Budget, enable_hypothesis
from .input_runs import DIED, NOT_RUN, TIMED_OUT, InputOutcome, outcome_of_death, read_outcome

MOST_DEATHS = 3
MOST_TIMED_OUT = 3
LEAST_SHRINKING = 1.0
CONFIRMING_GRACE = 1.0
AFTERWARDS = 8.0
_BROKE = "what the code did to its process broke the drawing of inputs"


def explore(prepared: PreparedTarget, message: Mapping[str, Any]) -> Frame:
    """The ``explored`` frame for an ``explore`` frame; ``limited`` where no input fits in."""
    started = time.monotonic()
    whole = Budget(message["seconds"] + message["timeout"] + AFTERWARDS)
    tally = ExplorationTally()
    obstacle = enable_hypothesis(message.get("layer"))
    if obstacle is not None:
        return tally.frame(0.0, [], obstacle)
    try:
        with CLOCK.limited(max(message["seconds"], 1.0)):
            plan = parse_plan(prepared, message)
            hypothesis_draws.prepare(plan.strategy)
    except TimeUp:
        obstacle = "it takes too long to draw an input"
        return tally.frame(time.monotonic() - started, [], obstacle)
    except UnsatisfiableConstraint as unmet:
        tally.unmet = {"annotation": unmet.annotation, "problem": unmet.problem}
        return tally.frame(time.monotonic() - started, [], None)
    except Exception as error:
        obstacle = f"inputs cannot be drawn: {type(error).__name__}: {error}"[:500]
        return tally.frame(time.monotonic() - started, [], obstacle)
    obstacle = _drawn(plan, tally)
    failures = _shrunk(plan, tally, whole)
    if obstacle is None and tally.unmet is None:
        obstacle = tally.obstacle()
        if obstacle in tally.limits:
            return {"type": "limited", "reason": obstacle}
    return tally.frame(time.monotonic() - started, failures, obstacle)


# --------------------------------------------------------------------- drawing


def _drawn(plan: ExplorationPlan, tally: ExplorationTally) -> Optional[str]:
    """Draw and run, in a process for each seed until one comes to its end."""
    budget = Budget(plan.seconds)
    deaths = 0
    for seed in _seeds(plan.seed):
        work = DrawPhase(plan, tally.known, seed, budget)
        worker = _worker(work.work, plan, budget.until)
        before = tally.count(TIMED_OUT)
        for frame in worker.reports():
            if "obstacle" in frame:
                return str(frame["obstacle"])
            if "health" in frame:
                tally.health(frame["seed"], frame["health"])
            elif "unmet" in frame:
                tally.unmet = frame["unmet"]
            else:
                tally.add(frame["input"], read_outcome(frame["outcome"]), frame["seed"])
        if worker.failed and not worker.begun:
            raise RuntimeError("the drawing of inputs failed")
        lost = _lost(tally, worker, seed)
        deaths += lost is not None or worker.failed
        over = lost is None and not worker.failed and tally.count(TIMED_OUT) == before
        if over or deaths >= MOST_DEATHS or tally.count(TIMED_OUT) >= MOST_TIMED_OUT:
            break
        if not budget.remaining or len(tally.known) >= plan.examples:
            break
    if not budget.remaining:
        tried = len(tally.known)
        tally.notes.append(f"drawing was cut short: {tried} inputs took {plan.seconds:g} s")
    return None


def _worker(
    work: Callable[[Report, RunningInputRecord], None], plan: ExplorationPlan, until: float
) -> Worker:
    return Worker(work, exploration_results.read_report, plan.timeout + HANG_GRACE, until)


def _seeds(first: int) -> Iterator[int]:
    yield from range(first, first + MOST_DEATHS + MOST_TIMED_OUT)


def _lost(tally: ExplorationTally, worker: Worker, seed: int) -> Optional[InputOutcome]:
    """Count the input under which a process ended or hung; how, where it ended by itself."""
    if worker.failed:
        tally.notes.append(_BROKE)
    if worker.broke is not None:
        tally.add(
            worker.broke, InputOutcome(NOT_RUN, ending={"kind": NOT_RUN, "reason": _BROKE}), seed
        )
    if worker.hung is not None:
        tally.add(worker.hung.text, InputOutcome(TIMED_OUT), seed)
    if worker.lost is None:
        return None
    outcome = outcome_of_death(worker.signal)
    tally.add(worker.lost.text, outcome, seed)
    return outcome


# ------------------------------------------------------------------- shrinking


def _shrunk(plan: ExplorationPlan, tally: ExplorationTally, whole: Budget) -> List[Frame]:
    """The failures that happen again in a fresh process, each as small as time allows.

    ``whole`` is the time for all of the exploration.
    """
    budget = Budget(plan.seconds / 2)
    waiting = tally.worst()
    found: List[Frame] = []
    for number, seen in enumerate(waiting):
        if whole.remaining <= plan.timeout:
            tally.notes.append(f"no time was left for {len(waiting) - number} of the failures")
            break
        seconds = max(LEAST_SHRINKING, budget.remaining / (len(waiting) - number))
        small = _Small(plan, tally, seen)
        if budget.remaining:
            small.shrink(seconds)
        frame = small.confirmed()
        if frame is not None:
            found.append(frame)
    return found


class _Small:
    """One failure, and the smallest input for it so far."""

    def __init__(self, plan: ExplorationPlan, tally: ExplorationTally, seen: SeenFailure) -> None:
        self._plan = plan
        self._tally = tally
        self._seen = seen
        self._texts = [seen.text]
        self._matters: List[str] = []

    def shrink(self, seconds: float) -> None:
        """Look for a smaller one, in a process of its own."""
        seen, budget = self._seen, Budget(seconds)
        work = ShrinkPhase(self._plan, self._tally.known, seen.text, seen.seed, budget)
        worker = _worker(work.work, self._plan, budget.until + LEAST_SHRINKING)
        for frame in worker.reports():
            if "smallest" in frame:
                self._texts.insert(0, frame["smallest"])
            else:
                self._matters.append(frame["matters"])

    def confirmed(self) -> Optional[Frame]:
        """The failure as it happens in a fresh process, if it does.

        It is that of the smallest input, or else of the one that showed it first.
        """
        told = [text for text in dict.fromkeys(self._texts) if is_reportable(json.loads(text))]
        for text in told:
            outcome = self._again(json.loads(text))
            if outcome is not None and outcome.key == self._seen.outcome.key:
                return self._frame(text, outcome)
        how = "did not happen again by itself" if told else "takes an input too large to be told"
        self._tally.notes.append(f"{_named(self._seen.outcome)} {how}")
        return None

    def _again(self, arguments: Dict[str, Dict[str, Any]]) -> Optional[InputOutcome]:
        budget = Budget(self._plan.timeout + CONFIRMING_GRACE)
        work = ConfirmPhase(self._plan, arguments)
        worker = _worker(work.work, self._plan, budget.until)
        outcomes = [read_outcome(frame["outcome"]) for frame in worker.reports()]
        if worker.lost is not None:
            return outcome_of_death(worker.signal)
        return outcomes[0] if outcomes else None

    def _frame(self, text: str, outcome: InputOutcome) -> Frame:
        how = {"signal": outcome.key[1]} if outcome.kind == DIED else {"ending": outcome.ending}
        matters = self._matters if text == self._texts[0] else []
        count = self._seen.count
        return {"arguments": json.loads(text), **how, "matters": matters, "seen": count}


def _named(outcome: InputOutcome) -> str:
    if outcome.kind == DIED:
        return f"an end by signal {outcome.key[1]}"
    ending = outcome.ending or {}
    if "condition" in ending:
        return f"a violation of {ending['condition']}"
    return f"{ending.get('exception')} at {ending.get('path')}:{ending.get('line')}"
