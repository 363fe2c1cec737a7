"""The executions of one mutant after another, where weights are widened once."""

from __future__ import annotations

from typing import Any, Callable, Dict, List, Mapping, Sequence, Tuple

from ..executions.execution_registry import EAGER, FLOAT64, execution_of
from ..executions.tensor_trees import as_numpy, map_tensors, tensor_leaves
from ..executions.torch_precisions import run_seeded, widened, widening
from ..judging.isolated_runs import RETURNED, SECONDS, IsolatedExecution, run_in_process
from ..model_types import ExecutionOutcome, ExecutionOutcomes, ModelUnderTest, Mutation
from ..mutation.layered_model import copy_sharing_tensors
from ..mutation.mutation_application import apply_mutation

Arguments = Tuple[Tuple[Any, ...], Mapping[str, Any]]


class MutantRunner:
    """Runs mutants of one model; those of its weights that they share are widened once.

    ``names`` are executions beside eager and float64.  ``apart`` gives each of those that run
    foreign native code a process, as a crash of theirs would end this one.  ``model`` is
    :func:`~..mutation.layering.layered`: mutants are made there again.
    """

    def __init__(self, model: ModelUnderTest, names: Sequence[str], *, apart: bool) -> None:
        self._model = model
        self._processes: Dict[str, IsolatedExecution] = {}
        beside = [name for name in names if name not in (EAGER, FLOAT64)]
        self._far = [name for name in beside if apart and _is_foreign(name, model)]
        self._near = [EAGER, FLOAT64, *(name for name in beside if name not in self._far)]
        self._base = _floats(model.module)
        self._wide: Dict[int, Any] = {}

    def outcomes(
        self, model: ModelUnderTest, inputs: Sequence[Arguments], mutations: Sequence[Mutation] = ()
    ) -> Tuple[ExecutionOutcomes, ...]:
        """What the executions of a mutant come to, for each of the arguments.

        ``mutations`` made ``model`` of the unmutated one.  Where eager does not return, the
        others are not run.
        """
        first = self._ran(EAGER, model, inputs)
        if any(outcome.status != RETURNED for outcome in first):
            return tuple({EAGER: outcome, FLOAT64: outcome} for outcome in first)
        columns = {EAGER: first}
        for name in self._near[1:]:
            columns[name] = self._ran(name, model, inputs)
        rows = [
            {name: column[index] for name, column in columns.items()}
            for index in range(len(inputs))
        ]
        for name in self._far:
            for row, outcome in zip(rows, self._asked(name, mutations, inputs)):
                row[name] = outcome
        return tuple(rows)

    def close(self) -> None:
        """End the processes."""
        for process in self._processes.values():
            process.close()
        self._processes.clear()

    def _asked(
        self, name: str, mutations: Sequence[Mutation], inputs: Sequence[Arguments]
    ) -> List[ExecutionOutcome]:
        """An execution's process makes the mutant and runs it; one that ends gets a successor."""
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
        """One execution; whatever it raises is told as the executions' own room tells it."""
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
        """A weight in double precision: kept where it is the unmutated model's own."""
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


def _is_foreign(name: str, model: ModelUnderTest) -> bool:
    return bool(getattr(execution_of(name, model), "foreign", False))


def _with(model: ModelUnderTest, given: Arguments) -> ModelUnderTest:
    return ModelUnderTest(model.module, given[0], given[1], model.framework)
