"""The words ``executes``, ``trains`` and ``settles``: what is promised of a call's model."""

from __future__ import annotations

from typing import Any, Optional, Tuple

from ..arguments import Unusable, made
from ..exploring.called import Called
from ..limits import CLOCK
from .nouns import CRASH, DIVERGENCE, NON_FINITE, NOT_COMPILED, RATIO, Model

RULES = (DIVERGENCE, NON_FINITE, CRASH, NOT_COMPILED)


def problem(
    called: Called, rule: str, execution: str, inputs: str = "", mutations: str = ""
) -> Optional[str]:
    """What an oracle says of the call's model on an execution; ``None`` where it is content.

    ``inputs`` is the recipe of a tuple, given where the call is not of the model itself.
    Raises ``Unusable`` for what is no model, and for words that are not known.
    """
    from .executions import EXECUTIONS
    from .judging import judge, outcomes

    if rule not in RULES or execution not in EXECUTIONS:
        raise Unusable(f"no oracle {rule!r} of an execution {execution!r} is known")
    model = model_of(called, inputs)
    if mutations:
        from .mutation import mutated, parsed

        model = mutated(model, parsed(mutations))
    verdicts = judge(model, outcomes(model, [execution]), RATIO)
    found = [each for each in verdicts if (each.rule, each.execution) == (rule, execution)]
    return found[0].detail if found else None


def untrained(called: Called, steps: int) -> Optional[str]:
    """What becomes infinite or undefined in so many steps of training the call's model."""
    from .training import untrained as problem_of

    return problem_of(model_of(called), steps)


def unsettled(called: Called, times: int) -> Optional[str]:
    """What grows over so many repetitions of the call; they count for no limit of its own."""
    from .growing import unsettled as problem_of

    with CLOCK.paused():
        return problem_of(called.again, times)


def model_of(called: Called, inputs: str = "") -> Model:
    """The model that a call is of, in evaluation mode, with what it is called with."""
    for module, own in ((called.instance, True), (called.result, False)):
        framework = framework_of(module)
        if framework is not None:
            values, keywords = (called.args, called.kwargs) if own else ((), {})
            if inputs:
                values, keywords = _given(inputs, called), {}
            return Model(evaluating(module), tuple(values), dict(keywords), framework)
    raise Unusable("the call neither is of a model nor gives one")


def framework_of(module: Any) -> Optional[str]:
    """``torch`` or ``keras`` for a model, by the classes that it is of."""
    names = {f"{each.__module__}.{each.__qualname__}" for each in type(module).__mro__}
    if "torch.nn.modules.module.Module" in names:
        keras = any(name.startswith("keras.") for name in names)
        return "keras" if keras else "torch"
    return "keras" if any(name.startswith("keras.src.models.model.") for name in names) else None


def evaluating(module: Any) -> Any:
    """The module, in evaluation mode where it has one."""
    return module.eval() if hasattr(module, "eval") else module


def _given(inputs: str, called: Called) -> Tuple[Any, ...]:
    """The values of the recipe of a tuple."""
    values = made("inputs", inputs, called.namespace)
    return values if isinstance(values, tuple) else (values,)
