"""What has come of an exploration so far, and the frame that says so."""

from __future__ import annotations

import json
from collections import Counter
from dataclasses import dataclass, field
from itertools import islice
from typing import Any, Callable, Dict, List, Mapping, Optional, Set

from ...runtime.child_processes import Frame, InvalidReport
from ..recipes import MOST_CHARACTERS
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
)

_KINDS = frozenset((RETURNED, REFUSED, FAILED, VIOLATED, TIMED_OUT, NOT_RUN, DIED))
_TEXTS = ("exception", "message", "path", "function", "condition", "detail", "reason")
_WRONG = (ValueError, TypeError, KeyError, AttributeError, StopIteration, RecursionError)
_PARTS = {FAILED: 5, VIOLATED: 2, DIED: 2}


def read_report(line: bytes) -> Frame:
    """The report on a line; raises :class:`Garbled`."""
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
MOST_PASSING = 20
_MOST_HITS = 100_000
_LONGEST = 300
LONGEST_INPUT = 1 << 20
ExploredFrame = Dict[str, Any]


def is_reportable(arguments: Mapping[str, Mapping[str, Any]]) -> bool:
    """Whether the host takes the recipes of an input: not those that are far too long."""
    made = [str(each.get("recipe")) for each in arguments.values() if each["kind"] == "made"]
    return all(len(recipe) <= MOST_CHARACTERS for recipe in made)


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
        """How many inputs were drawn, also those that no condition let through."""
        return sum(each["drawn"] for each in self._health.values())

    @property
    def rejected(self) -> int:
        """How many of these were drawn in vain."""
        return sum(each["rejected"] for each in self._health.values())

    def _turned_away(self) -> Counter[str]:
        """How many each condition turned away."""
        found: Counter[str] = Counter()
        for each in self._health.values():
            found.update(each["by"])
        return found

    def count(self, kind: str) -> int:
        """How many inputs came to that."""
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
        told = (json.loads(text) for text, _ in passed if len(text) <= LONGEST_INPUT)
        return list(islice((each for each in told if is_reportable(each)), MOST_PASSING))

    def obstacle(self) -> Optional[str]:
        """Why nothing could be learnt of the code, where nothing could."""
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
            "hits": sorted(self.hits)[:_MOST_HITS],
            "unmet": self.unmet,
            "obstacle": obstacle,
            "notes": [note[:_LONGEST] for note in (*self._said(), *self.notes)],
        }

    def _said(self) -> List[str]:
        """The health of the drawing, in words."""
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
