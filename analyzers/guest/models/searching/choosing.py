"""Which seed and which rule come next (LEMON, section 3.2)."""

from __future__ import annotations

import random
from typing import Dict, List, Sequence

from ..mutation.rules import RULES

CHANCE = 1 / len(RULES)
"""The success probability of the geometric distribution over the ranks of rules."""


def spun(chosen: Sequence[int], rng: random.Random) -> int:
    """The index of a seed by roulette: each weighs 1/(c+1), c how often it was chosen before."""
    return rng.choices(range(len(chosen)), [1 / (count + 1) for count in chosen])[0]


class Rules:
    """A Markov chain over the rules, in the order of how often their mutants amplified.

    The proposal is even; a rule of rank b after one of rank a is accepted with
    probability (1-p)^(b-a), at most 1, as Metropolis and Hastings have it for the geometric
    distribution; as in the paper's algorithm, proposals go on until one is accepted.
    """

    def __init__(self, rng: random.Random) -> None:
        self._rng = rng
        self._ranked: List[str] = rng.sample(list(RULES), len(RULES))
        self._chosen: Dict[str, int] = dict.fromkeys(RULES, 0)
        self._amplified: Dict[str, int] = dict.fromkeys(RULES, 0)
        self._current = rng.choice(self._ranked)

    def proposed(self) -> str:
        """The next rule."""
        rank = self._ranked.index(self._current)
        while True:
            index = self._rng.randrange(len(self._ranked))
            if self._rng.random() < min(1.0, (1 - CHANCE) ** (index - rank)):
                return self._ranked[index]

    def learned(self, rule: str, *, amplifies: bool) -> None:
        """A mutant of the rule was run: it is the chain's state now, and its rank may change."""
        self._current = rule
        self._chosen[rule] += 1
        self._amplified[rule] += amplifies
        self._ranked.sort(key=self.rate, reverse=True)

    def rate(self, rule: str) -> float:
        """The share of a rule's mutants that amplified; none at first."""
        return self._amplified[rule] / max(self._chosen[rule], 1)
