"""What a search is asked for, and what it gives."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Tuple

from ..nouns import Model, Mutation, Outcomes

ERROR, RATIO, D_MAD = "error", "ratio", "d_mad"


@dataclass(frozen=True)
class Plan:
    """How a search goes.

    It ends after ``mutants`` mutants or ``seconds``.  ``guided`` chooses seeds and rules by what
    amplified before, else both are drawn evenly from the start.  ``order`` is the most mutations
    that a mutant has, ``seeds`` how many mutants may be mutated further beside the model
    itself, ``memory`` the most bytes of weights that these may hold of their own.  ``measure``
    is how far executions are apart: ``error`` (their distance over the reference's size, in
    epsilons of float32), ``ratio`` (over eager's own error) or ``d_mad`` (the paper's).
    """

    mutants: int = 100
    seconds: float = 60.0
    seed: int = 0
    guided: bool = True
    order: int = 8
    seeds: int = 30
    memory: int = 2**28
    measure: str = RATIO


@dataclass(frozen=True)
class Mutant:
    """A mutant and what its executions came to.

    ``outcomes`` has one mapping for each input.  ``inconsistency`` is how far its executions
    are apart, summed over inputs and pairs; ``before`` that of the model it was made from,
    ``initial`` that of the unmutated model.  ``left_out`` says why nothing is to be
    learned from it (it fails, or all that it gives is NaN), else is empty.
    """

    model: Model
    mutations: Tuple[Mutation, ...]
    outcomes: Tuple[Outcomes, ...]
    inconsistency: float = 0.0
    before: float = 0.0
    initial: float = 0.0
    left_out: str = ""

    @property
    def amplifies(self) -> bool:
        """Whether its executions are further apart than those of what it was made from."""
        return not self.left_out and self.inconsistency > self.before
