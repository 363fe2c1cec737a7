"""Explore a target in child processes that draw, run and shrink (docs/guest-protocol.md)."""

from __future__ import annotations

import json
import time
from collections import Counter
from dataclasses import dataclass, field
from itertools import islice, zip_longest
from typing import Any, Callable, Dict, Iterable, Iterator, List, Mapping, Optional, Set

from ...runtime.child_processes import Frame, InvalidReport, Report, RunningInputRecord, Worker
from ...runtime.execution import PreparedTarget
from ...runtime.time_limits import CLOCK, TimeUp
from ..generation.call_scope import UnsatisfiableConstraint
from ..recipes import MOST_CHARACTERS
from . import hypothesis_draws
from .exploration_phases import ConfirmPhase, DrawPhase, ShrinkPhase
from .exploration_plan import HANG_GRACE, ExplorationPlan, parse_plan
from .hypothesis_draws import Budget, enable_hypothesis
from .input_runs import (
    DIED,
    FAILED,
    NOT_RUN,
    REFUSED,
    RETURNED,
    TIMED_OUT,
    VIOLATED,
    InputOutcome,
    Key,
    outcome_of_death,
    read_outcome,
)

_KINDS = frozenset((RETURNED, REFUSED, FAILED, VIOLATED, TIMED_OUT, NOT_RUN, DIED))
_TEXTS = ("exception", "message", "path", "function", "condition", "detail", "reason")
_WRONG = (ValueError, TypeError, KeyError, AttributeError, StopIteration, RecursionError)
_PARTS = {FAILED: 5, VIOLATED: 2, DIED: 2}


def read_report(line: bytes) -> Frame:
    """The report on a line; raises :class:`InvalidReport`."""
    try:
        frame = json.loads(line)
        kind = next(kind for kind in _CHECKS if kind in frame)
        _CHECKS[kind](frame)
    except _WRONG as error:
        raise InvalidReport(f"{type(error).__name__}: {error}"[:200]) from error
    return frame  # type: ignore[no-any-return]


def _expect(holds: object) -> None:
    if not holds:
        raise ValueError("not as reports are")


def _input(frame: Mapping[str, Any]) -> None:
    _arguments(frame["input"])
    _expect(frame["seed"] is None or type(frame["seed"]) is int)
    _outcome(frame)


def _outcome(frame: Mapping[str, Any]) -> None:
    outcome = frame["outcome"]
    kind, key, ending = outcome["kind"], outcome.get("key", []), outcome.get("ending")
    _expect(kind in _KINDS and type(key) is list and len(key) == _PARTS.get(kind, 0))
    _expect(all(type(each) in (str, int) for each in key))
    _expect(all(type(each) is int for each in outcome.get("hits", [])))
    if kind in (FAILED, VIOLATED, NOT_RUN):
        _expect(type(ending) is dict)
        _expect(all(type(ending[name]) is str for name in _TEXTS if name in ending))
    if kind == NOT_RUN:
        _expect("reason" in ending)


def _arguments(text: Any) -> None:
    arguments = json.loads(text)
    _expect(all(type(each) is dict and "kind" in each for each in arguments.values()))


def _smallest(frame: Mapping[str, Any]) -> None:
    _arguments(frame["smallest"])


def _health(frame: Mapping[str, Any]) -> None:
    health = frame["health"]
    counts = (frame["seed"], health["drawn"], health["rejected"], *health["by"].values())
    _expect(all(type(each) is int for each in counts))


def _unmet(frame: Mapping[str, Any]) -> None:
    _expect(all(type(frame["unmet"][name]) is str for name in ("annotation", "problem")))


def _obstacle(frame: Mapping[str, Any]) -> None:
    _expect(type(frame["obstacle"]) is str)


def _matters(frame: Mapping[str, Any]) -> None:
    _expect(type(frame["matters"]) is str)


_CHECKS: Mapping[str, Callable[[Mapping[str, Any]], None]] = {
    "input": _input,
    "outcome": _outcome,
    "smallest": _smallest,
    "health": _health,
    "unmet": _unmet,
    "obstacle": _obstacle,
    "matters": _matters,
}

MOST_FAILURES = 10
MOST_PASSING = 60
MOST_FAILING = 100
_MOST_HITS = 100_000
_LONGEST = 300
LONGEST_INPUT = 1 << 20
ExploredFrame = Dict[str, Any]


def is_reportable(arguments: Mapping[str, Mapping[str, Any]]) -> bool:
    """Return whether the host takes the recipes of an input: not those that are far too long."""
    made = [str(each.get("recipe")) for each in arguments.values() if each["kind"] == "made"]
    return all(len(recipe) <= MOST_CHARACTERS for recipe in made)


def _reported(texts: Iterable[str], most: int) -> List[Any]:
    found = (json.loads(text) for text in texts if len(text) <= LONGEST_INPUT)
    return list(islice((each for each in found if is_reportable(each)), most))


@dataclass
class SeenFailure:
    """A failure: the input that showed it first, and by which seed it was drawn."""

    text: str
    seed: Optional[int]
    outcome: InputOutcome
    count: int = 1


@dataclass
class ExplorationTally:
    """The outcomes of all inputs by their texts, and what they add up to."""

    known: Dict[str, InputOutcome] = field(default_factory=dict)
    failures: Dict[Key, SeenFailure] = field(default_factory=dict)
    hits: Set[int] = field(default_factory=set)
    reasons: Counter[str] = field(default_factory=Counter)
    limits: Set[str] = field(default_factory=set)
    notes: List[str] = field(default_factory=list)
    unmet: Optional[Mapping[str, str]] = None
    _health: Dict[int, Mapping[str, Any]] = field(default_factory=dict)

    def add(self, text: str, outcome: InputOutcome, seed: Optional[int]) -> None:
        """Count an input."""
        self.known[text] = outcome
        self.hits.update(outcome.hits)
        if outcome.kind == NOT_RUN and outcome.ending is not None:
            reason = outcome.ending["reason"][:_LONGEST]
            self.reasons[reason] += 1
            if outcome.ending.get("our_fault"):
                self.limits.add(reason)
        if outcome.is_failure:
            seen = self.failures.get(outcome.key)
            if seen is None:
                self.failures[outcome.key] = SeenFailure(text, seed, outcome)
            else:
                seen.count += 1

    def health(self, seed: int, found: Mapping[str, Any]) -> None:
        """Note what the drawing by a seed has cost so far."""
        self._health[seed] = found

    @property
    def drawn(self) -> int:
        """Return how many inputs were drawn, also those that no condition let through."""
        return sum(each["drawn"] for each in self._health.values())

    @property
    def rejected(self) -> int:
        """Return how many of these were drawn in vain."""
        return sum(each["rejected"] for each in self._health.values())

    def _turned_away(self) -> Counter[str]:
        found: Counter[str] = Counter()
        for each in self._health.values():
            found.update(each["by"])
        return found

    def count(self, kind: str) -> int:
        """Return how many inputs came to that."""
        return sum(outcome.kind == kind for outcome in self.known.values())

    def worst(self) -> List[SeenFailure]:
        """The failures to look at: those of other lines first, and the deaths before all."""
        deaths = [seen for seen in self.failures.values() if seen.outcome.kind == DIED]
        others = [seen for seen in self.failures.values() if seen.outcome.kind != DIED]
        lines: Dict[Key, SeenFailure] = {}
        for seen in others:
            key = seen.outcome.key
            lines.setdefault((key[2], key[4]) if len(key) > 4 else key, seen)
        again = [seen for seen in others if seen not in lines.values()]
        return [*deaths, *lines.values(), *again][:MOST_FAILURES]

    def passing(self) -> List[Any]:
        """Inputs that passed: those first that reached something new."""
        passed = [(text, o) for text, o in self.known.items() if o.kind == RETURNED]
        passed.sort(key=lambda item: not item[1].hits)
        return _reported((text for text, _ in passed), MOST_PASSING)

    def failing(self) -> List[Any]:
        """Inputs that failed or were refused: in turns of each kind, the shortest first."""
        kinds: Dict[Key, List[str]] = {}
        for text in sorted(self.known, key=len):
            outcome = self.known[text]
            if outcome.is_failure or outcome.kind == REFUSED:
                kinds.setdefault((outcome.kind, *outcome.key), []).append(text)
        turns = (text for turn in zip_longest(*kinds.values()) for text in turn if text is not None)
        return _reported(turns, MOST_FAILING)

    def obstacle(self) -> Optional[str]:
        """Return why nothing could be learnt of the code, where nothing could."""
        tried = self.count(RETURNED) + self.count(REFUSED) + self.count(TIMED_OUT)
        if tried or self.failures:
            return None
        if self.reasons:
            return self.reasons.most_common(1)[0][0]
        if self.drawn:
            worst = [condition for condition, _ in self._turned_away().most_common(1)]
            return f"no input was found that meets {''.join(worst) or 'the preconditions'}"
        return "no input was drawn"

    def frame(
        self, seconds: float, failures: List[ExploredFrame], obstacle: Optional[str]
    ) -> ExploredFrame:
        """The ``explored`` frame."""
        return {
            "type": "explored",
            "executions": len(self.known) - self.count(NOT_RUN),
            "passed": self.count(RETURNED),
            "refused": self.count(REFUSED),
            "rejected": self.rejected,
            "timed_out": self.count(TIMED_OUT),
            "seconds": round(seconds, 3),
            "failures": failures,
            "passing": self.passing(),
            "failing": self.failing(),
            "hits": sorted(self.hits)[:_MOST_HITS],
            "unmet": self.unmet,
            "obstacle": obstacle,
            "notes": [note[:_LONGEST] for note in (*self._said(), *self.notes)],
        }

    def _said(self) -> List[str]:
        found: List[str] = []
        if 2 * self.rejected > self.drawn:
            most = self._turned_away().most_common(3)
            by = ", ".join(f"{condition} ({count})" for condition, count in most)
            found.append(f"{self.rejected} of {self.drawn} inputs drawn were turned away by {by}")
        refused = self.count(REFUSED)
        if refused:
            found.append(f"{refused} of {len(self.known)} inputs were refused by the code itself")
        for reason, count in self.reasons.most_common(2):
            found.append(f"{count} inputs came to nothing: {reason}")
        return found


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
    return Worker(work, read_report, plan.timeout + HANG_GRACE, until)


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
    def __init__(self, plan: ExplorationPlan, tally: ExplorationTally, seen: SeenFailure) -> None:
        self._plan = plan
        self._tally = tally
        self._seen = seen
        self._texts = [seen.text]
        self._matters: List[str] = []

    def shrink(self, seconds: float) -> None:
        seen, budget = self._seen, Budget(seconds)
        work = ShrinkPhase(self._plan, self._tally.known, seen.text, seen.seed, budget)
        worker = _worker(work.work, self._plan, budget.until + LEAST_SHRINKING)
        for frame in worker.reports():
            if "smallest" in frame:
                self._texts.insert(0, frame["smallest"])
            else:
                self._matters.append(frame["matters"])

    def confirmed(self) -> Optional[Frame]:
        """Return the failure as a fresh process has it: of the smallest input, or the first."""
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
