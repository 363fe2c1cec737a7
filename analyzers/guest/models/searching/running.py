"""The executions of one mutant after another, where weights are widened once."""

from __future__ import annotations

from typing import Any, Callable, Dict, List, Mapping, Sequence, Tuple

from ..executions import EAGER, FLOAT64, array, execution_of, leaves, mapped
from ..executions.eager import seeded
from ..executions.float64 import widened, widening
from ..judging.outcomes import RETURNED, Prepared, quick
from ..mutation.copying import copied
from ..nouns import Model, Outcome, Outcomes

Arguments = Tuple[Tuple[Any, ...], Mapping[str, Any]]


class Runner:
    """Runs mutants of one model; those of its weights that they share are widened once.

    ``names`` are executions beside eager and float64.  ``apart`` gives those that run foreign
    native code a process for each mutant, as a crash of theirs would end this one.
    """

    def __init__(self, model: Model, names: Sequence[str], *, apart: bool) -> None:
        beside = [name for name in names if name not in (EAGER, FLOAT64)]
        self._far = [name for name in beside if apart and _is_foreign(name, model)]
        self._near = [EAGER, FLOAT64, *(name for name in beside if name not in self._far)]
        self._base = _floats(model.module)
        self._wide: Dict[int, Any] = {}

    def outcomes(self, model: Model, inputs: Sequence[Arguments]) -> Tuple[Outcomes, ...]:
        """What the executions of a mutant come to, for each of the arguments.

        Where eager does not return, the others are not run.
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
        if self._far:
            self._add_far(model, inputs, rows)
        return tuple(rows)

    def _add_far(self, model: Model, inputs: Sequence[Arguments], rows: List[Outcomes]) -> None:
        for name in self._far:
            with Prepared(model, [name]) as prepared:
                for row, given in zip(rows, inputs):
                    row[name] = prepared.outcomes(*given)[name]

    def _ran(self, name: str, model: Model, inputs: Sequence[Arguments]) -> List[Outcome]:
        """One execution; whatever it raises is told as the executions' own room tells it."""
        try:
            run = self._prepared(name, model)
            return [
                Outcome(RETURNED, tuple(map(array, leaves(run(*given, **keywords)))))
                for given, keywords in inputs
            ]
        except Exception:
            return [quick(_with(model, given), [name])[name] for given in inputs]

    def _prepared(self, name: str, model: Model) -> Callable[..., Any]:
        if name == FLOAT64 and model.framework == "torch":
            return self._widened(model)
        execution = execution_of(name, model)
        if execution.unavailable() is not None:
            raise LookupError(name)
        return execution.prepared(model)

    def _widened(self, model: Model) -> Callable[..., Any]:
        tensors = {key: self._wider(each) for key, each in _floats(model.module).items()}
        module = copied(model.module, {}, tensors)

        def call(*inputs: Any, **keywords: Any) -> Any:
            with seeded(), widening():
                return module(*mapped(inputs, widened), **mapped(keywords, widened))

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


def _is_foreign(name: str, model: Model) -> bool:
    return bool(getattr(execution_of(name, model), "foreign", False))


def _with(model: Model, given: Arguments) -> Model:
    return Model(model.module, given[0], given[1], model.framework)
