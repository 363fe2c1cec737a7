"""Mutants of a model that depart where the model itself does not, with the fewest mutations."""

from __future__ import annotations

from typing import Any, Collection, Dict, List, Optional, Sequence, Tuple

from ...runtime import time_limits
from ..judging.execution_oracles import judge
from ..judging.isolated_runs import run_isolated
from ..model_types import RATIO, ExecutionOutcomes, ExecutionVerdict, ModelUnderTest, Mutation
from ..mutation.mutation_application import apply_mutations
from ..mutation.new_layers import MutationInapplicable
from .guided_search import search
from .inconsistency import ModelMutant, SearchPlan

MOST = 4
Kind = Tuple[str, str]


class MutantSearch:
    """A search for mutants of a model, beside the executions ``names``.

    ``known`` are rules and executions that the model itself departs by.  ``apis`` are the
    kinds of layers that the mutants have.
    """

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
        """What was found, each by the fewest mutations that show it, as far as time goes."""
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
        """The finding without the mutations that it does not need."""
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
    """The layers of torch's own in a module, by their public names."""
    kinds = {type(each) for each in module.modules()}
    return sorted(
        f"torch.nn.{each.__name__}" for each in kinds if each.__module__.startswith("torch.nn.")
    )
