"""The executions of one mutant after another, where weights are widened once."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import combinations
from typing import Any, Callable, Dict, List, Mapping, Optional, Sequence, Tuple

from ..executions.execution_registry import EAGER, FLOAT64, execution_of
from ..executions.tensor_trees import as_numpy, map_tensors, tensor_leaves
from ..executions.torch_executions import run_seeded, widened, widening
from ..judging.error_measures import d_mad, error, scale
from ..judging.isolated_runs import RETURNED, SECONDS, IsolatedExecution, run_in_process
from ..model_types import ExecutionOutcome, ExecutionOutcomes, ModelUnderTest, Mutation
from ..mutation.layered_model import copy_sharing_tensors
from ..mutation.mutation_application import apply_mutation

ERROR, RATIO, D_MAD = "error", "ratio", "d_mad"


@dataclass(frozen=True)
class SearchPlan:
    """Bounds and strategy of a search.

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
class ModelMutant:
    """A mutant and what its executions came to.

    ``outcomes`` has one mapping for each input.  ``inconsistency`` is how far its executions
    are apart, summed over inputs and pairs; ``before`` that of the model it was made from,
    ``initial`` that of the unmutated model.  ``left_out`` says why nothing is to be
    learned from it (it fails, or all that it gives is NaN), else is empty.
    """

    model: ModelUnderTest
    mutations: Tuple[Mutation, ...]
    outcomes: Tuple[ExecutionOutcomes, ...]
    inconsistency: float = 0.0
    before: float = 0.0
    initial: float = 0.0
    left_out: str = ""

    @property
    def amplifies(self) -> bool:
        """Return whether its executions are further apart than those of what it was made from."""
        return not self.left_out and self.inconsistency > self.before


_EPS = 2.0**-23
_HUGE = 1e30
_TINY = 1e-30

Distance = Callable[[Any, Any, Any, Any], float]


def accumulated(outcomes: Sequence[ExecutionOutcomes], measure: str) -> float:
    """Return the sum of distances of all pairs of executions that returned."""
    return sum(_apart(each, _DISTANCES[measure]) for each in outcomes)


def _apart(outcomes: ExecutionOutcomes, distance: Distance) -> float:
    reference = outcomes[FLOAT64].outputs
    eager = outcomes[EAGER].outputs
    shapes = [each.shape for each in reference]
    alike = [
        each.outputs
        for each in outcomes.values()
        if each.status == "returned" and [one.shape for one in each.outputs] == shapes
    ]
    return sum(
        distance(one[index], other[index], expected, eager[index])
        for index, expected in enumerate(reference)
        if expected.dtype.kind == "f" and expected.size
        for one, other in combinations(alike, 2)
    )


_DISTANCES: Mapping[str, Distance] = {
    ERROR: lambda one, other, expected, _eager: (
        error(one, other) / max(scale(expected) * _EPS, _TINY)
    ),
    RATIO: lambda one, other, expected, eager: (
        error(one, other) / max(error(eager, expected), scale(expected) * _EPS, _TINY)
    ),
    D_MAD: lambda one, other, expected, _eager: d_mad(one, other, expected),
}


def useless(outcomes: ExecutionOutcomes) -> Optional[str]:
    """Return why nothing is to be learned from a mutant's outcomes; ``None`` where something is."""
    import numpy

    for name in (EAGER, FLOAT64):
        if outcomes[name].status != "returned":
            return f"{name} {outcomes[name].status}: {outcomes[name].detail}"
    floats = [each for each in outcomes[FLOAT64].outputs if each.dtype.kind == "f" and each.size]
    if not floats:
        return "it gives no float"
    if not any(numpy.isfinite(each).any() for each in floats):
        return "all that it gives is NaN or infinite"
    if max(map(scale, floats)) > _HUGE:
        return "what it gives is out of float32's range"
    return None


Arguments = Tuple[Tuple[Any, ...], Mapping[str, Any]]


class MutantRunner:
    """Runner of one model's mutants; weights that they share are widened once.

    ``names`` are executions beside eager and float64.  ``apart`` gives each of those that run
    foreign native code a process, as a crash of theirs would end this one.  ``model`` is
    :func:`with_functions_as_layers`: mutants are made there again.
    """

    def __init__(self, model: ModelUnderTest, names: Sequence[str], *, apart: bool) -> None:
        self._model = model
        self._processes: Dict[str, IsolatedExecution] = {}
        beside = [name for name in names if name not in (EAGER, FLOAT64)]
        self._far = [
            name
            for name in beside
            if apart and bool(getattr(execution_of(name, model), "foreign", False))
        ]
        self._near = [EAGER, FLOAT64, *(name for name in beside if name not in self._far)]
        self._base = _floats(model.module)
        self._wide: Dict[int, Any] = {}

    def outcomes(
        self, model: ModelUnderTest, inputs: Sequence[Arguments], mutations: Sequence[Mutation] = ()
    ) -> Tuple[ExecutionOutcomes, ...]:
        """Return what executions of a mutant come to for each input; only eager where it fails."""
        first = self._ran(EAGER, model, inputs)
        if any(outcome.status != RETURNED for outcome in first):
            return tuple({EAGER: outcome, FLOAT64: outcome} for outcome in first)
        columns = {EAGER: first}
        for name in self._near[1:]:
            columns[name] = self._ran(name, model, inputs)
        for name in self._far:
            columns[name] = self._asked(name, mutations, inputs)
        return tuple(dict(zip(columns, row)) for row in zip(*columns.values()))

    def close(self) -> None:
        """End the processes."""
        for process in self._processes.values():
            process.close()
        self._processes.clear()

    def _asked(
        self, name: str, mutations: Sequence[Mutation], inputs: Sequence[Arguments]
    ) -> List[ExecutionOutcome]:
        if name not in self._processes:
            execution = execution_of(name, self._model)
            warm = getattr(execution, "warm", None)
            if warm is not None and execution.unavailable() is None:
                warm()
            longest = max(SECONDS, getattr(execution, "seconds", 0.0))
            self._processes[name] = IsolatedExecution(lambda: self._answering(name), longest)
        answer: Any = self._processes[name].ask((list(mutations), list(inputs)), {})
        if isinstance(answer, ExecutionOutcome):
            self._processes.pop(name).close()
            return [answer] * len(inputs)
        return list(answer)

    def _answering(self, name: str) -> Any:
        def answer(asked: Tuple[Any, ...], _keywords: Mapping[str, Any]) -> List[ExecutionOutcome]:
            mutations, inputs = asked
            mutant = self._model
            for mutation in mutations:
                mutant = apply_mutation(mutant, mutation)
            return self._ran(name, mutant, inputs)

        return answer

    def _ran(
        self, name: str, model: ModelUnderTest, inputs: Sequence[Arguments]
    ) -> List[ExecutionOutcome]:
        try:
            run = self._prepared(name, model)
            return [
                ExecutionOutcome(
                    RETURNED, tuple(map(as_numpy, tensor_leaves(run(*given, **keywords))))
                )
                for given, keywords in inputs
            ]
        except Exception:
            return [run_in_process(_with(model, given), [name])[name] for given in inputs]

    def _prepared(self, name: str, model: ModelUnderTest) -> Callable[..., Any]:
        if name == FLOAT64 and model.framework == "torch":
            return self._widened(model)
        execution = execution_of(name, model)
        if execution.unavailable() is not None:
            raise LookupError(name)
        return execution.prepared(model)

    def _widened(self, model: ModelUnderTest) -> Callable[..., Any]:
        tensors = {key: self._wider(each) for key, each in _floats(model.module).items()}
        module = copy_sharing_tensors(model.module, {}, tensors)

        def call(*inputs: Any, **keywords: Any) -> Any:
            with run_seeded(), widening():
                return module(*map_tensors(inputs, widened), **map_tensors(keywords, widened))

        return call

    def _wider(self, tensor: Any) -> Any:
        """Return a weight in double precision: kept where it is the unmutated model's own."""
        import torch

        found = self._wide.get(id(tensor))
        if found is None:
            found = widened(tensor)
            if isinstance(tensor, torch.nn.Parameter):
                found = torch.nn.Parameter(found, requires_grad=tensor.requires_grad)
            if id(tensor) in self._base:
                self._wide[id(tensor)] = found
        return found


def _floats(module: Any) -> Dict[int, Any]:
    tensors = [*module.parameters(), *module.buffers()]
    return {id(each): each for each in tensors if each.is_floating_point() or each.is_complex()}


def _with(model: ModelUnderTest, given: Arguments) -> ModelUnderTest:
    return ModelUnderTest(model.module, given[0], given[1], model.framework)
