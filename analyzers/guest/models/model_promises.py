"""The words ``executes``, ``trains`` and ``settles``: what is promised of a call's model."""

from __future__ import annotations

from typing import Any, List, Optional, Tuple

from ..inputs.exploration.postconditions import CompletedCall
from ..protocol.argument_decoding import Unusable, evaluate_recipe
from ..runtime.time_limits import CLOCK
from .model_types import (
    CRASH,
    DIVERGENCE,
    GRADIENT,
    NON_FINITE,
    NOT_COMPILED,
    RATIO,
    ExecutionVerdict,
    ModelUnderTest,
)

RULES = (DIVERGENCE, NON_FINITE, CRASH, NOT_COMPILED, GRADIENT)


def execution_problem(
    called: CompletedCall,
    rule: str,
    execution: str,
    inputs: str = "",
    mutations: str = "",
    other: str = "",
) -> Optional[str]:
    """Return what an oracle says of the call's model on an execution; ``None`` where it is content.

    ``inputs`` is the recipe of a tuple, given where the call is not of the model itself;
    ``other`` the name of a change of them that the execution is run on, as it was prepared.
    Raises ``Unusable`` for what is no model, and for words that are not known.
    """
    from .executions.execution_registry import EXECUTIONS

    if rule not in RULES or execution not in EXECUTIONS:
        raise Unusable(f"no oracle {rule!r} of an execution {execution!r} is known")
    model = model_of(called, inputs)
    if mutations:
        model = _mutant(model, mutations)
    if other:
        return _branch(model, rule, execution, other)
    found = (v.detail for v in _verdicts(model, rule, execution) if v.execution == execution)
    return next(found, None)


def _branch(model: ModelUnderTest, rule: str, execution: str, other: str) -> Optional[str]:
    """Return the problem of a branch on changed inputs, where the inputs as they are agree."""
    from .judging.execution_oracles import judge
    from .judging.export_branches import CHANGES, baked_branch
    from .judging.isolated_runs import PreparedModel

    if rule != DIVERGENCE or other not in CHANGES:
        raise Unusable(f"no other inputs {other!r} are known to the oracle {rule!r}")
    with PreparedModel(model, [execution]) as prepared:
        found = prepared.outcomes(model.inputs, model.keywords)
        if found[execution].status != "returned" or judge(model, found, RATIO):
            return None
        branch = baked_branch(prepared, model, execution, [other])
    return None if branch is None else branch.verdict.detail


def _verdicts(model: ModelUnderTest, rule: str, execution: str) -> List[ExecutionVerdict]:
    if rule == GRADIENT:
        from .gradients import gradient_departures

        return [each.verdict for each in gradient_departures(model, [execution], RATIO)]
    from .judging.execution_oracles import judge
    from .judging.isolated_runs import run_isolated

    return [v for v in judge(model, run_isolated(model, [execution]), RATIO) if v.rule == rule]


def _mutant(model: ModelUnderTest, mutations: str) -> ModelUnderTest:
    from .mutation.mutation_application import apply_mutations
    from .mutation.mutation_grammar import MalformedMutation, parse_mutations
    from .mutation.new_layers import MutationInapplicable

    try:
        return apply_mutations(model, parse_mutations(mutations))
    except (MutationInapplicable, MalformedMutation) as reason:
        raise Unusable(f"the mutations do not fit the model: {reason}") from reason


def training_problem(called: CompletedCall, steps: int, inputs: str = "") -> Optional[str]:
    """Return what becomes infinite or undefined in so many steps of training the call's model."""
    from .training import training_failure as problem_of

    return problem_of(model_of(called, inputs), steps)


def growth_problem(called: CompletedCall, times: int) -> Optional[str]:
    """Return what grows over so many calls, which count for no limit of their own."""
    from .resource_growth import growth_of_repeated_call as problem_of

    with CLOCK.paused():
        return problem_of(called.again, times)


def model_of(called: CompletedCall, inputs: str = "") -> ModelUnderTest:
    """Return the model of a call and its ``inputs`` (a recipe, or its own); raises ``Unusable``."""
    from . import model_extraction

    if inputs:
        values = evaluate_recipe("inputs", inputs, called.namespace)
        return model_with_inputs(called, values if isinstance(values, tuple) else (values,))
    try:
        return model_extraction.model_of(called.instance, called.result, called.args, called.kwargs)
    except model_extraction.NoModel as reason:
        raise Unusable(str(reason)) from reason


def model_with_inputs(called: CompletedCall, values: Tuple[Any, ...]) -> ModelUnderTest:
    """Return the model of a call with other inputs than the call's; raises ``Unusable``."""
    from . import model_extraction

    own = model_extraction.framework_of(called.instance) is not None
    module = called.instance if own else model_extraction.module_in(called.result)
    if module is None:
        raise Unusable("the call neither is of a model nor gives one")
    try:
        return model_extraction.prepared(module, values)
    except model_extraction.NoModel as reason:
        raise Unusable(str(reason)) from reason
