"""What the executions of a model come to, each guarded from the others."""

from __future__ import annotations

from contextlib import suppress
from types import TracebackType
from typing import Any, Callable, Dict, Mapping, Optional, Sequence, Tuple, Type

from ... import deaths
from ..executions import EAGER, FLOAT64, array, execution_of, leaves
from ..executions.refusals import refused, said
from ..nouns import Execution, Model, Outcome, Outcomes, Uncompiled, Unsupported
from .apart import Answering, Apart

RETURNED, RAISED, DIED = "returned", "raised", "died"
UNSUPPORTED, UNCOMPILED = "unsupported", "uncompiled"
SECONDS = 60.0


def outcomes(model: Model, names: Sequence[str], seconds: float = SECONDS) -> Outcomes:
    """What ``eager``, ``float64`` and the executions of these names give for a model's inputs.

    Executions that run foreign native code are forked, may crash, and have ``seconds`` each,
    or what they say that they need.
    An execution that is not available is ``unsupported``.  Raises ``KeyError`` for an unknown
    name.
    """
    with Prepared(model, names, seconds) as prepared:
        return prepared.outcomes(model.inputs, model.keywords)


def quick(model: Model, names: Sequence[str]) -> Outcomes:
    """The same in this process, whatever the executions run: fast, and guarded from errors only."""
    wanted = _wanted(names)
    return {
        name: _answering(execution_of(name, model), model)(model.inputs, model.keywords)
        for name in wanted
    }


class Prepared:
    """A model, prepared for several executions, that is run on one input after another."""

    def __init__(self, model: Model, names: Sequence[str], seconds: float = SECONDS) -> None:
        self._apart: Dict[str, Apart] = {}
        self._answering: Dict[str, Answering] = {}
        _materialise(model)
        for name in _wanted(names):
            execution = execution_of(name, model)
            if getattr(execution, "foreign", False) and execution.unavailable() is None:
                _warm(execution)
                longest = max(seconds, getattr(execution, "seconds", 0.0))
                self._apart[name] = Apart(_later(execution, model), longest)
                self._answering[name] = self._apart[name].ask
            else:
                self._answering[name] = _answering(execution, model)

    def outcomes(self, inputs: Tuple[Any, ...], keywords: Mapping[str, Any]) -> Outcomes:
        """What the executions come to on these arguments."""
        return {name: answer(inputs, keywords) for name, answer in self._answering.items()}

    def close(self) -> None:
        """End the processes."""
        for each in self._apart.values():
            each.close()

    def __enter__(self) -> Prepared:
        """Itself."""
        return self

    def __exit__(
        self,
        kind: Optional[Type[BaseException]],
        error: Optional[BaseException],
        trace: Optional[TracebackType],
    ) -> None:
        """End the processes."""
        self.close()


def _wanted(names: Sequence[str]) -> Sequence[str]:
    return list(dict.fromkeys((EAGER, FLOAT64, *names)))


def _materialise(model: Model) -> None:
    """Lazy layers take their sizes from the first call, before anything is exported."""
    from torch.nn.parameter import is_lazy

    tensors = () if model.framework != "torch" else model.module.parameters()
    if any(map(is_lazy, tensors)):
        _answering(execution_of(EAGER, model), model)(model.inputs, model.keywords)


def _warm(execution: Execution) -> None:
    """Load what an execution needs before the fork; what fails here fails there, and is told."""
    warm = getattr(execution, "warm", None)
    if warm is not None:
        with suppress(Exception):
            warm()


def _later(execution: Execution, model: Model) -> Callable[[], Answering]:
    return lambda: _answering(execution, model)


def _answering(execution: Execution, model: Model) -> Answering:
    """An execution of a model as a function of arguments; where it cannot be prepared, says so."""
    reason = execution.unavailable()
    if reason is not None:
        return _always(Outcome(UNSUPPORTED, detail=reason))
    try:
        run = execution.prepared(model)
    except Exception as error:
        return _always(_failed(error))
    return lambda inputs, keywords: _outcome(run, inputs, keywords)


def _always(outcome: Outcome) -> Answering:
    def answer(_inputs: Tuple[Any, ...], _keywords: Mapping[str, Any]) -> Outcome:
        return outcome

    return answer


def _outcome(
    run: Callable[..., Any], inputs: Tuple[Any, ...], keywords: Mapping[str, Any]
) -> Outcome:
    try:
        return Outcome(RETURNED, tuple(array(each) for each in leaves(run(*inputs, **keywords))))
    except Exception as error:
        return _failed(error)


def _failed(error: Exception) -> Outcome:
    if isinstance(error, Uncompiled):
        return Outcome(UNCOMPILED, detail=str(error))
    if isinstance(error, Unsupported):
        return Outcome(UNSUPPORTED, detail=str(error))
    if deaths.is_limit(error):
        return Outcome("timed-out", detail=deaths.MEMORY)
    reason = refused(error)
    return Outcome(RAISED if reason is None else UNSUPPORTED, detail=reason or said(error))
