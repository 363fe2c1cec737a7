"""Mutants of a model, looked for where the executions are furthest apart (LEMON, algorithm 1)."""

from __future__ import annotations

import random
import time
from contextlib import contextmanager
from dataclasses import dataclass, replace
from typing import Any, Collection, Dict, Generator, Iterator, List, Optional, Sequence, Tuple

from ...runtime import time_limits
from ..judging.execution_oracles import judge
from ..judging.isolated_runs import run_isolated
from ..model_types import RATIO, ExecutionOutcomes, ExecutionVerdict, ModelUnderTest, Mutation
from ..mutation.layered_model import with_functions_as_layers
from ..mutation.mutation_application import (
    SurveyedLayer,
    apply_mutation,
    apply_mutations,
    draw_mutation,
    survey_layers,
)
from ..mutation.mutation_grammar import RULES
from ..mutation.new_layers import MutationInapplicable
from .mutant_runs import Arguments, ModelMutant, MutantRunner, SearchPlan, accumulated, useless

CHANCE = 1 / len(RULES)
"""The success probability of the geometric distribution over the ranks of rules."""


def choose_seed(chosen: Sequence[int], rng: random.Random) -> int:
    """Return the index of a seed by roulette: a seed chosen c times weighs 1/(c+1)."""
    return rng.choices(range(len(chosen)), [1 / (count + 1) for count in chosen])[0]


class RuleChain:
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
        """Return the next rule."""
        rank = self._ranked.index(self._current)
        while True:
            index = self._rng.randrange(len(self._ranked))
            if self._rng.random() < min(1.0, (1 - CHANCE) ** (index - rank)):
                return self._ranked[index]

    def learned(self, rule: str, *, amplifies: bool) -> None:
        """Make a rule whose mutant was run the chain's state, and rank the rules anew."""
        self._current = rule
        self._chosen[rule] += 1
        self._amplified[rule] += amplifies
        self._ranked.sort(key=self.rate, reverse=True)

    def rate(self, rule: str) -> float:
        """Return the share of a rule's mutants that amplified; none at first."""
        return self._amplified[rule] / max(self._chosen[rule], 1)


_TIMES = 3


@contextmanager
def threads(model: ModelUnderTest) -> Generator[None, None, None]:
    """Set one thread, unless a call is clearly faster with as many as there were."""
    import torch

    before = torch.get_num_threads()
    try:
        many = _seconds(model)
        torch.set_num_threads(1)
        if many < 0.8 * _seconds(model):
            torch.set_num_threads(before)
        yield
    finally:
        torch.set_num_threads(before)


def _seconds(model: ModelUnderTest) -> float:
    taken = []
    for _ in range(_TIMES):
        start = time.perf_counter()
        survey_layers(model)
        taken.append(time.perf_counter() - start)
    return min(taken)


_TRIES = 20
"""Rules tried in vain for each mutant, after which the search ends."""


def search(
    model: ModelUnderTest,
    names: Sequence[str],
    plan: SearchPlan,
    inputs: Sequence[Arguments] = (),
    *,
    apart: bool = False,
) -> Iterator[ModelMutant]:
    """Yield mutants of a model as they are made and run, those that fail too.

    ``names`` are the executions beside eager and float64, ``inputs`` the arguments of further
    calls (the model's own come first).  The same model, names, inputs and plan give the
    same mutants, except where ``seconds`` end it.  Raises :class:`MutationInapplicable` where the
    model itself does not run.
    """
    given = [(model.inputs, model.keywords), *inputs]
    with threads(model):
        base = with_functions_as_layers(model)
        runner = MutantRunner(base, names, apart=apart)
        try:
            yield from _Search(base, runner, plan, given).mutants()
        finally:
            runner.close()


@dataclass
class _Seed:
    model: ModelUnderTest
    mutations: Tuple[Mutation, ...]
    inconsistency: float
    own: int = 0
    chosen: int = 0
    layers: Optional[List[SurveyedLayer]] = None

    def seen(self) -> List[SurveyedLayer]:
        if self.layers is None:
            self.layers = survey_layers(self.model)
        return self.layers


class _Search:
    def __init__(
        self,
        model: ModelUnderTest,
        runner: MutantRunner,
        plan: SearchPlan,
        given: Sequence[Arguments],
    ) -> None:
        self._plan = plan
        self._given = given
        self._rng = random.Random(plan.seed)
        self._rules = RuleChain(self._rng)
        self._runner = runner
        self._base = {id(each): each for each in model.module.parameters()}
        first = _Seed(model, (), 0.0)
        first.seen()
        outcomes = self._runner.outcomes(model, given)
        if not any(map(useless, outcomes)):
            first.inconsistency = accumulated(outcomes, plan.measure)
        self._initial = first.inconsistency
        self._seeds = [first]

    def mutants(self) -> Iterator[ModelMutant]:
        until = time_limits.now() + self._plan.seconds
        made = tried = 0
        while made < self._plan.mutants and tried < _TRIES * self._plan.mutants:
            if time_limits.now() >= until:
                return
            tried += 1
            mutant = self._next()
            if mutant is not None:
                made += 1
                yield mutant

    def _next(self) -> Optional[ModelMutant]:
        if self._plan.guided:
            seed = self._seeds[choose_seed([each.chosen for each in self._seeds], self._rng)]
            rule = self._rules.proposed()
        else:
            seed, rule = self._rng.choice(self._seeds), self._rng.choice(list(RULES))
        mutation = draw_mutation(seed.seen(), rule, self._rng)
        if mutation is None:
            return None
        try:
            made = apply_mutation(seed.model, mutation)
        except MutationInapplicable:
            return None
        mutant = self._run(made, seed, mutation)
        seed.chosen += 1
        self._rules.learned(rule, amplifies=mutant.amplifies)
        if not mutant.left_out and (mutant.amplifies or not self._plan.guided):
            self._keep(mutant)
        return mutant

    def _run(self, model: ModelUnderTest, seed: _Seed, mutation: Mutation) -> ModelMutant:
        mutations = (*seed.mutations, mutation)
        outcomes = self._runner.outcomes(model, self._given, mutations)
        problem = next(filter(None, map(useless, outcomes)), "")
        mutant = ModelMutant(
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

    def _keep(self, mutant: ModelMutant) -> None:
        if len(mutant.mutations) >= self._plan.order:
            return
        own = sum(
            int(each.numel() * each.element_size())
            for each in mutant.model.module.parameters()
            if id(each) not in self._base
        )
        self._seeds.append(_Seed(mutant.model, mutant.mutations, mutant.inconsistency, own))
        while self._is_full():
            mutants = self._seeds[1:]
            least = min(mutants, key=lambda seed: seed.inconsistency)
            self._seeds.remove(least if self._plan.guided else self._rng.choice(mutants))

    def _is_full(self) -> bool:
        own = sum(seed.own for seed in self._seeds)
        return len(self._seeds) > 1 and (
            len(self._seeds) > self._plan.seeds + 1 or own > self._plan.memory
        )


MOST = 4
Kind = Tuple[str, str]


class MutantSearch:
    """A search beside the executions ``names``; ``known`` departures of the model count no more."""

    def __init__(
        self, model: ModelUnderTest, names: Sequence[str], known: Collection[Kind]
    ) -> None:
        self._model = model
        self._names = names
        self._known = known
        self._found: Dict[
            Kind, Tuple[ExecutionVerdict, Tuple[Mutation, ...], ExecutionOutcomes, ModelUnderTest]
        ] = {}
        self.made = self.amplified = self.executions = 0
        self.apis: Dict[str, None] = {}

    def search(self, plan: SearchPlan, ratio: float = RATIO) -> None:
        """Look for mutants as the plan says; whatever it finds is kept."""
        try:
            for mutant in search(self._model, self._names, plan, apart=True):
                self._take(mutant, ratio)
                if len(self._found) >= MOST:
                    return
        except MutationInapplicable:
            return

    def found(
        self, until: float
    ) -> List[Tuple[ExecutionVerdict, Tuple[Mutation, ...], ExecutionOutcomes, ModelUnderTest]]:
        """Return what was found, each by the fewest mutations that show it, as far as time goes."""
        return [self._shrunk(kind, found, until) or found for kind, found in self._found.items()]

    def _take(self, mutant: ModelMutant, ratio: float) -> None:
        self.made += 1
        self.amplified += mutant.amplifies
        self.executions += sum(len(each) for each in mutant.outcomes)
        self.apis.update(dict.fromkeys(_kinds(mutant.model.module)))
        if mutant.left_out or not mutant.outcomes:
            return
        found = mutant.outcomes[0]
        for verdict in judge(mutant.model, found, ratio):
            kind = (verdict.rule, verdict.execution)
            if verdict.execution != "eager" and kind not in self._known:
                self._found.setdefault(kind, (verdict, mutant.mutations, found, mutant.model))

    def _shrunk(self, kind: Kind, found: Any, until: float) -> Optional[Any]:
        """Return the finding without the mutations that it does not need."""
        _, mutations, _, _ = found
        smaller: Optional[Any] = None
        place = 0
        while place < len(mutations) and len(mutations) > 1 and time_limits.now() < until:
            fewer = mutations[:place] + mutations[place + 1 :]
            again = self._again(kind, fewer)
            if again is None:
                place += 1
            else:
                smaller, mutations = again, fewer
        return smaller

    def _again(self, kind: Kind, mutations: Tuple[Mutation, ...]) -> Optional[Any]:
        try:
            mutant = apply_mutations(self._model, mutations)
        except MutationInapplicable:
            return None
        came_to = run_isolated(mutant, [kind[1]])
        self.executions += len(came_to)
        for verdict in judge(mutant, came_to):
            if (verdict.rule, verdict.execution) == kind:
                return verdict, mutations, came_to, mutant
        return None


def _kinds(module: Any) -> List[str]:
    kinds = {type(each) for each in module.modules()}
    return sorted(
        f"torch.nn.{each.__name__}" for each in kinds if each.__module__.startswith("torch.nn.")
    )
