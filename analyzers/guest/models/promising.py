"""The words ``executes``, ``trains`` and ``settles``: what is promised of a call's model."""

from __future__ import annotations

from typing import Any, List, Optional, Tuple

from ..arguments import Unusable, made
from ..exploring.called import Called
from ..limits import CLOCK
from .nouns import CRASH, DIVERGENCE, GRADIENT, NON_FINITE, NOT_COMPILED, RATIO, Model, Verdict

RULES = (DIVERGENCE, NON_FINITE, CRASH, NOT_COMPILED, GRADIENT)


def problem(
    called: Called,
    rule: str,
    execution: str,
    inputs: str = "",
    mutations: str = "",
    other: str = "",
) -> Optional[str]:
    """What an oracle says of the call's model on an execution; ``None`` where it is content.

    ``inputs`` is the recipe of a tuple, given where the call is not of the model itself;
    ``other`` the name of a change of them that the execution is run on, as it was prepared.
    Raises ``Unusable`` for what is no model, and for words that are not known.
    """
    from .executions import EXECUTIONS

    if rule not in RULES or execution not in EXECUTIONS:
        raise Unusable(f"no oracle {rule!r} of an execution {execution!r} is known")
    model = model_of(called, inputs)
    if mutations:
        model = _mutant(model, mutations)
    if other:
        return _branch(model, rule, execution, other)
    found = (v.detail for v in _verdicts(model, rule, execution) if v.execution == execution)
    return next(found, None)


def _branch(model: Model, rule: str, execution: str, other: str) -> Optional[str]:
    """What is said of a branch that shows on changed inputs, where these agree as they are."""
    from .changes import CHANGES
    from .judging import Prepared, judge
    from .judging.branches import baked

    if rule != DIVERGENCE or other not in CHANGES:
        raise Unusable(f"no other inputs {other!r} are known to the oracle {rule!r}")
    with Prepared(model, [execution]) as prepared:
        found = prepared.outcomes(model.inputs, model.keywords)
        if found[execution].status != "returned" or judge(model, found, RATIO):
            return None
        branch = baked(prepared, model, execution, [other])
    return None if branch is None else branch.verdict.detail


def _verdicts(model: Model, rule: str, execution: str) -> List[Verdict]:
    """What the oracle of a rule says of executions of a model."""
    if rule == GRADIENT:
        from .gradients import derived

        return [each.verdict for each in derived(model, [execution], RATIO)]
    from .judging import judge, outcomes

    return [v for v in judge(model, outcomes(model, [execution]), RATIO) if v.rule == rule]


def _mutant(model: Model, mutations: str) -> Model:
    from .mutation.applying import mutated
    from .mutation.crafting import Inapplicable
    from .mutation.spelling import Malformed, parsed

    try:
        return mutated(model, parsed(mutations))
    except (Inapplicable, Malformed) as reason:
        raise Unusable(f"the mutations do not fit the model: {reason}") from reason


def untrained(called: Called, steps: int, inputs: str = "") -> Optional[str]:
    """What becomes infinite or undefined in so many steps of training the call's model."""
    from .training import untrained as problem_of

    return problem_of(model_of(called, inputs), steps)


def unsettled(called: Called, times: int) -> Optional[str]:
    """What grows over so many repetitions of the call; they count for no limit of its own."""
    from .growing import unsettled as problem_of

    with CLOCK.paused():
        return problem_of(called.again, times)


def model_of(called: Called, inputs: str = "") -> Model:
    """The model that a call is of, with what it is called with; raises ``Unusable``.

    ``inputs`` is the recipe of a tuple that takes the place of the call's arguments.
    """
    from . import building

    if inputs:
        return fed(called, _given(inputs, called))
    try:
        return building.model_of(called.instance, called.result, called.args, called.kwargs)
    except building.NoModel as reason:
        raise Unusable(str(reason)) from reason


def fed(called: Called, values: Tuple[Any, ...]) -> Model:
    """The model of a call with other inputs than the call's; raises ``Unusable``."""
    from . import building

    own = building.framework_of(called.instance) is not None
    module = called.instance if own else building.module_in(called.result)
    if module is None:
        raise Unusable("the call neither is of a model nor gives one")
    try:
        return building.prepared(module, values)
    except building.NoModel as reason:
        raise Unusable(str(reason)) from reason


def _given(inputs: str, called: Called) -> Tuple[Any, ...]:
    """The values of the recipe of a tuple."""
    values = made("inputs", inputs, called.namespace)
    return values if isinstance(values, tuple) else (values,)
