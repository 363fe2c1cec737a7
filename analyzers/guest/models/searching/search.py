"""Mutants of a model, looked for where the executions are furthest apart (LEMON, algorithm 1)."""

from __future__ import annotations

import random
from dataclasses import dataclass, replace
from typing import Any, Iterator, List, Optional, Sequence, Tuple

from ... import worktime
from ..mutation.applying import applied
from ..mutation.crafting import Inapplicable
from ..mutation.fitting import candidate
from ..mutation.layering import layered
from ..mutation.rules import RULES
from ..mutation.surveying import Layer, surveyed
from ..nouns import Model, Mutation
from .choosing import Rules, spun
from .measuring import accumulated, useless
from .nouns import Mutant, Plan
from .running import Arguments, Runner
from .threads import threads

_TRIES = 20
"""Rules tried in vain for each mutant, after which the search ends."""


def search(
    model: Model,
    names: Sequence[str],
    plan: Plan,
    inputs: Sequence[Arguments] = (),
    *,
    apart: bool = False,
) -> Iterator[Mutant]:
    """Mutants of a model as they are made and run, those that fail too.

    ``names`` are the executions beside eager and float64, ``inputs`` the arguments of further
    calls (the model's own come first).  The same model, names, inputs and plan give the
    same mutants, except where ``seconds`` end it.  Raises :class:`Inapplicable` where the
    model itself does not run.
    """
    given = [(model.inputs, model.keywords), *inputs]
    with threads(model):
        base = layered(model)
        runner = Runner(base, names, apart=apart)
        try:
            yield from _Search(base, runner, plan, given).mutants()
        finally:
            runner.close()


@dataclass
class _Seed:
    """A model that may be mutated."""

    model: Model
    mutations: Tuple[Mutation, ...]
    inconsistency: float
    own: int = 0
    chosen: int = 0
    layers: Optional[List[Layer]] = None

    def seen(self) -> List[Layer]:
        """Its layers, surveyed once."""
        if self.layers is None:
            self.layers = surveyed(self.model)
        return self.layers


class _Search:
    def __init__(
        self, model: Model, runner: Runner, plan: Plan, given: Sequence[Arguments]
    ) -> None:
        self._plan = plan
        self._given = given
        self._rng = random.Random(plan.seed)
        self._rules = Rules(self._rng)
        self._runner = runner
        self._base = {id(each): each for each in model.module.parameters()}
        first = _Seed(model, (), 0.0)
        first.seen()
        outcomes = self._runner.outcomes(model, given)
        if not any(map(useless, outcomes)):
            first.inconsistency = accumulated(outcomes, plan.measure)
        self._initial = first.inconsistency
        self._seeds = [first]

    def mutants(self) -> Iterator[Mutant]:
        until = worktime.now() + self._plan.seconds
        made = tried = 0
        while made < self._plan.mutants and tried < _TRIES * self._plan.mutants:
            if worktime.now() >= until:
                return
            tried += 1
            mutant = self._next()
            if mutant is not None:
                made += 1
                yield mutant

    def _next(self) -> Optional[Mutant]:
        """A seed and a rule are chosen and tried; ``None`` where they do not fit."""
        seed = self._seed()
        rule = self._rules.proposed() if self._plan.guided else self._rng.choice(list(RULES))
        mutation = candidate(seed.seen(), rule, self._rng)
        if mutation is None:
            return None
        try:
            made = applied(seed.model, mutation)
        except Inapplicable:
            return None
        mutant = self._run(made, seed, mutation)
        seed.chosen += 1
        self._rules.learned(rule, amplifies=mutant.amplifies)
        if not mutant.left_out and (mutant.amplifies or not self._plan.guided):
            self._keep(mutant)
        return mutant

    def _seed(self) -> _Seed:
        if self._plan.guided:
            return self._seeds[spun([seed.chosen for seed in self._seeds], self._rng)]
        return self._rng.choice(self._seeds)

    def _run(self, model: Model, seed: _Seed, mutation: Mutation) -> Mutant:
        mutations = (*seed.mutations, mutation)
        outcomes = self._runner.outcomes(model, self._given, mutations)
        problem = next(filter(None, map(useless, outcomes)), "")
        mutant = Mutant(
            model,
            mutations,
            outcomes,
            before=seed.inconsistency,
            initial=self._initial,
            left_out=problem,
        )
        if problem:
            return mutant
        return replace(mutant, inconsistency=accumulated(outcomes, self._plan.measure))

    def _keep(self, mutant: Mutant) -> None:
        """The mutant is a seed from here on, where it may be mutated further."""
        if len(mutant.mutations) >= self._plan.order:
            return
        own = sum(_size(each) for each in _own(mutant.model, self._base))
        self._seeds.append(_Seed(mutant.model, mutant.mutations, mutant.inconsistency, own))
        while self._is_full():
            mutants = self._seeds[1:]
            self._seeds.remove(self._dropped(mutants))

    def _dropped(self, seeds: Sequence[_Seed]) -> _Seed:
        """The least inconsistent one where the search is guided, else any."""
        if self._plan.guided:
            return min(seeds, key=lambda seed: seed.inconsistency)
        return self._rng.choice(seeds)

    def _is_full(self) -> bool:
        own = sum(seed.own for seed in self._seeds)
        return len(self._seeds) > 1 and (
            len(self._seeds) > self._plan.seeds + 1 or own > self._plan.memory
        )


def _own(model: Model, base: Any) -> List[Any]:
    return [each for each in model.module.parameters() if id(each) not in base]


def _size(tensor: Any) -> int:
    return int(tensor.numel() * tensor.element_size())
