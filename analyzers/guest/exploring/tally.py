"""What has come of an exploration so far, and the frame that says so."""

from __future__ import annotations

import json
from collections import Counter
from dataclasses import dataclass, field
from itertools import islice
from typing import Any, Dict, List, Mapping, Optional, Set

from ..generation.recipes import MOST_CHARACTERS
from .outcomes import DIED, NOT_RUN, REFUSED, RETURNED, TIMED_OUT, Key, Outcome

MOST_FAILURES = 10
MOST_PASSING = 20
_MOST_HITS = 100_000
_LONGEST = 300
LONGEST_INPUT = 1 << 20
Frame = Dict[str, Any]


def can_be_told(arguments: Mapping[str, Mapping[str, Any]]) -> bool:
    """Whether the host takes the recipes of an input: not those that are far too long."""
    made = [str(each.get("recipe")) for each in arguments.values() if each["kind"] == "made"]
    return all(len(recipe) <= MOST_CHARACTERS for recipe in made)


@dataclass
class Seen:
    """A failure: the input that showed it first, and by which seed it was drawn."""

    text: str
    seed: Optional[int]
    outcome: Outcome
    count: int = 1


@dataclass
class Tally:
    """The outcomes of all inputs by their texts, and what they add up to."""

    known: Dict[str, Outcome] = field(default_factory=dict)
    failures: Dict[Key, Seen] = field(default_factory=dict)
    hits: Set[int] = field(default_factory=set)
    reasons: Counter[str] = field(default_factory=Counter)
    limits: Set[str] = field(default_factory=set)
    notes: List[str] = field(default_factory=list)
    unmet: Optional[Mapping[str, str]] = None
    _health: Dict[int, Mapping[str, Any]] = field(default_factory=dict)

    def add(self, text: str, outcome: Outcome, seed: Optional[int]) -> None:
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
                self.failures[outcome.key] = Seen(text, seed, outcome)
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

    def worst(self) -> List[Seen]:
        """The failures to look at: those of other lines first, and the deaths before all."""
        deaths = [seen for seen in self.failures.values() if seen.outcome.kind == DIED]
        others = [seen for seen in self.failures.values() if seen.outcome.kind != DIED]
        lines: Dict[Key, Seen] = {}
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
        return list(islice((each for each in told if can_be_told(each)), MOST_PASSING))

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

    def frame(self, seconds: float, failures: List[Frame], obstacle: Optional[str]) -> Frame:
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
